// Prints what stands between the header's functions and the native code.
#include "frontend/export/calls_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/module/cache_lines.h"
#include "frontend/export/header_text.h"
#include "frontend/export/weights_file.h"
#include "ir/op/representation.h"
#include "ir/text/text.h"
#include "runtime/hash_text.h"

namespace gnomon {

namespace {

// One function. Arguments have numbers in failures: arguments and results in order, then extents,
// then what else the header's functions take.
class CallsOfFunction {
 public:
  CallsOfFunction(const Interface& library, const WeightsLayout& layout, const InterfaceFunction& f)
      : library_(library), layout_(layout), f_(f) {
    for (const InterfaceArray& a : f.arguments) numbered_.push_back(a.name);
    for (const InterfaceArray& r : f.results) numbered_.push_back(r.name);
    first_extent_ = numbered_.size();
    numbered_.insert(numbered_.end(), f.extents.begin(), f.extents.end());
    own_ = numbered_.size();
    for (const char* name : {"dims", "args", "state", "work", "shapes", "threads", "gpu"})
      numbered_.emplace_back(name);
    if (f.reads(library)) numbered_.emplace_back("weights");
    for (const InterfaceCode& code : f.codes) plan_size_ = std::max(plan_size_, code.layout.size());
    for (std::size_t i = 0; i < f.outputs.size(); ++i)
      if (f.outputs[i].variable >= 0 && !f.outputs[i].in_place) {
        std::int64_t& end = is_number(f.outputs[i]) ? numbers_ : kept_;
        kept_at_.emplace_back(i, end);
        const Array value = variable(f.outputs[i]);
        end += bytes_in_lines(value.size(), value.dtype());
      }
    needs_arguments_ = std::ranges::any_of(f.planned, [](const std::string& text) {
      return text.find("args->") != std::string::npos;
    });
  }

  std::string text() const {
    return "\n// ---- " + f_.prefix + "\n\n" + tables() + planned() + plan() + counts() +
           (on_gpu() ? run_on_gpu() : run()) + message();
  }

 private:
  enum Own { dims, args, state, work, shapes, threads, gpu, weights };
  std::size_t number(Own what) const { return own_ + what; }
  bool on_gpu() const { return !library_.gpu.empty(); }
  Array variable(const InterfaceOutput& o) const {
    return library_.variables[static_cast<std::size_t>(o.variable)].get();
  }
  const std::string& variable_name(int number) const {
    return library_.state[static_cast<std::size_t>(number)].name;
  }
  // The result that an output is; null: the new value of a variable.
  const InterfaceArray* result(const InterfaceOutput& o) const {
    return o.result < 0 ? nullptr : &f_.results[static_cast<std::size_t>(o.result)];
  }
  // The number of the name of a result.
  std::size_t number_of_result(const InterfaceOutput& o) const {
    return f_.arguments.size() + static_cast<std::size_t>(o.result);
  }
  // Where the extents of output i stand behind those of the first, whatever the code.
  int shape_place(std::size_t i) const {
    const PlanLayout& layout = f_.codes[0].layout;
    return layout.shape(i) - layout.shape(0);
  }
  std::string dims_given() const { return f_.extents.empty() ? "" : "dims, "; }

  static std::string list(std::vector<std::string> items) {
    if (items.empty()) items.emplace_back("nullptr");
    return fmt::format("{}", fmt::join(items, ", "));
  }

  std::string tables() const {
    std::string text;
    std::vector<std::string> codes, names, checks;
    for (const InterfaceCode& code : f_.codes) {
      text += fmt::format(
          "extern \"C\" i32 {0}_plan(const i64*, i64*);\n"
          "extern \"C\" i32 {0}_run(const gnomon_services*, gnomon_context*, void* const*, "
          "const i64*, void*);\n{1}",
          code.prefix,
          f_.has_kernels
              ? fmt::format("extern \"C\" const gnomon_device_record {}_device;\n", code.prefix)
              : "");
      codes.push_back(fmt::format("{{{0}, {1}_plan, {1}_run, {2}, {3}}}", code.level, code.prefix,
                                  code.layout.shape(0), code.first_failure));
    }
    for (const std::string& name : numbered_) names.push_back(gnomon::quoted(name));
    for (const FailureMessage& failure : f_.failures)
      checks.push_back(gnomon::quoted(failure.text));
    return text + fmt::format(
                      "\nstatic const gn::FunctionCode {0}_codes[] = {{{1}}};\n"
                      "static const char* const {0}_names[] = {{{2}}};\n"
                      "static const char* const {0}_checks[] = {{{3}}};\n",
                      f_.prefix, fmt::join(codes, ",\n    "), list(names), list(checks));
  }

