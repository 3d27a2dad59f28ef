// What shows what, and who follows whom when a value is assigned.
#include "frontend/python/src/arrays/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "frontend/python/src/arrays/array.h"
#include "frontend/python/src/arrays/assign.h"
#include "frontend/python/src/functions/apply.h"
#include "runtime/error.h"

namespace gnomon::python {

/// The relations of an object. A view keeps its base alive, so what ends has no views.
struct Relations {
  PyObject* self = nullptr;
  Relations* base = nullptr;
  std::size_t place = 0;          // among the views of the base
  std::vector<Relations*> views;  // of this one
  Look look = Look::part;
  nb::object how;
};

namespace {

Relations*& view_of(PyObject* o) { return expr_object(o)->relations; }

Relations* relations_of(PyObject* o) {
  Relations*& relations = view_of(o);
  if (relations == nullptr) {
    relations = new Relations;
    relations->self = o;
  }
  return relations;
}

Relations* root_of(Relations* view) {
  while (view->base != nullptr) view = view->base;
  return view;
}

// --------------------------------------------------------------------------------- looking

IntList order_of(const nb::object& how) {
  IntList order;
  for (const nb::handle axis : how) order.push_back(nb::cast<std::int64_t>(axis));
  return order;
}

// The elements of `x` with axes of extent 1 put in or taken away, up to `shape`.
Array with_ones(const Array& x, std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    while (x.shape()[next] == 1) ++next;
    strides[i] = x.strides()[next++];
  }
  return x.view(std::vector(shape.begin(), shape.end()), strides, 0);
}

// The values that a view of this kind shows of `x`; `shape` is its own.
Array seen(const Relations& view, const Array& x, std::span<const std::int64_t> shape) {
  switch (view.look) {
    case Look::part: return *basic_view(x, view.how.ptr());
    case Look::axes: return x.transpose(order_of(view.how));
    case Look::shape: return x.reshape(std::vector(shape.begin(), shape.end()));
    case Look::ones: return with_ones(x, shape);
  }
  throw InternalError("view: no such look");
}

Shape shape_of(PyObject* o) {
  if (is_expr(o)) return expr_of(o).shape();
  return {array_of(o).shape().begin(), array_of(o).shape().end()};
}

// The same of an expression, or of an array by a key that is one.
Expr seen(const Relations& view, nb::handle x, const Shape& shape) {
  if (view.look == Look::part) {
    const nb::object part = get_item(x, view.how);
    return is_array(part) ? captured(array_of(part)) : expr_of(part);
  }
  const OriginScope at(caller());
  const Arg whole = to_arg(x);
  return view.look == Look::axes ? transpose(whole, order_of(view.how)) : reshape(whole, shape);
}

// The base with what the view shows replaced by an expression.
Expr written(const Relations& view) {
  const nb::handle base = view.base->self, value = view.self;
  if (view.look == Look::part) {
    const nb::object whole = set_item(base, view.how, value, set_at);
    return is_array(whole) ? captured(array_of(whole)) : expr_of(whole);
  }
  const OriginScope at(caller());
  if (view.look != Look::axes) return reshape(to_arg(value), shape_of(base.ptr()));
  const IntList order = order_of(view.how);
  IntList inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  return transpose(to_arg(value), inverse);
}

// ------------------------------------------------------------------------------- following

// All that show `root`, the bases before what shows them.
std::vector<Relations*> below(Relations* root) {
  std::vector<Relations*> found = root->views;
  for (std::size_t i = 0; i < found.size(); ++i)
    found.insert(found.end(), found[i]->views.begin(), found[i]->views.end());
  return found;
}

void refresh_arrays(const std::vector<Relations*>& views,
                    const std::map<const Relations*, std::vector<std::int64_t>>& shapes) {
  for (Relations* const v : views)
    if (is_array(v->self)) array_of(v->self) = seen(*v, array_of(v->base->self), shapes.at(v));
}

void refresh_expression(const Relations& view) {
  set_expression(view.self, seen(view, view.base->self, shape_of(view.self)));
}

void link(PyObject* o, PyObject* base, Look look, nb::object how) {
  Relations* const view = relations_of(o);
  Relations* const shown = relations_of(base);
  Py_INCREF(base);
  view->base = shown;
  view->place = shown->views.size();
  view->look = look;
  view->how = std::move(how);
  shown->views.push_back(view);
}

int depth_of(const Relations* view) {
  int depth = 0;
  for (; view != nullptr && view->base != nullptr; view = view->base) ++depth;
  return depth;
}

bool is_basic_entry(PyObject* o) {
  if (o == Py_None || o == Py_Ellipsis || PySlice_Check(o)) return true;
  if (PyBool_Check(o)) return false;
  if (is_expr(o)) return expr_of(o).rank() == 0 && is_integer(expr_of(o).dtype());
  if (is_array(o)) return array_of(o).rank() == 0 && is_integer(array_of(o).dtype());
  return PyIndex_Check(o) != 0 || is_symbolic(o);
}

// Whether two keys are one: since 3.12 Python makes a slice of the same bounds for each use.
bool is_same_key(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (!PySlice_Check(a) || !PySlice_Check(b)) return false;
  const auto *x = reinterpret_cast<PySliceObject*>(a), *y = reinterpret_cast<PySliceObject*>(b);
  return x->start == y->start && x->stop == y->stop && x->step == y->step;
}

}  // namespace

