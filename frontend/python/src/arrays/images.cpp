// Convolutions and windows of images that are made of other operations.
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "frontend/python/src/functions/composed.h"
#include "frontend/python/src/symbols/shape_arguments.h"
#include "runtime/error.h"
#include "stdlib/networks/convolutions.h"

namespace gnomon::python {

namespace {

using nb::literals::operator""_a;
using Expressions = std::span<const Expr>;
using nb::handle;

Windows windows_of(handle stride, handle padding, handle dilation, std::int64_t groups) {
  return {to_ints(stride), to_ints(padding), to_ints(dilation), groups};
}

nn::Borders borders_of(const std::string& mode, const char* what) {
  if (mode == "valid") return nn::Borders::valid;
  if (mode == "ignore_borders") return nn::Borders::ignore;
  if (mode == "half") return nn::Borders::half;
  if (mode == "full") return nn::Borders::full;
  if (mode == "wrap_centered") return nn::Borders::wrap_centered;
  throw ValueError(
      fmt::format("{}: expected 'valid', 'ignore_borders', 'half', 'full' or "
                  "'wrap_centered' as mode, found '{}'",
                  what, mode));
}

}  // namespace

void add_images(nb::module_& networks) {
  networks.def("conv_transpose", [](handle x, handle w, handle stride, handle padding,
                                    handle dilation, std::int64_t groups, handle extra) {
    const Windows windows = windows_of(stride, padding, dilation, groups);
    const IntList more = to_ints(extra);
    return composed({x, w},
                    [&](Expressions e) { return nn::conv_transpose(e[0], e[1], windows, more); });
  });
  networks.def("unshared_conv", [](handle x, handle w, handle stride, handle padding,
                                   handle dilation, std::int64_t groups) {
    const Windows windows = windows_of(stride, padding, dilation, groups);
    return composed({x, w}, [&](Expressions e) { return nn::unshared_conv(e[0], e[1], windows); });
  });
  networks.def(
      "patches", [](handle x, handle size, handle stride, handle padding, handle dilation) {
        const Windows windows = windows_of(stride, padding, dilation, 1);
        const IntList list = to_ints(size);
        const Shape extents(list.begin(), list.end());
        return composed({x}, [&](Expressions e) { return nn::patches(e[0], extents, windows); });
      });
  networks.def("images2neibs", [](handle x, handle size, handle step, const std::string& mode) {
    const nn::Borders borders = borders_of(mode, "images2neibs");
    const IntList block = to_ints(size), apart = to_ints(step);
    return composed({x},
                    [&](Expressions e) { return nn::images2neibs(e[0], block, apart, borders); });
  });
  networks.def(
      "neibs2images", [](handle neibs, handle size, handle shape, const std::string& mode) {
        const nn::Borders borders = borders_of(mode, "neibs2images");
        const IntList block = to_ints(size);
        const ShapeArgument extents(shape);
        // With a dimension that only a call knows, the blocks are part of an expression.
        const nb::object rows = extents.symbolic ? wrap(expression(neibs)) : nb::borrow(neibs);
        return composed({rows}, [&](Expressions e) {
          return nn::neibs2images(e[0], block, extents.dims, borders);
        });
      });
  networks.def("bilinear_upsampling", [](handle x, handle ratio, handle step) {
    const IntList times = to_ints(ratio), apart = to_ints(step);
    return composed({x},
                    [&](Expressions e) { return nn::bilinear_upsampling(e[0], times, apart); });
  });
}

}  // namespace gnomon::python