  // The extents that the plan reads, and the plan.
  std::string planned() const {
    std::string text = fmt::format(
        "\n// Plans a call; null and a failure when it cannot be.\n"
        "static const gn::FunctionCode* {0}_planned([[maybe_unused]] {1}, i64* extents, i64* plan, "
        "gn::CallFailure& failure) {{\n",
        f_.prefix, argument_parameters(f_));
    const auto refuse_if = [&](const std::string& condition, std::size_t argument,
                               const char* why) {
      text += fmt::format("  if ({}) return gn::refuse(failure, {}, gn::Wrong::{}), nullptr;\n",
                          condition, argument, why);
    };
    if (!f_.extents.empty()) refuse_if("dims == nullptr", number(dims), "null");
    if (needs_arguments_) refuse_if("args == nullptr", number(args), "null");
    for (std::size_t i = 0; i < f_.extents.size(); ++i)
      refuse_if(fmt::format("dims->{} < 0", f_.extents[i]), first_extent_ + i, "negative");
    for (std::size_t i = 0; i < f_.planned.size(); ++i)
      text += fmt::format("  extents[{}] = {};\n", i, f_.planned[i]);
    return text + check_sizes() +
           fmt::format(
               "  const gn::FunctionCode* const code = gn::code_for({0}_codes, {1}, failure);\n"
               "  if (code == nullptr) return nullptr;\n"
               "  if (const i32 check = code->plan(extents, plan))\n"
               "    return gn::set_check(failure, check, *code), nullptr;\n"
               "  return code;\n}}\n",
               f_.prefix, f_.codes.size());
  }

  // Where the extents of argument i begin among those of the plan.
  std::size_t extents_at(std::size_t i) const {
    std::size_t at = 0;
    for (std::size_t k = 0; k < i; ++k) at += native_rank(f_.arguments[k]);
    return at;
  }
  static std::size_t native_rank(const InterfaceArray& a) {
    return a.extents.size() + (native_parts(a.dtype) > 1 ? 1 : 0);
  }
  static std::string span_of(const std::string& first, const InterfaceArray& a) {
    return fmt::format("{}, {}, {}", first, native_rank(a), element_size(a));
  }
  std::string argument_span(std::size_t i) const {
    return span_of(fmt::format("extents + {}", extents_at(i)), f_.arguments[i]);
  }
  // Of output i; its extents stand in the plan.
  std::string output_span(std::size_t i, const InterfaceArray& a) const {
    return span_of(fmt::format("plan + code->shapes + {}", shape_place(i)), a);
  }

  std::string check_sizes() const {
    std::string text;
    for (std::size_t i = 0; i < f_.arguments.size(); ++i)
      if (!f_.arguments[i].by_value)
        text += fmt::format(
            "  if (gn::count_of({}) < 0) return gn::refuse(failure, {}, gn::Wrong::too_large), "
            "nullptr;\n",
            argument_span(i), i);
    return text;
  }

  std::string begin_plan() const {
    return fmt::format(
        "  i64 extents[{1}], plan[{2}];\n"
        "  const gn::FunctionCode* const code = {0}_planned({3}args, extents, plan, failed);\n",
        f_.prefix, std::max<std::size_t>(f_.planned.size(), 1), plan_size_, dims_given());
  }

  std::string plan() const {
    std::string fields;
    for (std::size_t i = 0; i < f_.outputs.size(); ++i) {
      const InterfaceArray* const r = result(f_.outputs[i]);
      for (std::size_t k = 0; r != nullptr && k < r->extents.size(); ++k)
        fields += fmt::format("  shapes->{}[{}] = plan[code->shapes + {}];\n", r->name, k,
                              shape_place(i) + static_cast<int>(k));
    }
    if (!on_gpu())
      fields += fmt::format("  shapes->workspace = gn::workspace_of(plan, threads) + {};\n", kept_);
    return fmt::format(
        "\nextern \"C\" i32 {0}_plan({1}{6}, {0}_shapes* shapes, {2}_failure* failure) "
        "{{\n"
        "  gn::CallFailure failed{{}};\n{3}"
        "  if (code == nullptr) return {2}_failed(failed, failure);\n"
        "  if (shapes == nullptr) {{\n    gn::refuse(failed, {4}, gn::Wrong::null);\n"
        "    return {2}_failed(failed, failure);\n  }}\n{5}"
        "  return 0;\n}}\n",
        f_.prefix, argument_parameters(f_), library_.name, begin_plan(), number(shapes), fields,
        on_gpu() ? "" : ", i32 threads");
  }

