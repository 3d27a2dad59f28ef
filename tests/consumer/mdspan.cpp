// Elements as a std::mdspan, where the standard library has it.
#include <gnomon/gnomon.h>
#include <gnomon/mdspan.h>

double last_of(const gnomon::Array& a) {
  const auto m = gnomon::ElementView<const double, 2>(a).mdspan();
  return m[m.extent(0) - 1, m.extent(1) - 1];
}
