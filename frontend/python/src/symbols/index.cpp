// x[key]: Python's keys as the indices of the library, and NumPy's rules for masks and arrays.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/python/src/functions/apply.h"
#include "frontend/python/src/symbols/questions.h"
#include "runtime/device/device_array.h"
#include "runtime/error.h"
#include "stdlib/arrays/selection.h"

namespace gnomon::python {

namespace {

// One entry of a key. An array of integers has its values, or only an expression.
struct KeyEntry {
  enum class Kind { added, ellipsis, range, dim, array, expr, mask } kind;
  Range range{};
  Dim dim{};
  Array array{};
  Expr expr{};
  std::int64_t extent = -1;  // of the axis, as the mask has it that the array's places come from
  bool is_single = false;    // from a single bool: of an axis of extent 1 that the key puts there

  bool consumes() const { return kind != Kind::added && kind != Kind::ellipsis; }
};

Shape array_shape(const Array& a) { return {a.shape().begin(), a.shape().end()}; }

// ----------------------------------------------------------------------------------- Python keys

// Beyond 64 bits a bound is as good as the last of them.
std::optional<Dim> bound(PyObject* o) {
  if (o == Py_None) return std::nullopt;
  if (PyLong_Check(o)) return Dim(PyNumber_AsSsize_t(o, nullptr));
  return to_dim(o);
}

KeyEntry range_entry(PyObject* o) {
  const auto* slice = reinterpret_cast<PySliceObject*>(o);
  KeyEntry entry{.kind = KeyEntry::Kind::range};
  entry.range.start = bound(slice->start);
  entry.range.stop = bound(slice->stop);
  if (const std::optional<Dim> step = bound(slice->step)) entry.range.step = *step;
  if (entry.range.step.is(0)) throw ValueError("index: a slice's step cannot be 0" + at_caller());
  return entry;
}

// The positions of the true elements, one array for each axis of the mask.
void add_mask(const Array& given, std::vector<KeyEntry>& entries) {
  const Array mask = to_host(given).contiguous();
  const bool* const values = mask.data<bool>();
  const std::span<const std::int64_t> shape = mask.shape();
  std::vector<std::vector<std::int64_t>> positions(shape.size());
  for (std::int64_t i = 0; i < mask.size(); ++i) {
    if (!values[i]) continue;
    std::int64_t rest = i;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      positions[axis].push_back(rest % shape[axis]);
      rest /= shape[axis];
    }
  }
  for (std::size_t axis = 0; axis < positions.size(); ++axis)
    entries.push_back({.kind = KeyEntry::Kind::array,
                       .array = Array::from(positions[axis]),
                       .extent = shape[axis]});
}

// A single bool: the mask of a new axis of extent 1.
void add_single(bool value, std::vector<KeyEntry>& entries) {
  const std::vector<std::int64_t> places(value ? 1 : 0, 0);
  entries.push_back({.kind = KeyEntry::Kind::array,
                     .array = Array::from(places),
                     .extent = 1,
                     .is_single = true});
}

// uint64 beyond int64 is out of the range of every axis.
void check_reach(const Array& array) {
  if (array.dtype() != DType::uint64) return;
  const Array packed = to_host(array).contiguous();
  const auto* const values = packed.data<std::uint64_t>();
  for (std::int64_t i = 0; i < packed.size(); ++i)
    if (values[i] > static_cast<std::uint64_t>(PY_SSIZE_T_MAX))
      out_of_range(fmt::format("index: index {} is out of range for every axis", values[i]));
}

void add_array(const Array& array, bool is_sequence, std::vector<KeyEntry>& entries) {
  if (is_bool(array.dtype()))
    return array.rank() == 0 ? add_single(to_host(array).item<bool>(), entries)
                             : add_mask(array, entries);
  if (is_integer(array.dtype())) {
    check_reach(array);
    if (array.rank() == 0) {
      const Array wide = converted(to_host(array), DType::int64);
      entries.push_back({.kind = KeyEntry::Kind::dim, .dim = Dim(wide.item<std::int64_t>())});
    } else {
      entries.push_back({.kind = KeyEntry::Kind::array, .array = array});
    }
    return;
  }
  if (is_sequence && array.size() == 0) {  // [] has no dtype of its own
    entries.push_back({.kind = KeyEntry::Kind::array, .array = converted(array, DType::int64)});
    return;
  }
  throw TypeError(fmt::format("index: expected integers, slices, masks, None or ..., found {}{}",
                              array.describe(), at_caller()));
}

void add_entry(PyObject* o, std::vector<KeyEntry>& entries) {
  if (o == Py_None) {
    entries.push_back({.kind = KeyEntry::Kind::added});
  } else if (o == Py_Ellipsis) {
    entries.push_back({.kind = KeyEntry::Kind::ellipsis});
  } else if (PySlice_Check(o)) {
    entries.push_back(range_entry(o));
  } else if (const Dim* d = dim_of(o)) {
    entries.push_back({.kind = KeyEntry::Kind::dim, .dim = *d});
  } else if (is_expr(o)) {
    const Expr& e = expr_of(o);
    if (is_bool(e.dtype())) {
      // As many entries as it has axes: they become its places.
      const bool is_single = e.rank() == 0;
      const Expr mask = is_single ? expand_dims(e, 0) : e;
      for (int axis = 0; axis < mask.rank(); ++axis)
        entries.push_back({.kind = KeyEntry::Kind::mask, .expr = mask, .is_single = is_single});
      return;
    }
    if (!is_integer(e.dtype()))
      throw TypeError(
          fmt::format("index: expected integers or masks, found {}{}", describe(e), at_caller()));
    // Of uint64, what is beyond int64 stays out of range.
    entries.push_back({.kind = KeyEntry::Kind::expr,
                       .expr = e.dtype() == DType::uint64 ? minimum(e, PY_SSIZE_T_MAX) : e});
  } else if (PyBool_Check(o)) {
    add_single(o == Py_True, entries);
  } else if (PyLong_Check(o)) {
    int overflow = 0;
    static_cast<void>(PyLong_AsLongLongAndOverflow(o, &overflow));
    if (overflow != 0)
      out_of_range(fmt::format("index: index {} is out of range for every axis",
                               nb::cast<std::string>(nb::str(nb::handle(o)))));
    entries.push_back({.kind = KeyEntry::Kind::dim, .dim = to_dim(o)});
  } else if (PyUnicode_Check(o) || PyFloat_Check(o) || !is_operand(o)) {
    throw TypeError(fmt::format("index: expected integers, slices, masks, None or ..., found {}{}",
                                Py_TYPE(o)->tp_name, at_caller()));
  } else {
    if (has_symbols(o)) return add_entry(of_sequence(o).ptr(), entries);
    add_array(to_array(o), PyList_Check(o) || PyTuple_Check(o), entries);
  }
}

// The places of the true elements of symbolic masks, in the place of these.
void place_masks(std::vector<KeyEntry>& entries, const Shape& shape) {
  std::size_t axis = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].kind == KeyEntry::Kind::mask) {
      const Expr mask = entries[i].expr;
      const auto rank = static_cast<std::size_t>(mask.rank());
      const std::vector<Expr> places = places_of_mask(mask, std::span(shape).subspan(axis, rank));
      for (std::size_t k = 0; k < rank; ++k)
        entries[i + k] = {.kind = KeyEntry::Kind::expr, .expr = places[k]};
    }
    if (entries[i].consumes()) ++axis;
  }
}

