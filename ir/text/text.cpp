// Printing of graphs.
#include "ir/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "ir/op/numbers.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

template <class T, class Bits>
std::string shortest(T v) {
  if (std::isnan(v)) {
    const Bits bits = std::bit_cast<Bits>(v);
    if (bits == std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN())) return "nan";
    return fmt::format("nan({:#x})", bits);
  }
  return fmt::format("{}", v);
}

bool is_identifier(std::string_view s) {
  if (s.empty()) return false;
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto part = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.'; };
  return letter(s[0]) && std::all_of(s.begin(), s.end(), part);
}

std::string name_text(const std::string& name) {
  return is_identifier(name) && name != "shared" ? name : quoted(name);
}

/// Names of symbols as identifiers, each once.
std::vector<std::string> unique_names(const std::vector<std::string>& names) {
  std::unordered_set<std::string> used = {"floor", "mod", "min", "max"};
  std::vector<std::string> unique;
  for (std::string name : names) {
    for (char& c : name)
      if (!is_identifier(std::string("x") + c)) c = '_';
    if (!is_identifier(name)) name = "s" + name;
    std::string candidate = name;
    for (int k = 1; !used.insert(candidate).second; ++k) candidate = fmt::format("{}_{}", name, k);
    unique.push_back(std::move(candidate));
  }
  return unique;
}

class Printer {
 public:
  Printer(const Graph& graph, const PrintOptions& options, const TextComments* comments, int depth)
      : graph_(graph),
        options_(options),
        comments_(comments),
        order_(graph.topological_order()),
        symbols_(unique_names(graph.symbols)),
        indent_(static_cast<std::size_t>(2 * depth), ' ') {
    for (std::size_t i = 0; i < order_.size(); ++i) position_.emplace(order_[i], i);
    if (comments_ == nullptr) return;
    // Lines that turn out to be one have the comments of the first that has some.
    for (const TextComments::OfNode& line : comments_->nodes)
      if (const TextComments::OfNode*& first = comments_of_[line.node];
          first == nullptr || is_bare(*first))
        first = &line;
  }

  std::string print() {
    out_ = "graph";
    if (!symbols_.empty()) out_ += fmt::format("[{}]", fmt::join(symbols_, ", "));
    out_ += '(';
    for (std::size_t i = 0; i < graph_.parameters.size(); ++i) {
      const Parameter& p = graph_.parameters[i];
      out_ += fmt::format("{}{}{}: {}", i == 0 ? "" : ", ", p.shared ? "shared " : "",
                          name_text(p.name), type(p.type));
    }
    out_ += ") {\n";
    for (const Node* node : order_) line(*node);
    for (std::size_t i = 0; i < graph_.checks.size(); ++i) {
      const EntryCheck& check = graph_.checks[i];
      const LineComments* comments =
          comments_ != nullptr && i < comments_->checks.size() ? &comments_->checks[i] : nullptr;
      above(comments);
      out_ += fmt::format("{}  check {} == {} {}{}{}\n", indent_, dim(check.left), dim(check.right),
                          quoted(check.message), check.is_index ? " index" : "",
                          behind(comments, check.origins));
    }
    results();
    if (comments_ != nullptr) lines(comments_->end);
    return out_ + indent_ + '}';
  }

 private:
  std::string value(const Value& v) const {
    const auto at = position_.find(v.get());
    const std::string number =
        at == position_.end() ? std::string("?") : fmt::format("{}", at->second);
    return v.index() == 0 ? '%' + number : fmt::format("%{}.{}", number, v.index());
  }

  std::string dim(const Dim& d) const {
    return d.text([this](const Atom& atom) {
      if (atom.kind == Atom::Kind::value) return value(*atom.scalar);
      return atom.number < symbols_.size() ? symbols_[atom.number] : '?' + atom.name;
    });
  }

  std::string shape(const Shape& dims) const {
    std::string text = "[";
    for (std::size_t i = 0; i < dims.size(); ++i) text += (i == 0 ? "" : ", ") + dim(dims[i]);
    return text + ']';
  }

  std::string type(const Type& t) const {
    return std::string(short_name_of(t.dtype)) + (t.shape.empty() ? "" : shape(t.shape));
  }

  // Lines of their own inside the graph.
  void lines(std::span<const std::string> comments) {
    for (const std::string& text : comments) out_ += fmt::format("{}  {}\n", indent_, text);
  }
  void above(const LineComments* comments) {
    if (comments != nullptr) lines(comments->above);
  }

  std::string behind(const LineComments* comments, std::span<const Origin> origins) const {
    if (options_.comments != nullptr)
      return comments == nullptr || comments->behind.empty() ? "" : "  " + comments->behind;
    if (!options_.origins || origins.empty()) return {};
    std::string text = "  #";
    for (const Origin& origin : origins) text += ' ' + origin.text();
    return text;
  }

  static bool is_bare(const TextComments::OfNode& line) {
    return line.comments.above.empty() && line.comments.behind.empty() && line.bodies.empty();
  }

