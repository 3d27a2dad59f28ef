// The module `gnomon`: what <gnomon/gnomon.h> has, but for macros.
module;

// All that the header includes of others, so that it is no part of the module.
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <ostream>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

export module gnomon;

#if defined(__clang__)
#pragma clang diagnostic ignored "-Winclude-angled-in-module-purview"
#endif
// Linked as what it is: the library is compiled without modules.
export extern "C++" {
#include "frontend/gnomon.h"
}