  std::string counts() const {
    std::string fields;
    std::size_t n = 0;
    for (std::size_t i = 0; i < f_.arguments.size(); ++i)
      fields += f_.arguments[i].by_value
                    ? fmt::format("  counts[{}] = 1;\n", n++)
                    : fmt::format("  counts[{}] = static_cast<u64>(gn::count_of({}));\n", n++,
                                  argument_span(i));
    for (std::size_t i = 0; i < f_.outputs.size(); ++i) {
      const InterfaceArray* const r = result(f_.outputs[i]);
      if (r == nullptr) continue;
      fields += r->late ? fmt::format("  counts[{}] = 0;\n", n++)
                        : fmt::format("  counts[{}] = static_cast<u64>(gn::count_of({}));\n", n++,
                                      output_span(i, *r));
    }
    return fmt::format(
        "\nextern \"C\" i32 {0}_counts({1}, size_t* counts, {2}_failure* failure) {{\n"
        "  gn::CallFailure failed{{}};\n{3}"
        "  if (code == nullptr) return {2}_failed(failed, failure);\n{4}  return 0;\n}}\n",
        f_.prefix, argument_parameters(f_), library_.name, begin_plan(), fields);
  }

  static std::string address(const InterfaceArray& a, const std::string& span, std::size_t number) {
    return fmt::format("gn::address_of(args->{}, {}, {}, failed{})", a.name, span, number,
                       a.on_gpu ? ", call.nothing()" : "");
  }
  std::string weight(std::size_t i) const {
    const auto number = static_cast<std::size_t>(f_.weights[i]);
    const std::string bytes =
        library_.has_weights_file
            ? fmt::format("gn::weight_at(weights, {})", layout_.weights[number])
            : fmt::format("const_cast<unsigned char*>({}_weight{})", library_.name, number);
    if (!on_gpu() || f_.of_host[f_.arguments.size() + i]) return bytes;
    return fmt::format("call.constant({}, {}{})", bytes, library_.weights[number].bytes(),
                       library_.has_weights_file ? ", gn::checksum_of(weights)" : "");
  }
  // Whether the host reads the old value of the variable with a number, which the GPU has.
  bool is_read_by_host(std::size_t i) const {
    return on_gpu() && f_.of_host[f_.arguments.size() + f_.weights.size() + i];
  }
  // Whether the host makes the new value of a variable.
  bool is_number(const InterfaceOutput& o) const { return on_gpu() && !o.on_gpu; }
  std::string old_value(std::size_t i) const {
    if (!is_read_by_host(i)) return fmt::format("state->{}", variable_name(f_.variables[i]));
    std::size_t before = 0;
    for (std::size_t k = 0; k < i; ++k) before += is_read_by_host(k);
    return fmt::format("old_numbers + {}", bytes_of_number * before);
  }
  const char* kept_base() const { return on_gpu() ? "kept" : "base + own"; }

  // The addresses that the code reads, in the order of its inputs and outputs.
  std::string buffers() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < f_.arguments.size(); ++i) {
      const InterfaceArray& a = f_.arguments[i];
      all.push_back(a.by_value ? fmt::format("const_cast<{}*>(&args->{})", a.element(), a.name)
                               : address(a, argument_span(i), i));
    }
    for (std::size_t i = 0; i < f_.weights.size(); ++i) all.push_back(weight(i));
    for (std::size_t i = 0; i < f_.variables.size(); ++i) all.push_back(old_value(i));
    for (std::size_t i = 0; i < f_.outputs.size(); ++i) all.push_back(output(i));
    return fmt::format("{}", fmt::join(all, ",\n      "));
  }

  std::string output(std::size_t i) const {
    const InterfaceOutput& o = f_.outputs[i];
    if (const InterfaceArray* const r = result(o))
      return r->late ? "nullptr" : address(*r, output_span(i, *r), number_of_result(o));
    if (o.in_place) return fmt::format("state->{}", variable_name(o.variable));
    const auto at = std::ranges::find(kept_at_, i, &std::pair<std::size_t, std::int64_t>::first);
    return fmt::format("{} + {}", is_number(o) ? "numbers" : kept_base(), at->second);
  }

