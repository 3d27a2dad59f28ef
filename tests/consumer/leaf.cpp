// A program that needs the smallest part of Gnomon there is.
#include <gnomon/gnomon.h>

int main() {
  auto g = gnomon::vector("x");
  return g.rank() == 1 ? 0 : 1;
}
