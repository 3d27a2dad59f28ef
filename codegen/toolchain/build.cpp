// Opens libgnomon-clang when something must be compiled, and runs its compilations side by side.
#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "codegen/clang/entry.h"
#include "codegen/cuda/nvrtc.h"
#include "codegen/toolchain/build.h"
#include "runtime/cache/cache_file.h"
#include "runtime/cache/own_libraries.h"
#include "runtime/error.h"

namespace gnomon {
namespace {

constexpr const char* library_name = "libgnomon-clang.so";

struct Toolchain {
  const ClangTable* table = nullptr;
  std::string reason;  // why there is none
};

Toolchain open_toolchain() {
  Toolchain found;
  found.reason =
      open_library(library_name, "GNOMON_CLANG_LIBRARY", clang_entry_name, [&](void* entry) {
        const ClangTable* table = reinterpret_cast<decltype(&gnomon_clang_entry)>(entry)();
        if (table->version == clang_entry_version) found.table = table;
        return found.table != nullptr;
      });
  return found;
}

const Toolchain& toolchain() {
  static const Toolchain opened = open_toolchain();
  return opened;
}

const ClangTable& clang_table() {
  const Toolchain& found = toolchain();
  if (!found.table) {
    throw CompileError(
        fmt::format("build: expected the compiler library {}, found none that opens; build Gnomon "
                    "with GNOMON_CLANG=ON, or install its libraries with `apt-get install "
                    "libclang-cpp19 libllvm19`, or name its file in GNOMON_CLANG_LIBRARY{}",
                    library_name, found.reason),
        {}, found.reason);
  }
  return *found.table;
}

/// Everything a unit may include, under the paths it includes it by.
struct Headers {
  std::vector<std::string> names;
  std::vector<ClangText> texts;

  Headers() {
    names.push_back("runtime/abi.h");
    for (const PreludeFile& file : prelude_files())
      names.push_back(fmt::format("prelude/{}", file.name));
    texts.push_back({names[0].c_str(), abi_header().data(), abi_header().size()});
    for (std::size_t i = 1; i < names.size(); ++i) {
      const std::string_view text = prelude_files()[i - 1].text;
      texts.push_back({names[i].c_str(), text.data(), text.size()});
    }
  }
};

ClangSettings settings_of(const BuildOptions& options) {
  static const Headers headers;
  if (options.opt_level < 0 || options.opt_level > 3) {
    throw ValueError(fmt::format("build: expected an optimisation level of 0 to 3, found {}",
                                 options.opt_level));
  }
  const bool apart = options.kind == ObjectKind::relocatable;
  return {options.cpu.c_str(), options.opt_level,    options.assembly,    options.llvm_ir, apart,
          options.own_prelude, headers.texts.data(), headers.texts.size()};
}

/// What one call into the library sends back. The sink's functions run below frames of LLVM, which
/// no exception may cross: they only note that memory ran out.
struct Answer {
  bool ok = false;
  bool out_of_memory = false;
  std::string object, assembly, llvm_ir, identity;
  std::vector<Diagnostic> diagnostics;

  ClangSink sink() { return {this, &take_output, &take_message}; }

 private:
  static void take_output(void* user, ClangOutput kind, const char* data, std::size_t size) {
    auto& answer = *static_cast<Answer*>(user);
    try {
      std::string& text = kind == ClangOutput::object     ? answer.object
                          : kind == ClangOutput::assembly ? answer.assembly
                          : kind == ClangOutput::llvm_ir  ? answer.llvm_ir
                                                          : answer.identity;
      text.assign(data, size);
    } catch (...) {
      answer.out_of_memory = true;
    }
  }