bool is_basic_key(nb::handle key) {
  PyObject* const o = key.ptr();
  if (!PyTuple_Check(o)) return is_basic_entry(o);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i)
    if (!is_basic_entry(PyTuple_GET_ITEM(o, i))) return false;
  return true;
}

void show(nb::handle view, nb::handle base, Look look, nb::object how) {
  if (view.ptr() == base.ptr() || !(is_array(view) || is_expr(view))) return;
  if (shape_of(view.ptr()).empty() || !may_change(base.ptr()) || view_of(view.ptr()) != nullptr)
    return;
  link(view.ptr(), base.ptr(), look, std::move(how));
}

void show_turned(nb::handle view, nb::handle base, std::span<const std::int64_t> axes) {
  if (!is_array(base) && !is_expr(base)) return;
  nb::list order;
  for (const std::int64_t axis : axes)
    order.append(axis < 0 ? axis + static_cast<std::int64_t>(axes.size()) : axis);
  show(view, base, Look::axes, nb::tuple(order));
}

IntList reversed_axes(int rank) {
  IntList axes;
  for (int i = rank; i-- > 0;) axes.push_back(i);
  return axes;
}

void show_reshaped(nb::handle view, nb::handle base) {
  if (!is_array(base) && !is_expr(base)) return;
  if (is_array(base) && !array_of(base).is_contiguous()) return;
  // Expressions have no strides: what they were made by says whether elements lie in order.
  for (const Relations* v = view_of(base.ptr()); v != nullptr && v->base != nullptr; v = v->base)
    if (v->look == Look::axes || (v->look == Look::part && is_expr(base))) return;
  show(view, base, Look::shape);
}

bool is_part(nb::handle view, nb::handle base, nb::handle key) {
  if (!is_array(view) && !is_expr(view)) return false;
  const Relations* const r = view_of(view.ptr());
  return r != nullptr && r->base != nullptr && r->base->self == base.ptr() &&
         r->look == Look::part && is_same_key(r->how.ptr(), key.ptr());
}

bool is_shown(PyObject* o) {
  const Relations* const view = view_of(o);
  return expr_object(o)->held ||
         (view != nullptr && (view->base != nullptr || !view->views.empty()));
}

void end_view(PyObject* o) {
  Relations* const view = view_of(o);
  if (view == nullptr) return;
  view_of(o) = nullptr;
  Relations* const base = view->base;
  if (base != nullptr) {
    base->views[view->place] = base->views.back();
    base->views[view->place]->place = view->place;
    base->views.pop_back();
  }
  delete view;
  if (base == nullptr) return;
  // A chain of views of views ends one by one and not within each other.
  thread_local std::vector<PyObject*> ending;
  thread_local bool is_ending = false;
  ending.push_back(base->self);
  if (is_ending) return;
  is_ending = true;
  while (!ending.empty()) {
    PyObject* const next = ending.back();
    ending.pop_back();
    Py_DECREF(next);
  }
  is_ending = false;
}

