// Prints the header: what the library has once, then what each function has.
#include "frontend/export/header_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "frontend/export/weights_file.h"

namespace gnomon {

namespace {

constexpr const char* opening = R"(#ifndef @C_H
#define @C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define @C_ALIGNED alignas(64)
extern "C" {
#else
#define @C_ALIGNED _Alignas(64)
#endif

/* What the functions return. */
typedef enum @N_status {
  @C_DONE = 0,
  @C_BAD_ARGUMENT = 1,    /* null, not aligned, or with an extent that is negative or too large */
  @C_CHECK_FAILED = 2,    /* extents that do not fit each other, or an index out of range */
  @C_NO_WORKSPACE = 3,    /* `value`: bytes that are missing */
  @C_NO_CAPACITY = 4,     /* a result has `value` elements, and room for `bound` */
  @C_WRONG_PROCESSOR = 5, /* it lacks instructions that the library was built for */
  @C_BAD_FILE = 6,        /* none for this library, or it cannot be read or written */
  @C_TOO_LARGE = 7@S
} @N_status;

/* How a call failed: the function's message says it in words. */
typedef struct @N_failure {
  int32_t status, check;
  int64_t index, value, bound;
} @N_failure;
)";

// What ends the list of statuses, by whether there is a file of weights, and a GPU.
std::string last_statuses(const Interface& library) {
  std::vector<std::pair<std::string, std::string>> more;
  if (library.has_weights_file)
    more.emplace_back("OTHER_WEIGHTS = 8", "a file with the weights of other functions");
  if (!library.gpu.empty())
    more.emplace_back("GPU_FAILED = 9", "`value`: what its driver returned; -1 without a driver");
  std::string text =
      fmt::format("{}       /* an extent does not fit the integers of {} */",
                  more.empty() ? "  " : ", ", library.gpu.empty() ? "LAPACK and BLAS" : "a sort");
  for (std::size_t i = 0; i < more.size(); ++i)
    text += fmt::format("\n  @C_{:<18}{}/* {} */", more[i].first, i + 1 < more.size() ? ", " : "  ",
                        more[i].second);
  return text;
}

constexpr const char* threads_declaration = R"(
/* The caller's threads. `parallel_for` calls `body` for pieces that cover [0, count) once, with a
 * `worker` from 0 to threads - 1 that no other running piece has, and returns when all is done. A
 * piece of fewer than `grain` is not worth a thread. */
typedef struct @N_threads {
  void* pool;
  int32_t threads;
  void (*parallel_for)(void* pool, int64_t count, int64_t grain,
                       void (*body)(void* argument, int64_t lo, int64_t hi, int32_t worker),
                       void* argument);
} @N_threads;
)";

constexpr const char* gpu_declaration = R"(
/* The kernels, loaded into the context that was current: that of cudaSetDevice or cuCtxSetCurrent.
 * Calls need the same context, and so does what closes it, when the work of all calls is done. Any
 * number of threads may use it. */
typedef struct @N_gpu @N_gpu;
int32_t @N_gpu_open(@N_gpu** gpu, @N_failure* failure);
void @N_gpu_close(@N_gpu* gpu);
)";

constexpr const char* weights_declarations = R"(
/* The weights are a file of their own, of so many bytes. They are in memory of the caller, at an
 * address that 64 divides, and stay there, as they are, while calls use them@Y.
 * After a failure `weights` is null. */
#define @C_WEIGHTS_BYTES @B
typedef struct @N_weights @N_weights;
/* Checks a file that is in memory: one that is mapped, or a part of the program. */
int32_t @N_open(const void* bytes, size_t size, const @N_weights** weights);
/* Reads a file into `size` bytes of memory, and checks it. */
int32_t @N_read(const char* path, void* memory, size_t size, const @N_weights** weights);
)";

constexpr const char* start_without_file = R"(
/* Sets the variables to the values they had when the library was made. */
void @N_start(@N_state* state);
)";
constexpr const char* start_with_file = R"(
/* Sets the variables to the values that the file has for them. */
int32_t @N_start(@N_state* state, const @N_weights* weights);
)";
constexpr const char* state_declarations =
    R"(/* Writes the state to a file, whole or not at all, and reads it again. */
int32_t @N_save(const @N_state* state, const char* path);
int32_t @N_load(@N_state* state, const char* path);
)";

