// Functions of images by the number of their axes.
#include "stdlib/networks/images.h"

#include <fmt/format.h>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/parts.h"

namespace gnomon::nn {

namespace {

void expect_spatial(const Arg& x, int axes, const char* what) {
  const Expr v(x.value());
  if (v.rank() != axes + 2)
    throw ValueError(fmt::format("{}: expected images [N, C, ...] with {} spatial {}, found {}",
                                 what, axes, axes == 1 ? "axis" : "axes", describe(v)));
}

// One extent stands for all axes.
IntList on_each(const IntList& size, int axes) {
  return size.size() == 1 ? IntList(static_cast<std::size_t>(axes), size[0]) : size;
}

// The windows of a pool on so many axes.
void expect_windows(const Arg& x, const IntList& size, int axes, const char* what) {
  if (x.value().rank() < axes || on_each(size, axes).size() != static_cast<std::size_t>(axes))
    throw ValueError(fmt::format("{}: expected the extents of windows on {} axes of {}, found {}",
                                 what, axes, describe(x.value()), size.size()));
}

}  // namespace

#define GNOMON_OF_IMAGES(n, name, parameters, arguments) \
  Expr name##n##d parameters {                           \
    const CallScope call(#name #n "d", x.origin());      \
    expect_spatial(x, n, #name #n "d");                  \
    return name arguments;                               \
  }
#define GNOMON_POOL(n, name)                                                \
  Expr name##n##d(const Arg& x, const IntList& size, const IntList& stride, \
                  const IntList& padding) {                                 \
    const CallScope call(#name #n "d", x.origin());                         \
    expect_windows(x, size, n, #name #n "d");                               \
    return name(x, on_each(size, n), on_each(stride, n), padding);          \
  }
#define GNOMON_OF_RANK(n)                                                                          \
  GNOMON_OF_IMAGES(n, conv, (const Arg& x, const Arg& w, const Windows& windows), (x, w, windows)) \
  GNOMON_OF_IMAGES(n, conv_transpose,                                                              \
                   (const Arg& x, const Arg& w, const Windows& windows, const IntList& extra),     \
                   (x, w, windows, extra))                                                         \
  GNOMON_OF_IMAGES(                                                                                \
      n, separable_conv,                                                                           \
      (const Arg& x, const Arg& depthwise, const Arg& pointwise, const Windows& windows),          \
      (x, depthwise, pointwise, windows))                                                          \
  GNOMON_OF_IMAGES(n, unshared_conv, (const Arg& x, const Arg& w, const Windows& windows),         \
                   (x, w, windows))                                                                \
  GNOMON_POOL(n, max_pool)                                                                         \
  GNOMON_POOL(n, avg_pool)                                                                         \
  GNOMON_POOL(n, sum_pool)
GNOMON_OF_RANK(1)
GNOMON_OF_RANK(2)
GNOMON_OF_RANK(3)
#undef GNOMON_OF_RANK
#undef GNOMON_POOL
#undef GNOMON_OF_IMAGES

Expr unfold(const Arg& x, const Shape& size, const Windows& windows) {
  const CallScope call("unfold", x.origin());
  const Expr seen = patches(x, size, windows);
  const Shape& s = seen.shape();
  const auto places = s.begin() + 2 + static_cast<std::ptrdiff_t>(size.size());
  const Dim of_window = element_count(Shape(s.begin() + 1, places));
  return reshape(seen, {s[0], of_window, element_count(Shape(places, s.end()))});
}

Expr one_hot(const Arg& labels, const Dim& classes, DType dtype, std::int64_t axis) {
  const CallScope call("one_hot", labels.origin());
  const Expr given(labels.value());
  if (!is_integer(given.dtype()))
    throw TypeError(fmt::format("one_hot: expected integer labels, found {}", describe(given)));
  const int at = normalize_axis(axis, given.rank() + 1, "one_hot");
  const Expr each = lying_along(arange(classes), static_cast<std::size_t>(at),
                                static_cast<std::size_t>(given.rank()) + 1);
  return cast(equal(expand_dims(given, at), each), dtype);
}

}  // namespace gnomon::nn