PyObject* root_of(PyObject* o) {
  Relations* const view = view_of(o);
  return view == nullptr ? o : root_of(view)->self;
}

PyObject* base_of(PyObject* o) {
  const Relations* const view = view_of(o);
  return view == nullptr || view->base == nullptr ? nullptr : view->base->self;
}

void follow(PyObject* o) {
  Relations* top = view_of(o);
  if (top == nullptr) return;
  std::vector<const Relations*> path = {top};
  for (; top->base != nullptr; top = top->base) {
    set_expression(top->base->self, written(*top));
    path.push_back(top->base);
  }
  for (const Relations* const v : below(top))
    if (std::ranges::find(path, v) == path.end()) refresh_expression(*v);
}

void write_values(PyObject* o, const std::function<void(Array&)>& write) {
  const auto own = [](Array& x) {
    if (!x.unique()) x = x.copy();
  };
  Relations* const view = view_of(o);
  if (view == nullptr || (view->base == nullptr && view->views.empty())) {
    own(array_of(o));
    write(array_of(o));
    array_object(o)->writable = true;
    return;
  }
  Relations* const root = root_of(view);
  const std::vector<Relations*> relatives = below(root);
  std::map<const Relations*, std::vector<std::int64_t>> shapes;
  for (const Relations* const v : relatives)
    if (is_array(v->self))
      shapes[v] = {array_of(v->self).shape().begin(), array_of(v->self).shape().end()};
  // Only what is no relative counts as somebody who sees the memory.
  for (const auto& entry : shapes) array_of(entry.first->self) = Array();
  try {
    own(array_of(root->self));
  } catch (...) {
    refresh_arrays(relatives, shapes);
    throw;
  }
  refresh_arrays(relatives, shapes);
  write(array_of(o));
  array_object(root->self)->writable = true;
  for (const Relations* const v : relatives) {
    if (is_array(v->self)) {
      array_object(v->self)->writable = true;
    } else {
      refresh_expression(*v);
    }
  }
}

nb::list copies(const nb::list& originals, const nb::list& values) {
  const std::size_t count = originals.size();
  std::map<const Relations*, std::size_t> known;
  std::vector<std::pair<int, std::size_t>> related;  // by the number of bases
  std::map<PyObject*, std::size_t> first;
  nb::list result;
  for (std::size_t i = 0; i < count; ++i) {
    const nb::object original = nb::borrow(originals[i]);
    const bool is_object = is_array(original) || is_expr(original);
    if (is_object && !first.emplace(original.ptr(), i).second) {
      result.append(nb::none());  // below: the copy of the same object
      continue;
    }
    const nb::object copy = another(values[i]);
    result.append(copy);
    if (!is_object) continue;
    // What is assigned to the copy is assigned to what only the call knows.
    if (is_expr(original) && is_expr(copy) && !copy.is(original))
      expr_object(copy.ptr())->doubt = expr_object(original.ptr())->doubt;
    const Relations* const view = view_of(original.ptr());
    if (view == nullptr) continue;
    known.emplace(view, i);
    if (view->base != nullptr) related.emplace_back(depth_of(view), i);
  }
  std::ranges::sort(related);
  for (const auto& [depth, i] : related) {
    std::vector<const Relations*> path = {view_of(nb::object(originals[i]).ptr())};
    while (path.back()->base != nullptr && !known.contains(path.back()->base))
      path.push_back(path.back()->base);
    if (path.back()->base == nullptr) continue;
    nb::object current = nb::borrow(result[known.at(path.back()->base)]);
    for (const Relations* const v : std::views::reverse(path)) {
      const bool by_values = is_array(current) && is_array(v->self);
      nb::object part = by_values ? wrap(seen(*v, array_of(current), array_of(v->self).shape()))
                                  : wrap(seen(*v, current, shape_of(v->self)));
      show(part, current, v->look, v->how);
      current = std::move(part);
    }
    result[i] = current;
  }
  for (std::size_t i = 0; i < count; ++i)
    if (const auto at = first.find(nb::object(originals[i]).ptr());
        at != first.end() && at->second != i)
      result[i] = nb::object(result[at->second]);
  return result;
}

}  // namespace gnomon::python