  std::string late_results() const {
    std::vector<std::string> all;
    for (const InterfaceOutput& o : f_.outputs) {
      const InterfaceArray* const r = result(o);
      all.push_back(
          r && r->late ? fmt::format("{{args->{0}, args->{0}_capacity, args->{0}_shape, {1}, {2}}}",
                                     r->name, r->extents.size(), number_of_result(o))
                       : "{}");
    }
    return all.empty() ? "{}" : fmt::format("{}", fmt::join(all, ", "));
  }

  std::string commit() const {
    std::vector<std::string> copies;
    for (const auto& [i, at] : kept_at_) {
      const InterfaceOutput& o = f_.outputs[i];
      const std::string to = fmt::format("state->{}", variable_name(o.variable));
      const auto bytes = variable(o).bytes();
      copies.push_back(
          !on_gpu() ? fmt::format("__builtin_memcpy({}, base + own + {}, {})", to, at, bytes)
          : is_number(o)
              ? fmt::format("call.copy({}, numbers + {}, {}, GNOMON_TO_DEVICE)", to, at, bytes)
              : fmt::format("call.copy({}, kept + {}, {}, GNOMON_IN_DEVICE)", to, at, bytes));
    }
    if (copies.empty()) return {};
    constexpr const char* comment = "  // All variables change, or none does.\n";
    if (on_gpu())
      return fmt::format("{}  if (!({})) {}\n", comment, fmt::join(copies, " &&\n        "),
                         finish());
    return fmt::format("{}  {};\n", comment, fmt::join(copies, ";\n  "));
  }

  std::string finish() const {
    return fmt::format("return {}_failed(failed, failure);", library_.name);
  }
  std::string refused_if(const std::string& condition, Own what, const char* why) const {
    return fmt::format("  if ({}) {{\n    gn::refuse(failed, {}, gn::Wrong::{});\n    {}\n  }}\n",
                       condition, number(what), why, finish());
  }
  // The head of a call, up to its plan.
  std::string begin_run() const {
    std::string text =
        fmt::format("\nextern \"C\" i32 {}_run({}{}) {{\n  gn::CallFailure failed{{}};\n",
                    f_.prefix, argument_parameters(f_), run_parameters(library_, f_)) +
        refused_if("args == nullptr", args, "null");
    if (f_.reads(library_)) text += refused_if("weights == nullptr", weights, "null");
    if (!f_.variables.empty()) text += refused_if("state == nullptr", state, "null");
    if (on_gpu()) text += refused_if("gpu == nullptr", gpu, "null");
    return text + begin_plan() + "  if (code == nullptr) " + finish() + "\n";
  }
  // The addresses, and the results of which the call finds the extents.
  std::string prepared() const {
    return fmt::format(
        "  void* const buffers[] = {{\n      {}}};\n"
        "  if (failed.outcome != gn::Outcome::done) {}\n"
        "  const gn::LateResult late[] = {{{}}};\n",
        buffers(), finish(), late_results());
  }
  std::string finished() const {
    return fmt::format("  if (failed.outcome != gn::Outcome::done) {}\n", finish());
  }

  std::string run_on_gpu() const {
    std::string text = begin_run();
    text += fmt::format("  gn::GpuCall call(gpu, {}, stream, failed);\n",
                        &f_ - library_.functions.data());
    // Numbers among the variables come to the host, and go back with the others.
    std::string copies;
    std::size_t numbers = 0;
    for (std::size_t i = 0; i < f_.variables.size(); ++i) {
      if (!is_read_by_host(i)) continue;
      const int v = f_.variables[i];
      copies += fmt::format("  call.copy({}, state->{}, {}, GNOMON_TO_HOST);\n", old_value(i),
                            variable_name(v),
                            library_.variables[static_cast<std::size_t>(v)].get().bytes());
      ++numbers;
    }
    if (numbers > 0)
      text +=
          fmt::format("  alignas(64) char old_numbers[{}];\n{}", numbers * bytes_of_number, copies);
    if (numbers_ > 0) text += fmt::format("  alignas(64) char numbers[{}];\n", numbers_);
    if (std::ranges::any_of(kept_at_,
                            [&](const auto& at) { return !is_number(f_.outputs[at.first]); }))
      text += fmt::format("  char* const kept = static_cast<char*>(call.memory({}));\n", kept_);
    return text + prepared() + "  gn::run_on_gpu(*code, buffers, plan, call, late, failed);\n" +
           finished() + commit() + "  return 0;\n}\n";
  }

