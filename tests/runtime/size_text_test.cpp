// Numbers of bytes are written and read as people do.
#include "runtime/size_text.h"

#include <doctest/doctest.h>

using namespace gnomon;

TEST_CASE("sizes have the unit that keeps them short") {
  CHECK(size_text(0) == "0 bytes");
  CHECK(size_text(1023) == "1023 bytes");
  CHECK(size_text(1024) == "1 KiB");
  CHECK(size_text(1536) == "1.5 KiB");
  CHECK(size_text((1 << 20) - 1) == "1 MiB");
  CHECK(size_text(std::int64_t{5} << 40) == "5 TiB");
  CHECK(size_text(std::int64_t{3} << 51) == "6144 TiB");
}

TEST_CASE("sizes are read with any unit, and nothing else is") {
  CHECK(parse_size("0") == 0);
  CHECK(parse_size("4096") == 4096);
  CHECK(parse_size("12 bytes") == std::nullopt);
  CHECK(parse_size("12b") == 12);
  CHECK(parse_size("500M") == std::int64_t{500} << 20);
  CHECK(parse_size("1.5 GiB") == std::int64_t{3} << 29);
  CHECK(parse_size("2kb") == 2048);
  CHECK(parse_size("1T") == std::int64_t{1} << 40);
  for (const char* text :
       {"", "M", "-1", "5parsecs", "1e3", "nan", "inf", "1 G extra", "1iB", "99999999999T", "0x10"})
    CHECK_MESSAGE(!parse_size(text), text);
  for (const std::int64_t bytes : {std::int64_t{1} << 10, std::int64_t{3} << 19})
    CHECK(parse_size(size_text(bytes)) == bytes);
}