// Puts the library's name, N, its name in capitals, C, and what depends on whether it has a file of
// weights or a GPU into a text: the end of the statuses, S, what becomes of weights, Y, and the
// bytes of their file, B.
std::string with_names(std::string text, const Interface& library) {
  const bool has = library.has_weights_file;
  const std::pair<std::string_view, std::string> names[] = {
      {"@S", last_statuses(library)},
      {"@Y", library.gpu.empty() ? ": nothing is copied"
                                 : ";\n * what the GPU reads is copied once for each file"},
      {"@B", has ? std::to_string(weights_layout(library).bytes) : ""},
      {"@N", library.name},
      {"@C", library.capitals()}};
  for (const auto& [mark, name] : names)
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += name.size())
      text.replace(at, mark.size(), name);
  return text;
}

std::string elements_of(const InterfaceArray& a) {
  std::string product = is_complex(a.dtype) ? "2" : "";
  for (const std::string& n : a.extents) product += (product.empty() ? "" : " * ") + n;
  return product;
}

// A comment of what the array is, where the type in C does not say it.
std::string remark(const InterfaceArray& a) {
  std::string text = a.text();
  if (is_complex(a.dtype)) text += ", as pairs of real and imaginary part";
  if (is_half(a.dtype)) text += ", by its bits";
  if (a.on_gpu) text += ", in the memory of the GPU";
  return fmt::format("/* {} */", text);
}

// What is said of the variables of functions on a GPU.
constexpr const char* with_copy =
    ", as they begin and are in files. Calls take the address\n"
    " * of a copy of it in the memory of the GPU";

std::string state_struct(const Interface& library) {
  if (library.state.empty()) return {};
  std::string text = fmt::format("\n/* The variables of the functions{}. */\n",
                                 library.gpu.empty() ? "" : with_copy);
  text += "typedef struct @N_state {\n";
  for (const InterfaceArray& v : library.state) {
    const std::string count = elements_of(v);
    const bool none = std::ranges::find(v.extents, "0") != v.extents.end();
    text += fmt::format("  @C_ALIGNED {} {}[{}]; {}\n", v.element(), v.name,
                        none || count.empty() ? "1" : count, remark(v));
  }
  text += "} @N_state;\n";
  text += library.has_weights_file ? start_with_file : start_without_file;
  return text + state_declarations;
}

std::string argument_fields(const InterfaceFunction& f) {
  std::string text;
  for (const InterfaceArray& a : f.arguments)
    text += a.by_value ? fmt::format("  {} {}; {}\n", a.element(), a.name, remark(a))
                       : fmt::format("  const {}* {}; {}\n", a.element(), a.name, remark(a));
  for (const InterfaceArray& r : f.results) {
    text += fmt::format("  {}* {}; {}\n", r.element(), r.name, remark(r));
    if (r.late)
      text += fmt::format(
          "  int64_t {0}_capacity; /* elements there is room for */\n"
          "  int64_t* {0}_shape; /* set: the {1} extents */\n",
          r.name, r.extents.size());
  }
  return text.empty() ? "  char none;\n" : text;
}

std::string remark_on_late(const InterfaceFunction& f) {
  return std::ranges::any_of(f.results, &InterfaceArray::late)
             ? ", without what extents decide that only a call finds"
             : "";
}

std::string planned_for_processor(const InterfaceFunction& f) {
  return fmt::format(
      "  int64_t workspace; /* bytes */\n}} {0}_shapes;\n\n"
      "/* Finds the extents of the results, and the bytes of workspace that {0}_run takes with so\n"
      " * many threads{1}. */\n"
      "int32_t {0}_plan({2}, int32_t threads, {0}_shapes* shapes, @N_failure* failure);\n",
      f.prefix, remark_on_late(f), argument_parameters(f));
}

std::string planned_for_gpu(const Interface& library, const InterfaceFunction& f) {
  return fmt::format(
      "{3}}} {0}_shapes;\n\n/* Finds the extents of the results{1}. */\n"
      "int32_t {0}_plan({2}, {0}_shapes* shapes, {4}_failure* failure);\n",
      f.prefix, remark_on_late(f), argument_parameters(f),
      std::ranges::all_of(f.results, [](const InterfaceArray& r) { return r.extents.empty(); })
          ? "  char none;\n"
          : "",
      library.name);
}