  std::string run() const {
    std::string text = begin_run();
    const auto refuse_if = [&](const std::string& condition, Own what, const char* why) {
      text += refused_if(condition, what, why);
    };
    text +=
        "  const auto* const lent = reinterpret_cast<const gn::CallerThreads*>(threads);\n"
        "  const i64 own = gn::workspace_of(plan, gn::threads_of(lent));\n";
    refuse_if("gn::threads_of(lent) > 1 && lent->parallel_for == nullptr", threads, "null");
    refuse_if("reinterpret_cast<u64>(work) % 64 != 0", work, "misaligned");
    text += fmt::format(
        "  if (static_cast<i64>(work_bytes) < own + {0}) {{\n"
        "    failed = {{gn::Outcome::no_workspace, 0, 0, own + {0} - static_cast<i64>(work_bytes), "
        "0}};\n    {1}\n  }}\n",
        kept_, finish());
    return text + "  [[maybe_unused]] char* const base = static_cast<char*>(work);\n" + prepared() +
           fmt::format(
               "  gn::run_code(*code, buffers, plan, base, static_cast<i64>(work_bytes), {}, lent, "
               "late, failed);\n",
               kept_) +
           finished() + commit() + "  return 0;\n}\n";
  }

  std::string message() const {
    return fmt::format(
        "\nextern \"C\" size_t {0}_message(const {1}_failure* failure, char* text, size_t size) "
        "{{\n"
        "  if (failure == nullptr) return gn::MessageText(text, size).finish();\n"
        "  const gn::CallFailure told{{static_cast<gn::Outcome>(failure->status), failure->check,\n"
        "                              failure->index, failure->value, failure->bound}};\n"
        "  return gn::describe(told, {0}_names, {2}, {0}_checks, {3}, text, size);\n}}\n",
        f_.prefix, library_.name, numbered_.size(), f_.failures.size());
  }

  const Interface& library_;
  const WeightsLayout& layout_;
  const InterfaceFunction& f_;
  std::vector<std::string> numbered_;
  std::size_t first_extent_ = 0, own_ = 0;
  int plan_size_ = 0;
  std::vector<std::pair<std::size_t, std::int64_t>>
      kept_at_;  // outputs, and places in what is kept until all is done
  std::int64_t kept_ = 0, numbers_ = 0;
  bool needs_arguments_ = false;

  static constexpr std::size_t bytes_of_number = 64;  // at the most, and aligned
};

// Tells the states of libraries from one another.
std::uint64_t layout_of(const Interface& library) {
  std::string text;
  for (const InterfaceArray& v : library.state) text += v.text() + ";";
  return hash_text(text);
}

std::string start_function(const Interface& library, const WeightsLayout& layout) {
  const bool has_file = library.has_weights_file;
  const std::string& name = library.name;
  std::string copies;
  for (std::size_t i = 0; i < library.state.size(); ++i)
    copies += fmt::format("  __builtin_memcpy(state->{}, {}, {});\n", library.state[i].name,
                          has_file ? fmt::format("gn::weight_at(weights, {})", layout.variables[i])
                                   : fmt::format("{}_first{}", name, i),
                          library.variables[i].get().bytes());
  if (!has_file)
    return fmt::format(
        "\nextern \"C\" void {0}_start({0}_state* state) {{\n"
        "  __builtin_memset(state, 0, sizeof *state);\n{1}}}\n",
        name, copies);
  return fmt::format(
      "\nextern \"C\" i32 {0}_start({0}_state* state, const {0}_weights* weights) {{\n"
      "  if (state == nullptr || weights == nullptr) return {1}_BAD_ARGUMENT;\n"
      "  __builtin_memset(state, 0, sizeof *state);\n{2}  return {1}_DONE;\n}}\n",
      name, library.capitals(), copies);
}

std::string state_functions(const Interface& library, const WeightsLayout& layout) {
  if (library.state.empty()) return {};
  return fmt::format(
      "{1}\n"
      "extern \"C\" i32 {0}_save(const {0}_state* state, const char* path) {{\n"
      "  return gn::save_state(state, sizeof *state, {2}ul, path) ? 0 : {3}_BAD_FILE;\n}}\n\n"
      "extern \"C\" i32 {0}_load({0}_state* state, const char* path) {{\n"
      "  return gn::load_state(state, sizeof *state, {2}ul, path) ? 0 : {3}_BAD_FILE;\n}}\n",
      library.name, start_function(library, layout), layout_of(library), library.capitals());
}

