// Views, as NumPy's: an array or an expression that shows a part of another one. What is assigned
// to one of them shows in the other, though no memory that somebody else may see is written and
// graphs stay pure: all relatives of an object get new values when it gets one.
#pragma once

#include <cstdint>

#include "frontend/python/src/core.h"

namespace gnomon::python {

/// How an object is seen through another one: as the part at a basic key, with the axes in another
/// order, in another shape, or with axes of extent 1 put in or taken away.
enum class Look : std::uint8_t { part, axes, shape, ones };

/// From now on `view` shows `base`, whose value it was made of. `how`: the key, or the order of
/// axes as a tuple. Does nothing where no assignment may reach the base: for scalars, symbols, and
/// what is older than the trace.
void show(nb::handle view, nb::handle base, Look look, nb::object how = {});
/// The same for an array with its axes in another order, that of `axes`.
void show_turned(nb::handle view, nb::handle base, std::span<const std::int64_t> axes);
/// The order that reverses `rank` axes.
IntList reversed_axes(int rank);
/// The same for a reshaped array: only where NumPy's would be a view, as far as is known.
void show_reshaped(nb::handle view, nb::handle base);

/// Whether a key selects a view: integers, slices, None and `...`, with values or without.
bool is_basic_key(nb::handle key);

/// Whether `view` shows the part of `base` at a key: after x[key] += v nothing is left to assign.
bool is_part(nb::handle view, nb::handle base, nb::handle key);
/// Whether an object has relatives, or two variables hold it.
bool is_shown(PyObject* o);

/// At the end of an object.
void end_view(PyObject* o);

/// What `o` shows, and what that shows, up to what shows nothing.
PyObject* root_of(PyObject* o);
/// What `o` shows; null if nothing.
PyObject* base_of(PyObject* o);

/// The relatives of `o` follow it, which got an expression: they become expressions too.
void follow(PyObject* o);
/// Writes values into the memory of the array `o`, and of its relatives: a new one if anybody else
/// may see it. `write` gets the array and must not fail.
void write_values(PyObject* o, const std::function<void(Array&)>& write);

/// Another object for each of `values`; related among each other as `originals` are.
nb::list copies(const nb::list& originals, const nb::list& values);

}  // namespace gnomon::python
