// Writes the files of a library.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "frontend/export/export_library.h"
#include "frontend/export/wheel.h"
#include "frontend/files/file.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

constexpr std::string_view kinds[] = {"o",    "a",   "so",   "whl", "cpp", "llvm-ir", "asm",
                                      "cuda", "ptx", "json", "ll",  "s",   "cu"};

// The extension of files of a kind, which is another name of it.
std::string_view extension_of(std::string_view kind) {
  if (kind == "llvm-ir") return "ll";
  if (kind == "asm") return "s";
  if (kind == "cuda") return "cu";
  return kind;
}

void write(const std::string& path, std::string_view bytes) {
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
  if (kind == "cu") return library.cuda;
  if (kind == "ptx") return library.ptx;
  if (kind == "json") return library.launches;
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
    return std::ranges::find(wanted, kind, extension_of) != wanted.end();
  };
  ptx = ptx || has("ptx");
  cuda = cuda || ptx || has("cu") || has("json");
  assembly = assembly || has("s");
  llvm_ir = llvm_ir || has("ll");
}

std::span<const std::string_view> library_kinds() { return kinds; }

std::vector<std::string> write_library(const ExportedLibrary& library, const std::string& into,
                                       std::span<const std::string> wanted,
                                       const std::string& weights) {
  if (weights.empty() != library.weights.empty())
    throw ValueError(weights.empty()
                         ? "export: expected a path for the weights, found none"
                         : fmt::format("export: {}: the weights are in the library", weights));
  for (const std::string& kind : wanted) {
    if (std::ranges::find(kinds, kind) == std::end(kinds))
      throw ValueError(fmt::format("export: expected one of {} as a kind of file, found {}",
                                   fmt::join(kinds, ", "), kind));
    if (kind == "whl") check_wheel(library);
  }
  const std::filesystem::path folder = into;
  std::vector<std::string> paths = {folder / (library.name + ".h")};
  std::vector<std::string_view> extensions = {"h"};
  for (const std::string& kind : wanted) {
    // A static library is found by the linker as -lNAME.
    const std::string_view before = kind == "a" || kind == "so" ? "lib" : "";
    const std::string_view extension = extension_of(kind);
    std::string path = kind == "whl"
                           ? wheel_path(library, folder)
                           : folder / fmt::format("{}{}.{}", before, library.name, extension);
    if (std::ranges::find(paths, path) != paths.end()) continue;  // by both of its names
    paths.push_back(std::move(path));
    extensions.push_back(extension);
  }
  const auto place = [](const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_normal();
  };
  for (const std::string& path : paths)
    if (!weights.empty() && place(weights) == place(path))
      throw ValueError(
          fmt::format("export: {}: expected another file for the weights than those "
                      "of the library",
                      weights));
  // Opened first and named last: if one of two folders is not there, the files stay as they were.
  std::optional<OutputFile> beside;
  if (!weights.empty()) beside.emplace(weights).write(view(library.weights));
  write(paths[0], library.header);
  if (beside) beside->finish();
  for (std::size_t i = 1; i < paths.size(); ++i) {
    if (extensions[i] == "whl")
      write_wheel(library, paths[i]);
    else
      write(paths[i], bytes_of(library, extensions[i]));
  }
  if (!weights.empty()) paths.push_back(weights);
  return paths;
}

}  // namespace gnomon