  static void take_message(void* user, const ClangMessage& m) {
    auto& answer = *static_cast<Answer*>(user);
    try {
      std::string_view file = m.file;
      if (file.starts_with("./")) file.remove_prefix(2);
      answer.diagnostics.push_back({static_cast<Diagnostic::Severity>(m.severity),
                                    std::string(file), m.line, m.column, m.text, m.source_line});
    } catch (...) {
      answer.out_of_memory = true;
    }
  }
};

struct Work {
  std::span<const Unit> units;
  const ClangSettings& settings;
  const ClangTable& table;
  std::vector<Answer>& answers;
  std::vector<std::size_t> order;  // the longest texts first, so that all threads end together
  std::atomic<std::size_t> next{0};
};

void* compile_units(void* argument) {
  auto& work = *static_cast<Work*>(argument);
  for (std::size_t n; (n = work.next.fetch_add(1)) < work.order.size();) {
    const std::size_t i = work.order[n];
    const Unit& unit = work.units[i];
    Answer& answer = work.answers[i];
    ClangSettings settings = work.settings;
    if (unit.is_usual && settings.opt_level == 2) settings.opt_level = 3;
    answer.ok = work.table.compile({unit.name.c_str(), unit.text.data(), unit.text.size()},
                                   settings, answer.sink());
  }
  return nullptr;
}

/// Compiles every unit on threads of their own: the compiler's recursion wants large stacks.
std::vector<Answer> compile_all(std::span<const Unit> units, const ClangSettings& settings,
                                int threads) {
  std::vector<Answer> answers(units.size());
  std::vector<std::size_t> order(units.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return units[a].text.size() > units[b].text.size();
  });
  Work work{units, settings, clang_table(), answers, std::move(order), {}};
  const std::size_t most =
      threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  std::vector<pthread_t> started(std::min(most, units.size()));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, clang_stack_bytes);
  std::size_t running = 0;
  while (running < started.size() &&
         pthread_create(&started[running], &attributes, compile_units, &work) == 0) {
    ++running;
  }
  pthread_attr_destroy(&attributes);
  if (running == 0) compile_units(&work);  // no thread to be had: this one must do
  for (std::size_t i = 0; i < running; ++i) pthread_join(started[i], nullptr);
  return answers;
}

std::string log_of(std::span<const Diagnostic> diagnostics) {
  std::string log;
  for (const Diagnostic& d : diagnostics) log += format(d);
  return log;
}

void check_answer(const Unit& unit, const Answer& answer) {
  if (answer.out_of_memory) throw DeviceError(fmt::format("build: out of memory in {}", unit.name));
  if (answer.ok) return;
  const auto first =
      std::find_if(answer.diagnostics.begin(), answer.diagnostics.end(),
                   [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; });
  const std::string what =
      first == answer.diagnostics.end()
          ? fmt::format("{}: no message", unit.name)
          : fmt::format("{}:{}:{}: {}", first->file.empty() ? unit.name : first->file, first->line,
                        first->column, first->text);
  throw CompileError(fmt::format("build: the compiler rejected {}", what), unit.text,
                     log_of(answer.diagnostics));
}

/// A file without a name, which goes with this object or the process, and can be opened at `path`.
class Nameless {
 public:
  explicit Nameless(std::string_view bytes) : file_(nameless_file(bytes, false)) {
    if (!file_) file_ = nameless_file(bytes, true);
    if (!file_) throw DeviceError("build: expected memory or a writable folder, found none");
  }
  std::string path() const { return fmt::format("/proc/self/fd/{}", file_.get()); }

 private:
  Descriptor file_;
};

