// Functions in files with the state beside them: the lines before the graph, its text, the arrays.
// The first two lines are made right, so that mutants get behind them; the first byte says whether
// the function has arrays.
#include "frontend/files/graph_file.h"

#include <fmt/format.h>

#include "frontend/files/file.h"
#include "frontend/gnomon.h"
#include "runtime/error.h"
#include "tests/fuzz/folder.h"

using namespace gnomon;

namespace {

// Shared variables and a large constant, whose values are in a file beside the graph.
std::string_view values_of_all() {
  static const std::string bytes = [] {
    const fuzz::Folder folder;
    const std::filesystem::path path = folder.path() / "values.npz";
    save_values(
        path, {{"shared_0", zeros({3})}, {"constant_0", zeros({300})}, {"argument_0", zeros({2})}});
    const InputFile file(path);
    return file.text(0, file.size());
  }();
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  static const std::filesystem::path values = folder.with("f.npz", values_of_all());
  static const std::string values_line =
      fmt::format("# values: {:08x} npz\n", crc32_of(values_of_all()));
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::filesystem::path path = folder.with(
      "f.gn",
      fmt::format("# gnomon graph, format 1\n{}{}", data[0] % 2 == 1 ? values_line : "", text));
  const std::filesystem::path again = folder.path() / "again.gn";
  SavedGraph read;
  try {
    read = read_graph(path);
    write_graph(again, read);  // refuses checks that contradict one another, as compile() does
  } catch (const InternalError&) {
    std::abort();
  } catch (const Error&) {
    return 0;
  }
  const SavedGraph second = read_graph(again);
  if (second.inputs.size() != read.inputs.size() || second.outputs.size() != read.outputs.size() ||
      second.updates.size() != read.updates.size())
    std::abort();
  return 0;
}
