// What the types of C++ ask of inputs and outputs.
#include "frontend/typed_function.h"

#include <fmt/format.h>

#include "runtime/error.h"

namespace gnomon::typed {

void expect(std::string_view what, std::span<const Expr> values,
            std::span<const TypedValue> wanted) {
  if (values.size() != wanted.size())
    throw TypeError(fmt::format("compile: expected {} {}s, as the signature has, found {}",
                                wanted.size(), what, values.size()));
  constexpr std::string_view kinds[] = {"a number", "a vector", "a matrix"};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TypedValue& w = wanted[i];
    const Expr& v = values[i];
    if (!w.is_any && (!v.defined() || v.dtype() != w.dtype || v.rank() != w.rank))
      throw TypeError(
          fmt::format("compile: {} {}: expected {} of {}, as the signature has, found {}", what, i,
                      kinds[w.rank], name_of(w.dtype), v.defined() ? describe(v) : "none"));
  }
}

}  // namespace gnomon::typed
