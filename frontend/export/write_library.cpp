// Writes the files of a library.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "frontend/export/export_library.h"
#include "frontend/export/wheel.h"
#include "frontend/files/file.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

constexpr std::string_view kinds[] = {"o", "a", "so", "whl", "cpp", "ll", "s"};

void write(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.finish();
}

std::string_view view(const std::vector<char>& bytes) { return {bytes.data(), bytes.size()}; }

// The texts of all units, each under its name.
std::string texts(const ExportedLibrary& library, const std::string ExportedUnit::* what,
                  std::string_view comment) {
  std::string all;
  for (const ExportedUnit& u : library.units) {
    all += fmt::format("{} ---- {} for {}\n{}\n", comment, u.unit.name, u.target,
                       what != nullptr ? u.*what : u.unit.text);
  }
  return all;
}

std::string bytes_of(const ExportedLibrary& library, std::string_view kind) {
  if (kind == "o") return std::string(view(library.object));
  if (kind == "a") return std::string(view(library.archive()));
  if (kind == "so") return std::string(view(library.shared()));
  if (kind == "ll") return texts(library, &ExportedUnit::llvm_ir, ";");
  if (kind == "s") return texts(library, &ExportedUnit::assembly, "#");
  return texts(library, nullptr, "//");
}

}  // namespace

void ExportOptions::ask_for(std::span<const std::string> wanted) {
  const auto has = [&](std::string_view kind) {
    return std::ranges::find(wanted, kind) != wanted.end();
  };
  assembly = assembly || has("s");
  llvm_ir = llvm_ir || has("ll");
}

std::span<const std::string_view> library_kinds() { return kinds; }

std::vector<std::filesystem::path> write_library(const ExportedLibrary& library,
                                                 const std::filesystem::path& folder,
                                                 std::span<const std::string> wanted) {
  for (const std::string& kind : wanted) {
    if (std::ranges::find(kinds, kind) == std::end(kinds))
      throw ValueError(fmt::format("export: expected one of {} as a kind of file, found {}",
                                   fmt::join(kinds, ", "), kind));
    if (kind == "whl") check_wheel(library);
  }
  std::vector<std::filesystem::path> paths = {folder / (library.name + ".h")};
  write(paths[0], library.header);
  for (const std::string& kind : wanted) {
    if (kind == "whl") {
      paths.push_back(write_wheel(library, folder));
      continue;
    }
    // A static library is found by the linker as -lNAME.
    const std::string_view before = kind == "a" || kind == "so" ? "lib" : "";
    paths.push_back(folder / fmt::format("{}{}.{}", before, library.name, kind));
    write(paths.back(), bytes_of(library, kind));
  }
  return paths;
}

}  // namespace gnomon