std::string function_text(const Interface& library, const InterfaceFunction& f) {
  std::string text = fmt::format("\n/* ---- {}{} */\n", f.prefix, signature_text(f));
  if (!f.extents.empty())
    text += fmt::format("\ntypedef struct {0}_dims {{\n  int64_t {1};\n}} {0}_dims;\n", f.prefix,
                        fmt::join(f.extents, ", "));
  text +=
      fmt::format("\ntypedef struct {0}_args {{\n{1}}} {0}_args;\n", f.prefix, argument_fields(f));
  text += fmt::format(
      "\n/* The extents of the results, -1 where only a call finds them. */\n"
      "typedef struct {0}_shapes {{\n",
      f.prefix);
  for (const InterfaceArray& r : f.results)
    if (!r.extents.empty()) text += fmt::format("  int64_t {}[{}];\n", r.name, r.extents.size());
  text += library.gpu.empty() ? planned_for_processor(f) : planned_for_gpu(library, f);
  const std::string written = fmt::format(
      "Computes the results{}", f.variables.empty() ? "" : " and new values of variables");
  const std::string lost = fmt::format(
      "After a failure the results hold anything{}. */\n",
      f.variables.empty() ? "" : ",\n * and the variables have the values that they had");
  text += library.gpu.empty()
              ? fmt::format(
                    "/* {}. `work` is aligned to 64 bytes. `threads` and `failure`\n"
                    " * may be null. {}",
                    written, lost)
              : fmt::format(
                    "/* {}, behind what is queued in the stream, a CUstream or\n"
                    " * cudaStream_t. It waits for the stream where a number comes to the\n"
                    " * host, for a result, an extent, a condition or a check, and in the\n"
                    " * first call that needs a constant. `failure` may be null. {}",
                    written, lost);
  return text +
         fmt::format(
             "int32_t {0}_run({1}{2});\n"
             "/* Says how {0}_run or {0}_plan failed, as snprintf writes: at most `size` bytes "
             "with the\n"
             " * zero at the end. Returns the length of the whole message. */\n"
             "size_t {0}_message(const @N_failure* failure, char* text, size_t size);\n",
             f.prefix, argument_parameters(f), run_parameters(library, f));
}

// A function that takes spans and looks whether they are as long as the extents say. What it names
// itself ends in an underscore: see `reserved_names`.
class SpanFunction {
 public:
  SpanFunction(const Interface& library, const InterfaceFunction& f) : library_(library), f_(f) {
    if (!f.extents.empty()) parameters_.push_back(fmt::format("const {}_dims& dims_", f.prefix));
    for (const InterfaceArray& a : f.arguments) add(a, "const ");
    for (const InterfaceArray& r : f.results) add(r, "");
    if (f.reads(library)) parameters_.emplace_back("const @N_weights* weights_");
    const bool on_gpu = !library.gpu.empty();
    if (!f.variables.empty())
      parameters_.emplace_back(on_gpu ? "@N_state* state_" : "@N_state& state_");
    if (on_gpu) {
      parameters_.emplace_back("const @N_gpu* gpu_");
      parameters_.emplace_back("void* stream_");
    } else {
      parameters_.emplace_back("std::span<std::byte> work_");
      parameters_.emplace_back("const @N_threads* threads_ = nullptr");
    }
    parameters_.emplace_back("@N_failure* failure_ = nullptr");
  }

  std::string text() const {
    const bool is_whole = f_.prefix == library_.name;
    const std::string name = is_whole ? "run" : f_.prefix.substr(library_.name.size() + 1);
    const std::string dims = f_.extents.empty() ? "" : "&dims_, ";
    const bool on_gpu = !library_.gpu.empty();
    return fmt::format(
        "\n/// {0}_run with spans; one of another length than the extents say is a bad argument.\n"
        "inline std::int32_t {1}({2}) noexcept {{\n"
        "  {0}_args args_{{}};\n{3}  std::size_t counts_[{4}];\n"
        "  if (const std::int32_t status_ = {0}_counts({5}&args_, counts_, failure_)) return "
        "status_;\n{6}"
        "  return {0}_run({5}&args_{7}, {8}, failure_);\n}}\n",
        f_.prefix, name, fmt::join(parameters_, ", "), fields_, std::max(number_, 1), dims, checks_,
        std::string(f_.reads(library_) ? ", weights_" : "") + (f_.variables.empty() ? ""
                                                               : on_gpu             ? ", state_"
                                                                                    : ", &state_"),
        on_gpu ? "gpu_, stream_" : "work_.data(), work_.size(), threads_");
  }

 private:
  void add(const InterfaceArray& a, const char* before) {
    if (a.by_value) {
      parameters_.push_back(fmt::format("{} {}", a.element(), a.name));
      fields_ += fmt::format("  args_.{0} = {0};\n", a.name);
    } else {
      parameters_.push_back(fmt::format("std::span<{}{}> {}", before, a.element(), a.name));
      fields_ += fmt::format("  args_.{0} = {0}.data();\n", a.name);
      a.late ? add_late(a) : add_check(a);
    }
    ++number_;
  }
  void add_late(const InterfaceArray& a) {
    parameters_.push_back(
        fmt::format("std::span<std::int64_t, {}> {}_shape", a.extents.size(), a.name));
    fields_ += fmt::format(
        "  args_.{0}_capacity = static_cast<std::int64_t>({0}.size());\n"
        "  args_.{0}_shape = {0}_shape.data();\n",
        a.name);
  }
  void add_check(const InterfaceArray& a) {
    checks_ +=
        fmt::format("  if ({}.size() != counts_[{}]) return detail::wrong_size(failure_, {});\n",
                    a.name, number_, number_);
  }