// The entries of a key for a value, with the ellipsis written out.
struct IndexKey {
  std::vector<KeyEntry> entries;
  Shape shape;    // of the value with the axes that single bools put there
  IntList added;  // these axes
};

IndexKey index_key(nb::handle key, Shape shape, const std::string& what) {
  IndexKey result{{}, std::move(shape), {}};
  std::vector<KeyEntry>& entries = result.entries;
  const auto rank = static_cast<std::ptrdiff_t>(result.shape.size());
  if (PyTuple_Check(key.ptr())) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key.ptr()); ++i)
      add_entry(PyTuple_GET_ITEM(key.ptr(), i), entries);
  } else {
    add_entry(key.ptr(), entries);
  }
  const auto consumed = std::ranges::count_if(
      entries, [](const KeyEntry& e) { return e.consumes() && !e.is_single; });
  if (consumed > rank)
    out_of_range(
        fmt::format("index: expected at most {} indices, found {} for {}", rank, consumed, what));
  const auto is_ellipsis = [](const KeyEntry& e) { return e.kind == KeyEntry::Kind::ellipsis; };
  if (std::ranges::count_if(entries, is_ellipsis) > 1)
    throw IndexError("index: expected one ellipsis at most, found more" + at_caller());
  auto at = std::ranges::find_if(entries, is_ellipsis);
  if (at != entries.end()) at = entries.erase(at);
  entries.insert(at, static_cast<std::size_t>(rank - consumed),
                 KeyEntry{.kind = KeyEntry::Kind::range});
  std::int64_t axis = 0;
  for (const KeyEntry& entry : entries) {
    if (entry.is_single) {
      result.shape.insert(result.shape.begin() + axis, Dim(1));
      result.added.push_back(axis);
    }
    axis += entry.consumes();
  }
  return result;
}

