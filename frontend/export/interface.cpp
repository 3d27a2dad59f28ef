// Names and extents of exported functions.
#include "frontend/export/interface.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>

#include "codegen/module/module.h"
#include "codegen/text/signature.h"
#include "codegen/text/spell.h"
#include "frontend/places.h"
#include "frontend/variable.h"
#include "ir/graph/leaf.h"
#include "ir/op/representation.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

// The open extents of a signature. Those that checks make equal have one name.
class OpenExtents {
 public:
  OpenExtents(const Graph& graph, std::size_t arguments) : graph_(graph) {
    for (const EntryCheck& check : graph.checks) settle(check.left, check.right);
    for (std::size_t i = 0; i < arguments; ++i)
      for (const Dim& d : graph.parameters[i].type.shape)
        resolved(d).for_each_atom([this](const AtomRef& atom) { name(*atom); });
  }

  const std::vector<std::string>& all() const { return all_; }

  /// The extent with the names; what stands before each one is `before`.
  std::string text(const Dim& d) {
    return resolved(d).text([this](const Atom& a) { return name(a); });
  }
  std::string code(const Dim& d, const std::string& before) {
    return spell(resolved(d), [&](const Atom& a) { return before + name(a); });
  }
  std::string python(const Dim& d) {
    return spell(
        resolved(d), [&](const Atom& a) { return "dims['" + name(a) + "']"; }, "{}({}, {})");
  }

 private:
  static bool is_symbol(const Dim& d) { return d.atom() && d.atom()->kind == Atom::Kind::symbol; }

  // Two extents that are equal: the constant or the earlier symbol stands for both.
  void settle(const Dim& left, const Dim& right) {
    Dim a = resolved(left), b = resolved(right);
    if (a == b) return;
    if (is_symbol(a) && (b.is_constant() || (is_symbol(b) && b.atom()->number < a.atom()->number)))
      std::swap(a, b);
    if (is_symbol(b) && (a.is_constant() || is_symbol(a))) known_.emplace(b.atom()->number, a);
  }

  Dim resolved(const Dim& d) const {
    return d.substitute([this](const Atom& atom) {
      if (atom.kind != Atom::Kind::symbol) return Dim::value(*atom.scalar);
      const auto known = known_.find(atom.number);
      return known == known_.end() ? Dim::symbol(atom.number, atom.name) : resolved(known->second);
    });
  }

  const std::string& name(const Atom& atom) {
    if (atom.kind == Atom::Kind::value) return value_;
    const auto [at, fresh] = names_.try_emplace(atom.number);
    if (fresh) {
      const std::string& wish = graph_.symbols[atom.number];
      at->second = taken_.fresh(wish.empty() ? "n" : wish);
      all_.push_back(at->second);
    }
    return at->second;
  }

  const Graph& graph_;
  std::map<std::uint64_t, Dim> known_;
  std::map<std::uint64_t, std::string> names_;
  std::vector<std::string> all_;
  Names taken_;
  const std::string value_ = "?";  // of what the call computes
};

// What the header calls its own beside an argument, and words of C that C++ lets users have.
constexpr const char* reserved_names[] = {
    "dims_",    "state_", "work_", "threads_", "failure_", "args_", "counts_", "status_",
    "weights_", "detail", "gpu_",  "stream_",  "restrict", "linux", "unix",    "NULL"};

Names new_names() {
  Names names;
  for (const char* name : reserved_names) names.reserve(name);
  return names;
}

// Fields of a struct, whose names are those of the user or numbered ones.
InterfaceArray field(Names& names, const std::string& wish, const Type& type, OpenExtents& open) {
  InterfaceArray array{names.fresh(wish), type.dtype, {}, {}, false, false, false};
  for (const Dim& d : type.shape) array.extents.push_back(open.text(d));
  return array;
}

void add_arguments(InterfaceFunction& f, const Closed& closed, OpenExtents& open, Names& names) {
  for (std::size_t i = 0; i < closed.arguments; ++i) {
    const Parameter& p = closed.graph.parameters[i];
    f.arguments.push_back(
        field(names, p.name.empty() ? fmt::format("argument{}", i) : p.name, p.type, open));
    f.arguments.back().by_value = p.type.rank() == 0 && !is_complex(p.type.dtype);
    for (const Dim& d : p.type.shape) {
      f.planned.push_back(open.code(d, "dims->"));
      f.arguments.back().needed.push_back(open.python(d));
    }
    if (const int parts = native_parts(p.type.dtype); parts > 1)
      f.planned.push_back(std::to_string(parts));
  }
}

void add_extents_of(InterfaceFunction& f, const Array& value) {
  for (const std::int64_t n : value.shape()) f.planned.push_back(std::to_string(n));
  if (const int parts = native_parts(value.dtype()); parts > 1)
    f.planned.push_back(std::to_string(parts));
}

// Whether two arrays have the same type and bits.
bool are_same(const Array& a, const Array& b) {
  return a.dtype() == b.dtype() && std::ranges::equal(a.shape(), b.shape()) &&
         (a.data() == b.data() ||
          (a.is_contiguous() && b.is_contiguous() &&
           std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0));
}