std::string weights_functions(const Interface& library, const WeightsLayout& layout) {
  if (!library.has_weights_file) return {};
  return fmt::format(
      "\nstatic const gn::WantedWeights {0}_wanted = {{{1}ul, {{{2}}}}};\n\n"
      "extern \"C\" i32 {0}_open(const void* bytes, size_t size, const {0}_weights** weights) {{\n"
      "  if (weights == nullptr) return {3}_BAD_ARGUMENT;\n"
      "  const gn::Opened found = gn::open_weights(bytes, size, {0}_wanted);\n"
      "  *weights = found == gn::Opened::done ? static_cast<const {0}_weights*>(bytes) : nullptr;\n"
      "  return static_cast<i32>(found);\n}}\n\n"
      "extern \"C\" i32 {0}_read(const char* path, void* memory, size_t size, "
      "const {0}_weights** weights) {{\n"
      "  if (weights == nullptr) return {3}_BAD_ARGUMENT;\n"
      "  const gn::Opened found = gn::read_weights(path, memory, size, {0}_wanted);\n"
      "  *weights = found == gn::Opened::done ? static_cast<const {0}_weights*>(memory) : "
      "nullptr;\n"
      "  return static_cast<i32>(found);\n}}\n",
      library.name, layout.bytes, fmt::join(layout.identity, ", "), library.capitals());
}

// Opens the kernels of all functions at once.
std::string gpu_functions(const Interface& library) {
  if (library.gpu.empty()) return {};
  std::vector<std::string> records;
  for (const InterfaceFunction& f : library.functions)
    records.push_back(f.has_kernels ? fmt::format("&{}_device", f.codes[0].prefix) : "nullptr");
  return fmt::format(
      "\nextern \"C\" i32 {0}_gpu_open({0}_gpu** gpu, {0}_failure* failure) {{\n"
      "  static const gnomon_device_record* const records[] = {{{1}}};\n"
      "  gn::CallFailure failed{{}};\n"
      "  if (gpu == nullptr)\n    gn::refuse(failed, -1, gn::Wrong::null);\n  else\n"
      "    *gpu = reinterpret_cast<{0}_gpu*>(gn::open_gpu(\"{2}\", records, {3}, failed));\n"
      "  return {0}_failed(failed, failure);\n}}\n\n"
      "extern \"C\" void {0}_gpu_close({0}_gpu* gpu) {{\n"
      "  gn::close_gpu(reinterpret_cast<gn::Gpu*>(gpu));\n}}\n",
      library.name, fmt::join(records, ", "),
      library.gpu == "sim" ? "libgnomon-sim.so" : "libcuda.so.1", records.size());
}

// Declares the arrays that are in the library.
std::string values_text(const Interface& library) {
  if (library.has_weights_file) return {};
  std::string text;
  for (std::size_t i = 0; i < library.weights.size(); ++i)
    text += fmt::format("extern \"C\" const unsigned char {}_weight{}[];\n", library.name, i);
  for (std::size_t i = 0; i < library.variables.size(); ++i)
    text += fmt::format("extern \"C\" const unsigned char {}_first{}[];\n", library.name, i);
  return text;
}

}  // namespace

Unit calls_unit(const Interface& library) {
  std::string text = fmt::format(
      "// What {0}.h declares: checks of arguments, the choice of code, memory and threads of the\n"
      "// caller.\n#include \"prelude/arithmetic.h\"\n#include \"prelude/{3}.h\"\n#include "
      "\"prelude/state.h\"\n{2}\n"
      "#pragma GCC visibility push(default)\n{1}#pragma GCC visibility pop\n\n"
      "using namespace gn;\n\n",
      library.name, header_text(library),
      library.has_weights_file ? "#include \"prelude/weights.h\"\n" : "",
      library.gpu.empty() ? "caller" : "gpu_caller");
  text += values_text(library);
  text += fmt::format(
      "\nstatic i32 {0}_failed(const gn::CallFailure& failed, {0}_failure* to) {{\n"
      "  const i32 status = static_cast<i32>(failed.outcome);\n"
      "  if (to != nullptr) *to = {{status, failed.check, failed.index, failed.value, "
      "failed.bound}};\n  return status;\n}}\n",
      library.name);
  const WeightsLayout layout = library.has_weights_file ? weights_layout(library) : WeightsLayout();
  for (const InterfaceFunction& f : library.functions)
    text += CallsOfFunction(library, layout, f).text();
  text += gpu_functions(library);
  return {"calls.cpp",
          text + state_functions(library, layout) + weights_functions(library, layout)};
}

}  // namespace gnomon
