// The entry of the one test executable; each subject has its own <subject>_test.cpp.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdlib>

// Before the library reads them: what tests compile is checked, and memory that is read before it
// is written shows.
[[gnu::constructor(101)]] static void check_everything() {
  setenv("GNOMON_VERIFY", "1", 0);
  setenv("GNOMON_POISON", "1", 0);
}
