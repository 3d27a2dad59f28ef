// Has Python trace a function of a program, and reads the graph that it leaves in a folder.
#include "tools/gnomon/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

namespace fs = std::filesystem;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_of_names(std::string_view text) {
  for (const char c : text)
    if (!is_letter(c) && std::isdigit(static_cast<unsigned char>(c)) == 0 && c != '.') return false;
  return !text.empty() && is_letter(text.front());
}

// Where the file or the module of a program ends.
std::size_t colon_of(std::string_view model) {
  if (const auto at = model.find(".py:"); at != std::string_view::npos) return at + 3;
  return model.find(':');
}

// A folder of one's own, which is removed with what is in it.
struct TemporaryFolder {
  fs::path path;
  TemporaryFolder() {
    std::string name = (temporary_folder() / "gnomon-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw DeviceError(fmt::format("cannot make a folder in {}: {}", temporary_folder().string(),
                                    std::strerror(errno)));
    path = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

// Ctrl-C ends the interpreter, and then this process, once the folder is gone.
struct InterruptsForChild {
  struct sigaction before{};
  InterruptsForChild() {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &before);
  }
  InterruptsForChild(const InterruptsForChild&) = delete;
  InterruptsForChild& operator=(const InterruptsForChild&) = delete;
  ~InterruptsForChild() { ::sigaction(SIGINT, &before, nullptr); }
};

// Runs the interpreter to its end; its status as of `waitpid`, or -1 with the reason in errno.
int run_interpreter(const std::string& python, const std::string& program, const fs::path& folder) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &interrupts);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::string words[] = {python, "-m", "gnomon._tools.programs", program, folder.string()};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                       words[3].data(), words[4].data(), nullptr};
  pid_t child = 0;
  const InterruptsForChild own;
  const int failed =
      ::posix_spawnp(&child, python.c_str(), &files, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    errno = failed;
    return -1;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}

std::optional<std::string> text_in(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

bool is_program(const std::string& model) {
  const std::size_t at = colon_of(model);
  if (at == std::string::npos || at + 1 >= model.size()) return false;
  const std::string_view place = std::string_view(model).substr(0, at);
  if (!place.ends_with(".py") && !is_of_names(place)) return false;
  const std::size_t name = model.find_first_not_of(' ', at + 1);
  if (name == std::string::npos || !is_letter(model[name])) return false;
  std::error_code ignored;
  return !fs::exists(model, ignored);
}

std::string function_name(const std::string& program) {
  std::string name = program.substr(colon_of(program) + 1);
  name = name.substr(0, name.find('('));
  name.erase(0, name.find_first_not_of(' '));
  name.erase(name.find_last_not_of(' ') + 1);
  return name.substr(name.rfind('.') + 1);
}

SavedGraph traced_program(const char* command, const std::string& program,
                          std::vector<std::string>& read) {
  const std::string python = environment("GNOMON_PYTHON").value_or("python3");
  std::optional<TemporaryFolder> folder(std::in_place);
  const int status = run_interpreter(python, program, folder->path);
  if (status < 0)
    throw ValueError(
        fmt::format("{}: expected the interpreter {} to trace {}, found none: {}; "
                    "GNOMON_PYTHON names another",
                    command, python, program, std::strerror(errno)));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) {
    folder.reset();
    ::signal(SIGINT, SIG_DFL);
    ::raise(SIGINT);
  }
  if (const auto error = text_in(folder->path / "error"))
    throw ValueError(fmt::format("{}: {}", command, *error));
  const auto files = text_in(folder->path / "files");
  if (!files || status != 0)
    throw ValueError(
        fmt::format("{}: expected the interpreter {} to trace {}, found that it ended "
                    "with {} {}; it needs the package gnomon, and GNOMON_PYTHON names "
                    "another",
                    command, python, program, WIFSIGNALED(status) ? "signal" : "status",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
  for (std::size_t at = 0; at < files->size();) {
    const std::size_t end = std::min(files->find('\n', at), files->size());
    read.emplace_back(files->substr(at, end - at));
    at = end + 1;
  }
  SavedGraph graph = read_graph(folder->path / "function.gn");
  graph.values.clear();  // its file goes with the folder
  return graph;
}

}  // namespace gnomon
