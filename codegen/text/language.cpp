// The head of units, which is the same in all languages.
#include "codegen/text/language.h"

#include <fmt/format.h>

namespace gnomon {

std::string unit_head(const std::set<std::string>& headers) {
  std::string text =
      "#include \"prelude/kernel.h\"\n"
      "using gn::i8; using gn::i16; using gn::i32; using gn::i64;\n"
      "using gn::u8; using gn::u16; using gn::u32; using gn::u64; using gn::f32; using gn::f64;\n";
  for (const std::string& h : headers)  // kernel.h has those two
    if (!h.empty() && h != "arithmetic.h" && h != "lanes.h")
      text += fmt::format("#include \"prelude/{}\"\n", h);
  return text;
}

}  // namespace gnomon