// ------------------------------------------------------------------------------------ the ranges

// What is known to be wrong before anything runs.
void check_entry(const KeyEntry& entry, std::size_t axis, const Dim& extent,
                 const std::string& what) {
  if (entry.extent >= 0) {
    const auto question = [&] { return fmt::format("{} == {}", extent.text(), entry.extent); };
    if (decide(extent - entry.extent, Asked::is_zero, question) == false)
      out_of_range(fmt::format(
          "index: expected a mask of extent {} for axis {} of {}, found a mask of extent {}",
          extent.text(), axis, what, entry.extent));
    return;
  }
  if (!extent.is_constant()) return;
  const std::int64_t n = extent.constant();
  const auto check = [&](std::int64_t i) {
    if (i >= -n && i < n) return;
    out_of_range(fmt::format("index: index {} is out of range for axis {} with extent {} of {}", i,
                             axis, n, what));
  };
  if (entry.kind == KeyEntry::Kind::dim && entry.dim.is_constant()) check(entry.dim.constant());
  // Those on a device are looked at there.
  if (entry.kind != KeyEntry::Kind::array || entry.array.size() == 0) return;
  if (entry.array.is_elsewhere()) return;
  const Array wide = converted(entry.array, DType::int64).contiguous();
  const std::span<const std::int64_t> values(wide.data<std::int64_t>(),
                                             static_cast<std::size_t>(wide.size()));
  const auto [low, high] = std::ranges::minmax(values);
  check(low);
  check(high);
}

void check_entries(const IndexKey& key, const std::string& what) {
  std::size_t axis = 0;
  for (const KeyEntry& entry : key.entries) {
    if (!entry.consumes()) continue;
    check_entry(entry, axis, key.shape[axis], what);
    ++axis;
  }
}

// --------------------------------------------------------------------------------- of expressions

Index index_of(const KeyEntry& entry) {
  switch (entry.kind) {
    case KeyEntry::Kind::added: return Index(newaxis);
    case KeyEntry::Kind::range: return Index(entry.range);
    case KeyEntry::Kind::dim: return Index(entry.dim);
    case KeyEntry::Kind::array: return Index(captured(entry.array));
    default: return Index(entry.expr);
  }
}

std::vector<Index> indices_of(const std::vector<KeyEntry>& entries) {
  std::vector<Index> indices;
  for (const KeyEntry& entry : entries) indices.push_back(index_of(entry));
  return indices;
}

// Messages of the library that do not come from a node lack the line.
template <class F>
nb::object at_line(const Origin& at, F&& build) {
  const OriginScope scope(at);
  try {
    return wrap(build());
  } catch (const Error& e) {
    const std::string line = bracketed(at);
    if (std::string_view(e.what()).ends_with(line)) throw;
    throw_like(e, e.what() + line);
  }
}

bool is_symbolic_key(nb::handle key) {
  PyObject* const o = key.ptr();
  if (is_symbolic(key)) return true;
  if (PySlice_Check(o)) {
    const auto* slice = reinterpret_cast<PySliceObject*>(o);
    return is_symbolic(slice->start) || is_symbolic(slice->stop) || is_symbolic(slice->step);
  }
  if (PyList_Check(o)) return has_symbols(o);
  if (!PyTuple_Check(o)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i)
    if (is_symbolic_key(PyTuple_GET_ITEM(o, i))) return true;
  return false;
}

// --------------------------------------------------------------------------------------- of arrays

// The part of `x` in the ranges, which become whole axes: what is left of the key is integers.
Array take_ranges(const Array& x, std::vector<KeyEntry>& entries) {
  std::vector<std::int64_t> shape(x.shape().begin(), x.shape().end());
  std::vector<std::int64_t> strides(x.strides().begin(), x.strides().end());
  std::int64_t offset = 0;
  std::size_t axis = 0;
  for (KeyEntry& entry : entries) {
    if (!entry.consumes()) continue;
    const std::size_t i = axis++;
    if (entry.kind != KeyEntry::Kind::range) continue;
    const std::int64_t step = std::max(entry.range.step.constant(), -PY_SSIZE_T_MAX);
    Py_ssize_t start = step > 0 ? 0 : PY_SSIZE_T_MAX, stop = step > 0 ? PY_SSIZE_T_MAX : 0;
    if (entry.range.start) start = entry.range.start->constant();
    if (entry.range.stop) stop = entry.range.stop->constant();
    const bool to_first = step < 0 && !entry.range.stop;
    if (to_first) stop = PY_SSIZE_T_MIN;
    const Py_ssize_t count = PySlice_AdjustIndices(shape[i], &start, &stop, step);
    if (count > 0) offset += start * strides[i];
    shape[i] = count;
    if (count > 1) strides[i] *= step;
    entry.range = {};
  }
  return x.view(shape, strides, offset);
}