  void line(const Node& node) {
    const auto at = comments_of_.find(&node);
    const TextComments::OfNode* const found = at == comments_of_.end() ? nullptr : at->second;
    const LineComments* const comments = found == nullptr ? nullptr : &found->comments;
    above(comments);
    std::string inside;
    for (const Value& operand : node.operands())
      inside += (inside.empty() ? "" : ", ") + value(operand);
    std::size_t i = 0, bodies = 0;
    for (const AttributeSpec& spec : node.op().attributes) {
      if (!inside.empty()) inside += i == 0 ? "; " : ", ";
      const Attribute& a = node.attribute(i++);
      const bool is_body = a.kind() == Attribute::Kind::body;
      const std::size_t k = is_body ? bodies++ : 0;
      inside += fmt::format(
          "{}={}", spec.name,
          is_body ? body(*a.body(),
                         found != nullptr && k < found->bodies.size() ? &found->bodies[k] : nullptr)
                  : attribute(a));
    }
    std::string types;
    for (const Type& t : node.types()) types += (types.empty() ? "" : ", ") + type(t);
    out_ += fmt::format("{}  %{} = {}({}): {}{}\n", indent_, position_.at(&node), node.op().name,
                        inside, types, behind(comments, graph_.origins_of(&node)));
  }

  std::string body(const Graph& graph, const TextComments* comments) const {
    return Printer(graph, options_, comments, static_cast<int>(indent_.size()) / 2 + 1).print();
  }

  std::string attribute(const Attribute& a) const {
    switch (a.kind()) {
      case Attribute::Kind::integer: return fmt::format("{}", a.integer());
      case Attribute::Kind::real: return float_text(a.real());
      case Attribute::Kind::flag: return a.flag() ? "true" : "false";
      case Attribute::Kind::dtype: return std::string(short_name_of(a.dtype()));
      case Attribute::Kind::int_list: return fmt::format("[{}]", fmt::join(a.ints(), ", "));
      case Attribute::Kind::dim_list: return shape(a.dims());
      case Attribute::Kind::string: return quoted(a.string());
      case Attribute::Kind::body: return body(*a.body(), nullptr);
      case Attribute::Kind::array: return array(a.array());
      case Attribute::Kind::opaque:
        return fmt::format("opaque({}, {})", a.opaque().id, a.opaque().version);
    }
    return {};
  }

  std::string array(const Array& a) const {
    std::string text(short_name_of(a.dtype()));
    if (a.rank() > 0) text += fmt::format("[{}]", fmt::join(a.shape(), ", "));
    bool whole = a.size() <= options_.inline_elements;
    if (!whole && options_.write_array) {
      if (const std::string name = options_.write_array(a); !name.empty())
        return text + '@' + quoted(name);
      whole = true;
    }
    const Array packed = a.contiguous();
    const std::int64_t shown = whole ? a.size() : 4;
    text += '{';
    for (std::int64_t i = 0; i < shown; ++i)
      text += (i == 0 ? "" : ", ") + element(a.dtype(), packed.data(), i);
    return text + (whole ? "}" : ", ...}");
  }

  /// Element `i`; a complex number as "(1, -2.5)".
  static std::string element(DType t, const void* data, std::int64_t i) {
    if (!is_complex(t)) return element(t, cell_load(t, data, i));
    const std::string re = element(part_of(t), cell_load(part_of(t), data, 2 * i));
    const std::string im = element(part_of(t), cell_load(part_of(t), data, 2 * i + 1));
    return fmt::format("({}, {})", re, im);
  }

  static std::string element(DType t, const Cell& cell) {
    return with_type(t, [&]<class T>(T) -> std::string {
      const T v = cell_get<T>(cell);
      if constexpr (std::is_floating_point_v<T>) {
        return float_text(v);
      } else if constexpr (std::is_same_v<T, bool>) {
        return v ? "true" : "false";
      } else {
        return fmt::format(
            "{}",
            static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(v));
      }
    });
  }

  void results() {
    const LineComments* const comments = comments_ == nullptr ? nullptr : &comments_->results;
    above(comments);
    out_ += indent_ + "  return";
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const Result result = i < graph_.results.size() ? graph_.results[i] : Result{};
      out_ += i == 0 ? " " : ", ";
      if (!result.name.empty()) out_ += name_text(result.name) + ": ";
      out_ += value(graph_.outputs[i]);
      if (result.updates >= 0) out_ += fmt::format(" -> {}", result.updates);
    }
    out_ += behind(comments, {}) + '\n';
  }

  const Graph& graph_;
  const PrintOptions& options_;
  const TextComments* comments_;  // of this graph, if there are any
  std::unordered_map<const Node*, const TextComments::OfNode*> comments_of_;
  std::vector<const Node*> order_;
  std::unordered_map<const Node*, std::size_t> position_;
  std::vector<std::string> symbols_;
  std::string indent_, out_;
};

}  // namespace

TextError::TextError(std::size_t line, std::size_t column, std::string message)
    : ValueError(fmt::format("text: line {}, column {}: {}", line, column, message)),
      line_(line),
      column_(column),
      message_(std::move(message)) {}

std::string float_text(double v) { return shortest<double, std::uint64_t>(v); }
std::string float_text(float v) { return shortest<float, std::uint32_t>(v); }

std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (const char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string print_graph(const Graph& graph, const PrintOptions& options) {
  std::string text;
  if (options.comments != nullptr)
    for (const std::string& line : options.comments->head) text += line + '\n';
  text += Printer(graph, options, options.comments, 0).print() + '\n';
  if (options.comments != nullptr)
    for (const std::string& line : options.comments->tail) text += line + '\n';
  return text;
}

}  // namespace gnomon
