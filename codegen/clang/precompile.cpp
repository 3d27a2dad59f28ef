// A program of the build: writes the precompiled preludes of libgnomon-clang, and a source of them.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "codegen/clang/precompiled.h"
#include "codegen/toolchain/build.h"

namespace gnomon {

// This program has none yet.
std::span<const PrecompiledPrelude> precompiled_preludes() { return {}; }

namespace {

void take(void* user, ClangOutput, const char* data, std::size_t size) {
  static_cast<std::string*>(user)->assign(data, size);
}

void show(void*, const ClangMessage& m) {
  std::fprintf(stderr, "%s:%d:%d: %s\n", m.file, m.line, m.column, m.text);
}

// Writes <folder>/<cpu>.pch and describes it to the source.
bool write(const std::string& cpu, const std::string& folder, std::ofstream& source,
           std::string& table) {
  std::vector<std::string> names = {"runtime/abi.h"};
  for (const PreludeFile& file : prelude_files())
    names.push_back(std::string("prelude/").append(file.name));
  std::vector<ClangText> headers = {{names[0].c_str(), abi_header().data(), abi_header().size()}};
  for (std::size_t i = 1; i < names.size(); ++i) {
    const std::string_view text = prelude_files()[i - 1].text;
    headers.push_back({names[i].c_str(), text.data(), text.size()});
  }
  const ClangSettings settings{cpu.c_str(), 2,     false,          false,
                               false,       false, headers.data(), headers.size()};
  std::string bytes;
  std::uint64_t hash = 0;
  if (!precompile_prelude(settings, {&bytes, take, show}, &hash)) return false;
  const std::string path = folder + "/" + cpu + ".pch";
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
  std::string symbol = "gnomon_" + cpu;
  for (char& c : symbol)
    if (c == '-') c = '_';
  source << "asm(\".section .rodata\\n.balign 16\\n"
         << symbol << ":\\n.incbin \\\"" << path
         << "\\\"\\n.previous\\n\");\nextern \"C\" __attribute__((visibility(\"hidden\"))) "
         << "const char " << symbol << "[];\n";
  table += "    {\"" + cpu + "\", " + std::to_string(hash) + "u, " + symbol + ", " +
           std::to_string(bytes.size()) + "},\n";
  return true;
}

}  // namespace
}  // namespace gnomon

// Arguments: the source to write, the folder of the precompiled files, names of processors.
int main(int argc, char** argv) {
  std::ofstream source(argc > 2 ? argv[1] : "");
  source << "// Generated: the preludes that libgnomon-clang has parsed already.\n"
            "#include \"codegen/clang/precompiled.h\"\n\n";
  std::string table;
  for (int i = 3; i < argc; ++i)
    if (!gnomon::write(argv[i], argv[2], source, table)) return 1;
  source << "namespace gnomon {\nstd::span<const PrecompiledPrelude> precompiled_preludes() {\n"
            "  static constexpr PrecompiledPrelude all[] = {\n"
         << table << "  };\n  return all;\n}\n}  // namespace gnomon\n";
  return source.flush() ? 0 : 1;
}