  const Interface& library_;
  const InterfaceFunction& f_;
  std::vector<std::string> parameters_;
  std::string fields_, checks_;
  int number_ = 0;
};

std::string spans(const Interface& library) {
  std::string text =
      "\n#if defined(__cplusplus) && __cplusplus >= 202002L && __has_include(<span>)\n"
      "#include <cstddef>\n#include <cstdint>\n#include <span>\n\nnamespace @N {\n"
      "namespace detail {\ninline std::int32_t wrong_size(@N_failure* failure, std::int64_t index) "
      "noexcept {\n  if (failure != nullptr) *failure = {@C_BAD_ARGUMENT, 4, index, 0, 0};\n"
      "  return @C_BAD_ARGUMENT;\n}\n}  // namespace detail\n";
  for (const InterfaceFunction& f : library.functions) text += SpanFunction(library, f).text();
  return text + "\n}  // namespace @N\n#endif\n";
}

}  // namespace

std::string signature_text(const InterfaceFunction& f) {
  std::vector<std::string> in, out;
  for (const InterfaceArray& a : f.arguments) in.push_back(a.text());
  for (const InterfaceArray& r : f.results) out.push_back(r.text());
  return fmt::format(
      "({}) -> {}", fmt::join(in, ", "),
      out.empty() ? "new values of variables" : fmt::format("{}", fmt::join(out, ", ")));
}

std::string argument_parameters(const InterfaceFunction& f) {
  return (f.extents.empty() ? "" : fmt::format("const {}_dims* dims, ", f.prefix)) +
         fmt::format("const {}_args* args", f.prefix);
}

std::string run_parameters(const Interface& library, const InterfaceFunction& f) {
  return (f.reads(library) ? fmt::format(", const {}_weights* weights", library.name) : "") +
         (f.variables.empty() ? "" : fmt::format(", {}_state* state", library.name)) +
         (library.gpu.empty()
              ? fmt::format(",\n    void* work, size_t work_bytes, const {}_threads* threads",
                            library.name)
              : fmt::format(",\n    const {}_gpu* gpu, void* stream", library.name)) +
         fmt::format(", {}_failure* failure", library.name);
}

std::string header_text(const Interface& library) {
  std::string text =
      "/* " + library.name + ".h: written by Gnomon, to be read and not edited.\n *\n";
  for (const InterfaceFunction& f : library.functions)
    text += fmt::format(" * {}{}\n", f.prefix, signature_text(f));
  text += library.gpu.empty()
              ? " *\n * The functions throw nothing, allocate nothing and keep nothing between "
                "calls; any\n * number of threads may call them at once. Arrays are C-contiguous.\n"
              : fmt::format(
                    " *\n * The functions run on {}. They throw nothing, and any number of threads "
                    "may call\n * them at once. Arrays are C-contiguous. What calls work in is the "
                    "driver's memory for\n * the stream (cuMemAllocAsync).\n",
                    library.gpu == "sim" ? "the simulated device"
                                         : fmt::format("a GPU of {}{}", library.gpu,
                                                       library.runs_on_newer ? " or newer" : ""));
  if (!library.needs.empty())
    text += fmt::format(
        " *\n * Programs link what the functions call: -l{}. Its integers have 32 bits; it must "
        "be\n"
        " * right when several threads call it, as those that are lent do.\n",
        fmt::join(library.needs, " -l"));
  text += " */\n";
  text += opening;
  text += library.gpu.empty() ? threads_declaration : gpu_declaration;
  if (library.has_weights_file) text += weights_declarations;
  text += state_struct(library);
  for (const InterfaceFunction& f : library.functions) {
    text += function_text(library, f);
    text += fmt::format(
        "/* How many elements each array must have, a complex number counting as two. */\n"
        "int32_t {0}_counts({1}, size_t* counts, @N_failure* failure);\n",
        f.prefix, argument_parameters(f));
  }
  text += "\n#ifdef __cplusplus\n}\n#endif\n" + spans(library) + "\n#endif\n";
  return with_names(std::move(text), library);
}

}  // namespace gnomon