// The integers of the key as operands; `leaves` stand for them in the expression.
std::vector<Array> operands_of(const std::vector<KeyEntry>& entries) {
  std::vector<Array> operands;
  for (const KeyEntry& entry : entries) {
    if (entry.kind == KeyEntry::Kind::array) operands.push_back(entry.array);
    if (entry.kind == KeyEntry::Kind::dim) operands.emplace_back(entry.dim.constant());
  }
  return operands;
}

std::vector<Index> indices_of(const std::vector<KeyEntry>& entries, std::span<const Expr> leaves) {
  std::vector<Index> indices;
  for (const KeyEntry& entry : entries) {
    const bool is_operand =
        entry.kind == KeyEntry::Kind::array || entry.kind == KeyEntry::Kind::dim;
    if (is_operand) {
      indices.emplace_back(leaves.front());
      leaves = leaves.subspan(1);
    } else {
      indices.push_back(index_of(entry));
    }
  }
  return indices;
}

// x with new axes of extent 1.
Array view_with_axes(const Array& x, const IntList& axes) {
  std::vector<std::int64_t> shape(x.shape().begin(), x.shape().end());
  std::vector<std::int64_t> strides(x.strides().begin(), x.strides().end());
  for (const std::int64_t axis : axes) {
    shape.insert(shape.begin() + axis, 1);
    strides.insert(strides.begin() + axis, 0);
  }
  return axes.empty() ? x : x.view(shape, strides, 0);
}

// The value that the entries index: with the axes of single bools, and, where a mask says an extent
// that only the call knows, with a check that it is so. Masks among the entries become places.
Expr prepared(const Expr& base, IndexKey& key) {
  Expr x = base;
  for (const std::int64_t axis : key.added) x = expand_dims(x, axis);
  Shape shape = x.shape();
  std::size_t axis = 0;
  for (const KeyEntry& entry : key.entries) {
    if (!entry.consumes()) continue;
    if (entry.extent >= 0) shape[axis] = Dim(entry.extent);
    ++axis;
  }
  place_masks(key.entries, shape);
  return shape == x.shape() ? x : broadcast_to(x, shape);
}

// Whether some indices are on a device: all is computed there then, where no view shows a part.
bool is_any_elsewhere(const std::vector<KeyEntry>& entries) {
  return std::ranges::any_of(entries, [](const KeyEntry& entry) {
    return entry.kind == KeyEntry::Kind::array && entry.array.is_elsewhere();
  });
}

Array get_part(const Array& x, nb::handle given) {
  IndexKey key = index_key(given, array_shape(x), x.describe());
  check_entries(key, x.describe());
  std::vector<KeyEntry>& entries = key.entries;
  if (x.is_elsewhere() || is_any_elsewhere(entries)) {
    std::vector<Array> operands = {x};
    for (Array& a : operands_of(entries)) operands.push_back(std::move(a));
    return evaluate_one(operands, [&](std::span<const Expr> leaves) {
      IndexKey own = key;
      const Expr whole = prepared(leaves[0], own);
      return index(whole, indices_of(own.entries, leaves.subspan(1)));
    });
  }
  std::vector<Array> operands = {take_ranges(view_with_axes(x, key.added), entries)};
  for (Array& a : operands_of(entries)) operands.push_back(std::move(a));
  return evaluate_one(operands, [&](std::span<const Expr> leaves) {
    return index(leaves[0], indices_of(entries, leaves.subspan(1)));
  });
}

Array set_part(const Array& x, nb::handle given, const Array& v, Write write) {
  IndexKey key = index_key(given, array_shape(x), x.describe());
  check_entries(key, x.describe());
  std::vector<KeyEntry>& entries = key.entries;
  if (x.is_elsewhere() || v.is_elsewhere() || is_any_elsewhere(entries)) {
    std::vector<Array> operands = {x, v};
    for (Array& a : operands_of(entries)) operands.push_back(std::move(a));
    return evaluate_one(operands, [&](std::span<const Expr> leaves) {
      IndexKey own = key;
      const Expr whole = prepared(leaves[0], own);
      const Expr changed = write(whole, indices_of(own.entries, leaves.subspan(2)), leaves[1]);
      return own.added.empty() ? changed : squeeze(changed, own.added);
    });
  }
  const Array whole = x.copy();
  Array part = take_ranges(view_with_axes(whole, key.added), entries);
  std::vector<Array> operands = {part, v};
  for (Array& a : operands_of(entries)) operands.push_back(std::move(a));
  part.assign(evaluate_one(operands, [&](std::span<const Expr> leaves) {
    return write(leaves[0], indices_of(entries, leaves.subspan(2)), leaves[1]);
  }));
  return whole;
}

