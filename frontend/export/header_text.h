// The C header of an exported library.
#pragma once

#include <string>

#include "frontend/export/interface.h"

namespace gnomon {

/// C11 and C++; from C++20 on with functions that take spans.
std::string header_text(const Interface& library);

/// "(x: f32[n, 3]) -> p: f32[n]".
std::string signature_text(const InterfaceFunction& function);
/// The parameters of a function behind its extents and arguments, as the header declares them.
std::string run_parameters(const Interface& library, const InterfaceFunction& function);
/// "const model_dims* dims, const model_args* args": without the first where no extent is open.
std::string argument_parameters(const InterfaceFunction& function);

}  // namespace gnomon
