// Writes the stages of a compilation into a folder.
#include "frontend/dump.h"

#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <system_error>

#include "ir/text/text.h"
#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw DeviceError("dump: cannot write " + path.string());
}

// The name of a function as that of a folder: it may be any text, of a loaded file too, and must
// not lead elsewhere.
std::string folder_name(const std::string& function, const std::string& key) {
  std::string folder;
  for (const char c : function) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                       (c == '.' && !folder.empty());
    folder += plain ? c : '_';
  }
  return folder.empty() || folder.size() > 100 ? key.substr(0, 12) : folder;
}

}  // namespace

std::optional<std::filesystem::path> dump_folder_of(const std::string& function,
                                                    const std::string& key) {
  const auto folder = dump_folder();
  if (!folder) return std::nullopt;
  const std::filesystem::path to = std::filesystem::path(*folder) / folder_name(function, key);
  std::error_code error;
  std::filesystem::create_directories(to, error);
  if (error)
    throw DeviceError(fmt::format("dump: cannot make {}: {}", to.string(), error.message()));
  return to;
}

void dump(const std::filesystem::path& folder, const Graph& captured, const StageTexts& texts) {
  write_file(folder / "captured.gn", print_graph(captured));
  write_file(folder / "optimized.gn", texts.graph);
  write_file(folder / "module.txt", texts.module);
  write_file(folder / "source.cpp", texts.source);
  write_file(folder / "rewrites.txt", texts.rewrites);
}

}  // namespace gnomon