/// Where the linker writes: a pipe that is read as it is filled. A file would need a name, and
/// would be left behind by a process that ends before the linker does.
class Received {
 public:
  Received() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) == 0) {
      from_ = Descriptor(ends[0]);
      to_ = Descriptor(ends[1]);
      wake_ = Descriptor(::eventfd(0, EFD_CLOEXEC));
    }
    try {
      if (!wake_ || ::fcntl(from_.get(), F_SETFL, O_NONBLOCK) != 0) throw std::system_error();
      reader_ = std::thread([this] { read(); });
    } catch (const std::system_error&) {
      throw DeviceError("build: expected a pipe and a thread for the linker, found none");
    }
  }
  ~Received() { finish(); }
  Received(const Received&) = delete;
  Received& operator=(const Received&) = delete;

  std::string path() const { return fmt::format("/proc/self/fd/{}", to_.get()); }
  /// What was written; the linker must have ended.
  std::vector<char> take() {
    finish();
    if (failed_) throw DeviceError("build: out of memory for what the linker made");
    return std::move(bytes_);
  }

 private:
  // Not by the end of the file: a process that was forked meanwhile may hold the pipe open.
  void finish() {
    if (!reader_.joinable()) return;
    ::eventfd_write(wake_.get(), 1);
    reader_.join();
  }
  void read() {
    pollfd both[] = {{from_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    bool ends = false;
    while (!ends) {
      if (::poll(both, 2, -1) < 0 && errno != EINTR) break;
      ends = (both[1].revents & POLLIN) != 0;  // all is written
      drain();
    }
  }
  void drain() {
    char block[1 << 16];
    for (ssize_t got; (got = ::read(from_.get(), block, sizeof block)) != 0;) {
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return;  // nothing more for now
      try {
        if (!failed_) bytes_.insert(bytes_.end(), block, block + got);
      } catch (const std::bad_alloc&) {
        failed_ = true;  // the rest is read all the same, for the linker waits for that
      }
    }
  }

  Descriptor from_, to_, wake_;
  std::vector<char> bytes_;
  bool failed_ = false;
  std::thread reader_;
};

// `words`: for the linker, beside the files.
std::vector<char> linked(std::span<const std::string_view> objects, ObjectKind kind,
                         std::span<const std::string> words = {}) {
  std::vector<Nameless> files;
  files.reserve(objects.size());
  std::vector<std::string> paths;
  for (const std::string_view object : objects) {
    files.emplace_back(object);
    paths.push_back(files.back().path());
  }
  std::vector<const char*> names;
  for (const std::string& path : paths) names.push_back(path.c_str());
  for (const std::string& word : words) names.push_back(word.c_str());
  Received output;
  Answer link;
  if (!clang_table().link(names.data(), names.size(), kind == ObjectKind::shared,
                          output.path().c_str(), link.sink())) {
    const std::string log = log_of(link.diagnostics);
    throw CompileError(fmt::format("build: the linker failed: {}", log), {}, log);
  }
  return output.take();
}

/// Symbols an object may leave to the C library: those the compiler itself calls for, each of which
/// has one right result, so that calling one cannot change a value; and of exported libraries those
/// for the files of a state, for what the processor has, and for the driver of a GPU.
constexpr std::array<std::string_view, 39> allowed_symbols = {
    "fopen",  "fclose", "fread",      "fwrite",    "remove",     "rename",    "memcpy", "memmove",
    "memset", "memcmp", "bcmp",       "fma",       "fmaf",       "floor",     "floorf", "ceil",
    "ceilf",  "trunc",  "truncf",     "rint",      "rintf",      "nearbyint", "sqrt",   "sqrtf",
    "fmod",   "fmodf",  "nearbyintf", "roundeven", "roundevenf", "getauxval", "prctl",  "dlopen",
    "dlsym",  "malloc", "free",       "fmin",      "fminf",      "fmax",      "fmaxf"};

/// What objects may leave to LAPACK and BLAS, behind the letter of a type.
constexpr std::array<std::string_view, 16> lapack_symbols = {
    "potrf_", "getrf_", "getrs_", "gbsv_", "gelqf_", "orglq_", "unglq_", "syevd_",
    "heevd_", "gesdd_", "gees_",  "geev_", "gges_",  "trsyl_", "trsm_",  "gemm_"};

bool is_of_lapack(std::string_view name) {
  return !name.empty() && std::string_view("sdcz").find(name[0]) != std::string_view::npos &&
         std::ranges::find(lapack_symbols, name.substr(1)) != lapack_symbols.end();
}

/// Names the symbols that nothing will define.
std::vector<std::string> undefined_symbols(std::span<const char> object, bool calls_lapack) {
  const auto read = [&]<class T>(std::uint64_t offset, T& value) {
    std::memcpy(&value, object.data() + offset, sizeof(T));
  };
  Elf64_Ehdr header;
  read(0, header);
  const std::uint32_t table = header.e_type == ET_DYN ? SHT_DYNSYM : SHT_SYMTAB;
  std::vector<std::string> names;
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section, strings;
    read(header.e_shoff + i * sizeof(Elf64_Shdr), section);
    if (section.sh_type != table) continue;
    read(header.e_shoff + section.sh_link * sizeof(Elf64_Shdr), strings);
    for (std::uint64_t at = sizeof(Elf64_Sym); at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      read(section.sh_offset + at, symbol);
      if (symbol.st_shndx != SHN_UNDEF) continue;
      const char* name = object.data() + strings.sh_offset + symbol.st_name;
      if (calls_lapack && is_of_lapack(name)) continue;
      if (std::find(allowed_symbols.begin(), allowed_symbols.end(), name) ==
          allowed_symbols.end()) {
        names.emplace_back(name);
      }
    }
  }
  return names;
}

void check_symbols(std::span<const char> object, const std::string& source,
                   bool calls_lapack = false) {
  const std::vector<std::string> missing = undefined_symbols(object, calls_lapack);
  if (!missing.empty())
    throw CompileError(fmt::format("build: expected every symbol to be defined, found {}",
                                   fmt::join(missing, ", ")),
                       source);
}

// PTX without the numbers of calls, which LLVM writes in comments: it counts on from text to text.
std::string without_call_numbers(std::string_view ptx) {
  constexpr std::string_view comment = " // callseq";
  std::string text;
  for (std::size_t at; (at = ptx.find(comment)) != ptx.npos;) {
    text += ptx.substr(0, at);
    ptx.remove_prefix(std::min(ptx.find('\n', at), ptx.size()));
  }
  return text.append(ptx);
}

}  // namespace

