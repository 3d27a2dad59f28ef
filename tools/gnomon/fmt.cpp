// gnomon fmt: the canonical text of files of graphs.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "frontend/files/file.h"
#include "frontend/files/graph_file.h"
#include "runtime/error.h"
#include "tools/gnomon/cache_text.h"
#include "tools/gnomon/command.h"

namespace gnomon {

namespace {

struct FmtArguments {
  std::vector<std::string> paths;
  bool write = false, check = false, json = false;
};

int run(const FmtArguments& arguments) {
  // All are read before one is written: after an error, all files are as they were.
  std::vector<std::string> texts;
  std::vector<std::size_t> others;  // that are not canonical
  for (const std::string& path : arguments.paths) {
    texts.push_back(canonical_text(path));
    const InputFile file(path);
    if (file.text(0, file.size()) != texts.back()) others.push_back(texts.size() - 1);
  }
  if (arguments.write) {
    for (const std::size_t i : others) {
      // The file a link leads to, so that the link stays.
      OutputFile file(std::filesystem::canonical(arguments.paths[i]));
      file.write(texts[i]);
      file.finish();
    }
  }
  if (arguments.json) {
    auto files = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < texts.size(); ++i)
      files.push_back({{"path", arguments.paths[i]},
                       {"canonical", std::ranges::find(others, i) == others.end()}});
    fmt::print("{}\n", object_text({{"files", files}, {"written", arguments.write}}));
  } else if (arguments.write || arguments.check) {
    for (const std::size_t i : others) fmt::print("{}\n", arguments.paths[i]);
  } else {
    for (const std::string& text : texts) fmt::print("{}", text);
  }
  return arguments.check && !others.empty() ? failed : done;
}

}  // namespace

void add_fmt(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"gnomon fmt model.gn", "prints the text as Gnomon lays it out"},
      {"gnomon fmt --write model.gn", "gives the file that text, after it was edited"},
      {"gnomon fmt --check *.gn", "names the files that have another text"},
  };
  const auto arguments = std::make_shared<FmtArguments>();
  CLI::App& command = line.add(
      line.app, "fmt",
      "lays out the text of files of graphs\n"
      "Values are numbered anew, lines that nothing needs are left out, and the checksum is that "
      "of the text. Comments in the graph are kept, and the arrays beside the file are as they "
      "were.",
      examples);
  command.add_option("FILE", arguments->paths, "files .gn")->required()->type_name("FILE");
  CLI::Option* const write =
      command.add_flag("--write", arguments->write, "writes the files, and prints which changed");
  command
      .add_flag("--check", arguments->check,
                "prints which files would change; then the exit status is 1")
      ->excludes(write);
  add_json(command, arguments->json);
  line.runs(command, [arguments] { return run(*arguments); });
}

}  // namespace gnomon
