// Weights that the code of a function would have in it, as parameters.
#pragma once

#include "frontend/close_function.h"

namespace gnomon {

/// The same function with the arrays of its constants as further ones behind its large constants,
/// so that the code is the same for any of their values: those of floats, and others of more bytes
/// than `close_function` leaves. Those of bodies that it runs are among them, and one that stands
/// in several places is one.
Closed with_lifted_constants(const Closed& closed);

}  // namespace gnomon