int number_of_weight(Interface& library, const Array& value) {
  for (std::size_t i = 0; i < library.weights.size(); ++i)
    if (are_same(library.weights[i], value)) return static_cast<int>(i);
  library.weights.push_back(value);
  return static_cast<int>(library.weights.size()) - 1;
}

int number_of_variable(Interface& library, const Shared& variable) {
  const auto at = std::ranges::find(library.variables, variable);
  const auto number = static_cast<int>(at - library.variables.begin());
  if (at != library.variables.end()) return number;
  const std::string wish = variable.name().empty() ? "variable" : variable.name();
  if (std::ranges::count(variable.shape(), -1) != 0)
    throw ValueError(
        fmt::format("export: the variable {} has an extent that may change, which a "
                    "state of fixed size cannot hold",
                    wish));
  Names names = new_names();
  for (const InterfaceArray& taken : library.state) names.reserve(taken.name);
  InterfaceArray field{names.fresh(wish), variable.dtype(), {}, {}, false, false, false};
  for (const std::int64_t n : variable.shape()) field.extents.push_back(std::to_string(n));
  library.variables.push_back(variable);
  library.state.push_back(std::move(field));
  return number;
}

void add_outputs(InterfaceFunction& f, const Closed& closed, OpenExtents& open, Names& names) {
  const Graph& graph = closed.graph;
  const std::size_t first_variable = closed.arguments + closed.constants.size();
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    InterfaceOutput output;
    if (const int updates = graph.results[i].updates; updates >= 0) {
      output.variable = f.variables[static_cast<std::size_t>(updates) - first_variable];
    } else {
      const std::string wish = closed.results == 1 ? "result" : fmt::format("result{}", i);
      output.result = static_cast<int>(f.results.size());
      const std::string& name = graph.results[i].name;
      f.results.push_back(field(names, name.empty() ? wish : name, graph.outputs[i].type(), open));
    }
    f.outputs.push_back(output);
  }
}

}  // namespace

std::string InterfaceArray::text() const {
  const std::string type(short_name_of(dtype));
  return extents.empty() ? fmt::format("{}: {}", name, type)
                         : fmt::format("{}: {}[{}]", name, type, fmt::join(extents, ", "));
}

std::string InterfaceArray::element() const {
  switch (dtype) {
    case DType::float16:
    case DType::bfloat16: return "uint16_t";
    case DType::float32:
    case DType::complex64: return "float";
    case DType::float64:
    case DType::complex128: return "double";
    default: return is_bool(dtype) ? "uint8_t" : fmt::format("{}_t", name_of(dtype));
  }
}

std::size_t element_size(const InterfaceArray& array) { return size_of(part_of(array.dtype)); }

bool InterfaceFunction::reads(const Interface& library) const {
  return library.has_weights_file && !weights.empty();
}

std::string Interface::capitals() const {
  std::string text = name;
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

void add_function(Interface& library, const std::string& name, const Closed& closed) {
  InterfaceFunction f;
  f.prefix = name.empty() ? library.name : library.name + "_" + name;
  OpenExtents open(closed.graph, closed.arguments);
  f.extents = open.all();
  Names names = new_names();
  add_arguments(f, closed, open, names);
  for (const Array& value : closed.constants) {
    f.weights.push_back(number_of_weight(library, value));
    add_extents_of(f, value);
  }
  for (const Value& leaf : closed.shared) {
    const Shared variable = shared_of(leaf);
    f.variables.push_back(number_of_variable(library, variable));
    add_extents_of(f, variable.get());
  }
  add_outputs(f, closed, open, names);
  f.key = closed.graph.key();
  library.functions.push_back(std::move(f));
}

void add_code(InterfaceFunction& f, const Closed& closed, const Module& module,
              InterfaceCode code) {
  const bool first = f.codes.empty();
  code.layout = layout_of(module);
  code.first_failure = static_cast<int>(f.failures.size());
  f.codes.push_back(std::move(code));
  for (const FailureText& failure : module.failures)
    f.failures.push_back(failure_message(failure, closed.graph, closed.argument_origins));
  f.of_host.assign(f.arguments.size() + f.weights.size() + f.variables.size(), false);
  for (const Buffer& b : module.buffers) {
    if (b.role != Buffer::Role::parameter) continue;
    const auto number = static_cast<std::size_t>(b.number);
    f.of_host[number] = !b.is_on_device();
    if (number < f.arguments.size()) f.arguments[number].on_gpu = b.is_on_device();
  }
  for (std::size_t i = 0; i < f.outputs.size(); ++i) {
    InterfaceOutput& output = f.outputs[i];
    const Buffer& written = module.buffers[static_cast<std::size_t>(module.outputs[i])];
    output.on_gpu = written.is_on_device();
    output.in_place = output.variable >= 0 && module.over[i] >= 0 && (first || output.in_place);
    if (output.result < 0) continue;
    InterfaceArray& result = f.results[static_cast<std::size_t>(output.result)];
    result.on_gpu = written.is_on_device();
    result.late = module.is_late(written.shape);
  }
  if (!first) return;
  for (const int i : module.extent_parameters)
    f.planned.push_back(fmt::format("args->{}", f.arguments[static_cast<std::size_t>(i)].name));
}

}  // namespace gnomon