// A position that is negative in the call that is traced counts from the end. The library does that
// where the sign is known, and takes others for positions from the front.
void count_from_front(Dim& position, const Dim& extent) {
  if (position.is_constant() || min(position, Dim(0)) == position) return;
  const auto question = [&] { return fmt::format("{} >= 0", position.text()); };
  if (decide(position, Asked::is_not_negative, question) == false) position = position + extent;
}

void count_from_front(IndexKey& key) {
  std::size_t axis = 0;
  for (KeyEntry& entry : key.entries) {
    if (!entry.consumes()) continue;
    const Dim& extent = key.shape[axis++];
    if (entry.kind == KeyEntry::Kind::dim) count_from_front(entry.dim, extent);
    if (entry.kind != KeyEntry::Kind::range) continue;
    if (entry.range.start) count_from_front(*entry.range.start, extent);
    if (entry.range.stop) count_from_front(*entry.range.stop, extent);
  }
}

// The symbolic mask of the first axes that is all of a key; else null.
const Expr* only_mask(const IndexKey& key) {
  if (key.entries.empty() || !key.added.empty()) return nullptr;
  const KeyEntry& first = key.entries.front();
  if (first.kind != KeyEntry::Kind::mask || first.is_single) return nullptr;
  const auto rest = std::span(key.entries).subspan(static_cast<std::size_t>(first.expr.rank()));
  const bool is_all = std::ranges::all_of(rest, [](const KeyEntry& e) {
    return e.kind == KeyEntry::Kind::range && !e.range.start && !e.range.stop && e.range.step.is(1);
  });
  return is_all ? &first.expr : nullptr;
}

}  // namespace

nb::object get_item(nb::handle x, nb::handle key) {
  if (!is_symbolic(x) && !is_symbolic_key(key))
    return wrap(get_part(is_array(x) ? array_of(x) : to_array(x), key));
  const Origin at = caller();
  const Expr base(to_arg(x).value());
  IndexKey k = index_key(key, base.shape(), describe(base));
  check_entries(k, describe(base));
  if (is_traced()) count_from_front(k);
  return at_line(at, [&] {
    const Expr x = prepared(base, k);  // before the entries are read: it places masks
    return index(x, indices_of(k.entries));
  });
}

Write write_called(std::string_view name) {
  constexpr std::pair<std::string_view, Write> writes[] = {
      {"set", set_at},       {"add", inc_at},         {"multiply", multiply_at},
      {"divide", divide_at}, {"minimum", minimum_at}, {"maximum", maximum_at}};
  for (const auto& [known, write] : writes)
    if (known == name) return write;
  throw InternalError(fmt::format("set_item: no write is called {}", name));
}

nb::object set_item(nb::handle x, nb::handle key, nb::handle v, Write write) {
  if (!is_symbolic(x) && !is_symbolic_key(key) && !is_symbolic(v)) {
    const Array base = is_array(x) ? array_of(x) : to_array(x);
    Operand value;
    take(v, value);
    const Array given =
        value.array.defined() ? value.array : number_array(value, base.dtype(), "index");
    return wrap(set_part(base, key, given, write));
  }
  const Origin at = caller();
  const Expr base(to_arg(x).value());
  IndexKey k = index_key(key, base.shape(), describe(base));
  check_entries(k, describe(base));
  if (is_traced()) count_from_front(k);
  const bool is_written = is_expr(v);
  Value values[] = {is_written ? expr_of(v).value() : Value()};
  Expr written;
  return at_line(at, [&] {
    // The library knows when what is written where a mask holds needs no places.
    if (const Expr* mask = only_mask(k)) {
      build_stretched(values, [&] {
        written = write(base, std::array{Index(*mask)}, is_written ? Arg(values[0]) : to_arg(v));
      });
      return written;
    }
    const Expr whole = prepared(base, k);
    build_stretched(values, [&] {
      written = write(whole, indices_of(k.entries), is_written ? Arg(values[0]) : to_arg(v));
    });
    return k.added.empty() ? written : squeeze(written, k.added);
  });
}

}  // namespace gnomon::python
