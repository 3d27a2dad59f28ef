# Writes OUTPUT: gnomon::prelude_files(), the texts of FILES, and gnomon::abi_header(), that of ABI.
# Generated code knows the headers by their names alone, without the rooms that sources lie in.
# A string literal may hold 64 KiB at the least, and adjacent ones join: each file is cut in pieces.
function(literal path result)
  file(READ ${path} text)
  string(REGEX REPLACE "#include \"(stdlib/prelude|runtime)/[a-z]+/" "#include \"" text "${text}")
  string(REGEX REPLACE "#include \"runtime/(float_pair|freestanding|routines)" "#include \"\\1" text "${text}")
  set(pieces "")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND pieces "R\"~~(${piece})~~\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  # Its length is the compiler's to count, not a constant expression's.
  set(${result} "${pieces}\"\"sv" PARENT_SCOPE)
endfunction()

set(table "")
set(count 0)
list(SORT FILES COMPARE FILE_BASENAME)
set(last "")
foreach(file IN LISTS FILES)
  cmake_path(GET file FILENAME name)
  if(name STREQUAL last)
    message(FATAL_ERROR "Two headers of the prelude have the name ${name}")
  endif()
  set(last ${name})
  literal(${file} text)
  string(APPEND table "    {\"${name}\",\n${text}},\n")
  math(EXPR count "${count} + 1")
endforeach()
literal(${ABI} abi)
file(WRITE ${OUTPUT}
"// Generated: the texts that generated code may include.
#include <array>

#include \"codegen/toolchain/build.h\"

using namespace std::literals;

namespace gnomon {
namespace {
constexpr std::array<PreludeFile, ${count}> files{{
${table}}};
}  // namespace
std::span<const PreludeFile> prelude_files() { return files; }
std::string_view abi_header() {
  return ${abi};
}
}  // namespace gnomon
")