std::string format(const Diagnostic& d) {
  constexpr const char* words[] = {"note", "remark", "warning", "error"};
  std::string text;
  if (d.line > 0) text = fmt::format("{}:{}:{}: ", d.file, d.line, d.column);
  text += fmt::format("{}: {}\n", words[static_cast<int>(d.severity)], d.text);
  if (!d.source_line.empty()) {
    text += fmt::format("{}\n{:>{}}\n", d.source_line, "^", std::max(1, d.column));
  }
  return text;
}

bool toolchain_available() { return toolchain().table != nullptr; }

std::string toolchain_id(const BuildOptions& options) {
  Answer answer;
  clang_table().identify(settings_of(options), answer.sink());
  return answer.identity;
}

BuildResult build(std::span<const Unit> units, const BuildOptions& options) {
  if (units.empty()) throw ValueError("build: expected at least one unit, found none");
  std::vector<Answer> answers = compile_all(units, settings_of(options), options.threads);
  BuildResult result;
  for (std::size_t i = 0; i < units.size(); ++i) {
    check_answer(units[i], answers[i]);
    std::move(answers[i].diagnostics.begin(), answers[i].diagnostics.end(),
              std::back_inserter(result.diagnostics));
    if (options.assembly) result.assembly.push_back(std::move(answers[i].assembly));
    if (options.llvm_ir) result.llvm_ir.push_back(std::move(answers[i].llvm_ir));
  }
  std::vector<std::string_view> objects;
  for (const Answer& answer : answers) objects.push_back(answer.object);
  if (options.stage) options.stage("clang");
  result.object = linked(objects, options.kind);
  if (options.stage) options.stage("link");
  if (options.kind == ObjectKind::shared) {
    std::string source;
    for (const Unit& unit : units) source += unit.text;
    check_symbols(result.object, source);
  }
  return result;
}

std::vector<char> build_shared_object(std::span<const Unit> units, const BuildOptions& options) {
  return build(units, options).object;
}

std::string build_ptx(const Unit& unit, const std::string& gpu) {
  BuildOptions options;
  options.cpu = gpu;
  options.opt_level = 3;  // the lean passes are for kernels that name their lanes
  std::vector<Answer> answers = compile_all({&unit, 1}, settings_of(options), 1);
  check_answer(unit, answers[0]);
  return without_call_numbers(answers[0].assembly);
}

std::vector<char> build_device_image(const Unit& unit, const BuildOptions& options) {
  if (options.device != "sim" && options.device_compiler == "nvrtc") {
    std::string why;
    const auto code = nvrtc_ptx(unit.text, options.device, {}, &why);
    if (!code) throw CompileError("build: " + why, {}, {});
    return {code->begin(), code->end()};
  }
  if (options.device != "sim") {
    const std::string ptx = build_ptx(unit, options.device);
    return {ptx.c_str(), ptx.c_str() + ptx.size() + 1};
  }
  Unit simulated{unit.name,
                 "#define GNOMON_SIMULATED 1\n#include \"prelude/simulated.h\"\n" + unit.text};
  for (const std::string& kernel : unit.kernels)
    simulated.text += fmt::format("GN_SIMULATED({})\n", kernel);
  BuildOptions own;
  own.cpu = options.cpu;
  own.opt_level = std::min(options.opt_level, 1);
  own.own_prelude = true;
  return build({&simulated, 1}, own).object;
}

std::vector<char> link_objects(std::span<const std::vector<char>> objects, ObjectKind kind,
                               std::span<const std::string> needs) {
  std::vector<std::string_view> views;
  for (const std::vector<char>& object : objects) views.emplace_back(object.data(), object.size());
  // The linker asks for a library by the name that one says to have. These have that name alone.
  std::vector<std::vector<char>> named;
  if (kind == ObjectKind::shared && !needs.empty()) {
    const std::vector<std::string_view> own = views;
    for (const std::string& need : needs) {
      const std::string word = fmt::format("-soname=lib{}.so.3", need);
      named.push_back(linked(own, kind, {&word, 1}));
    }
    for (const std::vector<char>& one : named) views.emplace_back(one.data(), one.size());
  }
  std::vector<char> object = linked(views, kind);
  check_symbols(object, {}, !needs.empty());
  return object;
}

std::vector<char> archive_of(const std::string& name, std::span<const char> object) {
  Answer answer;
  if (!clang_table().archive({name.c_str(), object.data(), object.size()}, answer.sink()))
    throw CompileError("build: the static library could not be made", {},
                       log_of(answer.diagnostics));
  return {answer.object.begin(), answer.object.end()};
}

}  // namespace gnomon
