// Host versions of the prelude's functions, as records of elementwise ops name them.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include "ir/op/numbers.h"
#include "ir/op/op.h"
#include "runtime/arrays/dtype.h"
#include "runtime/error.h"

namespace gnomon::cells {

/// Which dtypes a function is made for.
enum class For { floats, numbers, integers, bits, all };

template <For which, class T>
inline constexpr bool is_made_for =
    which == For::all || (which == For::floats && std::is_floating_point_v<T>) ||
    (which == For::numbers && !std::is_same_v<T, bool>) ||
    (which == For::integers && std::is_integral_v<T> && !std::is_same_v<T, bool>) ||
    (which == For::bits && std::is_integral_v<T>);

/// Calls `f` on `count` cells of one dtype; the result has the type `f` returns.
template <For which, int count, auto f>
Cell call(DType t, std::span<const Cell> x) {
  return with_type(t, [&]<class T>(T) -> Cell {
    if constexpr (is_made_for<which, T>) {
      return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return cell_make(f(cell_get<T>(x[i])...));
      }(std::make_index_sequence<count>{});
    } else {
      throw InternalError("scalar function: no version for this dtype");
    }
  });
}

/// The same for functions whose first operand is a bool; `t` is the dtype of the others.
template <auto f>
Cell call_choice(DType t, std::span<const Cell> x) {
  return with_type(t, [&]<class T>(T) -> Cell {
    return cell_make(static_cast<T>(f(x[0].b, cell_get<T>(x[1]), cell_get<T>(x[2]))));
  });
}

}  // namespace gnomon::cells

/// The host version of prelude function gn::`name` over `count` operands.
#define GNOMON_HOST(which, count, name)                      \
  (::gnomon::cells::call<::gnomon::cells::For::which, count, \
                         [](auto... x) { return ::gn::name(x...); }>)
