# Writes OUTPUT: gnomon::build_id(), a hash of the version of Clang, CLANG, and of the files named,
# one a line, in LIST.
file(STRINGS ${LIST} files)
list(SORT files)
set(digests "${CLANG}\n")
foreach(file IN LISTS files)
  file(SHA256 ${file} digest)
  cmake_path(GET file FILENAME name)
  string(APPEND digests "${name} ${digest}\n")
endforeach()
string(SHA256 id "${digests}")
string(SUBSTRING ${id} 0 32 id)
file(WRITE ${OUTPUT}
"// Generated: the hash of the sources this library was built from.
#include \"codegen/toolchain/build.h\"

namespace gnomon {
const char* build_id() { return \"${id}\"; }
}  // namespace gnomon
")
