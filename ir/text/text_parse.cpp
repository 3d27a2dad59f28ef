// Parsing of graphs.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "ir/graph/close.h"
#include "ir/graph/leaf.h"
#include "ir/op/numbers.h"
#include "ir/op/op.h"
#include "ir/text/lexer.h"
#include "ir/text/text.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

// Texts nest bodies and dimensions; deeper ones would exhaust the stack.
constexpr int max_depth = 100;

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options) : lexer_(text), options_(options) {}

  Graph parse() {
    const std::size_t at = lexer_.peek().at;
    Graph graph = this->graph();
    if (lexer_.peek().kind != Token::Kind::end) lexer_.fail_expected("the end");
    check(graph, at);
    return graph;
  }

 private:
  /// What names mean inside one graph.
  struct Scope {
    std::unordered_map<std::string, std::uint64_t> symbols;
    std::unordered_map<std::string, Value> nodes;
  };

  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > max_depth)
        parser_.lexer_.fail(parser_.lexer_.peek().at, "expected less nesting");
    }
    ~Deeper() { --parser_.depth_; }

   private:
    Parser& parser_;
  };

  void check(const Graph& graph, std::size_t at) {
    try {
      verify(graph);
    } catch (const InternalError& error) {
      lexer_.fail(at, error.what());
    }
  }

  // ---- words

  std::string name() {
    const Token::Kind kind = lexer_.peek().kind;
    if (kind != Token::Kind::name && kind != Token::Kind::string) lexer_.fail_expected("a name");
    return lexer_.take().text;
  }

  std::string string() {
    if (lexer_.peek().kind != Token::Kind::string) lexer_.fail_expected("a string");
    return lexer_.take().text;
  }

  template <class T>
  T unsigned_number(int base = 10) {
    if (lexer_.peek().kind != Token::Kind::number) lexer_.fail_expected("a number");
    const Token token = lexer_.take();
    std::string_view digits = token.text;
    if (base == 16 && digits.starts_with("0x")) digits.remove_prefix(2);
    T v{};
    std::from_chars_result result{};
    if constexpr (std::is_floating_point_v<T>) {
      result = std::from_chars(digits.data(), digits.data() + digits.size(), v);
    } else {
      result = std::from_chars(digits.data(), digits.data() + digits.size(), v, base);
    }
    if (result.ec != std::errc() || result.ptr != digits.data() + digits.size())
      lexer_.fail(token.at, fmt::format("expected a number that fits, found {}", token.text));
    return v;
  }

  std::int64_t integer() {
    const std::size_t at = lexer_.peek().at;
    const bool negative = lexer_.accept("-");
    const auto size = unsigned_number<std::uint64_t>();
    const auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (size > limit + (negative ? 1 : 0)) lexer_.fail(at, "expected a number that fits int64");
    return static_cast<std::int64_t>(negative ? 0 - size : size);
  }

  template <class T>
  T real() {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const bool negative = lexer_.accept("-");
    T v{};
    if (lexer_.accept("inf")) {
      v = std::numeric_limits<T>::infinity();
    } else if (lexer_.accept("nan")) {
      v = std::numeric_limits<T>::quiet_NaN();
      if (lexer_.accept("(")) {
        v = std::bit_cast<T>(unsigned_number<Bits>(16));
        lexer_.expect(")");
      }
    } else {
      v = unsigned_number<T>();
    }
    return negative ? -v : v;
  }

  bool flag() {
    if (lexer_.accept("true")) return true;
    if (lexer_.accept("false")) return false;
    lexer_.fail_expected("true or false");
  }

  DType dtype() {
    if (lexer_.peek().kind == Token::Kind::name)
      for (int i = 0; i < dtype_count; ++i)
        if (short_name_of(static_cast<DType>(i)) == lexer_.peek().text) {
          lexer_.take();
          return static_cast<DType>(i);
        }
    lexer_.fail_expected("a dtype");
  }

  /// Items between `open` and `close`, separated by commas.
  template <class F>
  void list(std::string_view open, std::string_view close, F&& item) {
    lexer_.expect(open);
    if (lexer_.accept(close)) return;
    do {
      item();
    } while (lexer_.accept(","));
    lexer_.expect(close);
  }

  // ---- dimensions and types

  Dim atom(const Scope& scope) {
    const std::size_t at = lexer_.peek().at;
    try {
      return atom_or_throw(scope);
    } catch (const Error& error) {
      if (std::string_view(error.what()).starts_with("text: ")) throw;  // it has its place
      lexer_.fail(at, error.what());
    }
  }

  Dim atom_or_throw(const Scope& scope) {
    const Deeper deeper(*this);
    if (lexer_.accept("(")) {
      const Dim d = dim(scope);
      lexer_.expect(")");
      return d;
    }
    switch (lexer_.peek().kind) {
      case Token::Kind::number: return unsigned_number<std::int64_t>();
      case Token::Kind::value: return Dim::value(value(scope));
      case Token::Kind::name: break;
      default: lexer_.fail_expected("a dimension");
    }
    const Token token = lexer_.take();
    if (const auto at = scope.symbols.find(token.text); at != scope.symbols.end())
      return Dim::symbol(at->second, token.text);
    const bool quotient = token.text == "floor";
    if (!quotient && token.text != "mod" && token.text != "min" && token.text != "max")
      lexer_.fail(token.at, "expected a symbol, found " + token.text);
    lexer_.expect("(");
    const Dim left = dim(scope);
    lexer_.expect(quotient ? "/" : ",");
    const Dim right = dim(scope);
    lexer_.expect(")");
    if ((quotient || token.text == "mod") && right.is(0))
      lexer_.fail(token.at, "expected a divisor other than 0");
    if (token.text == "min") return min(left, right);
    if (token.text == "max") return max(left, right);
    return quotient ? floor_div(left, right) : mod(left, right);
  }

  Dim product(const Scope& scope) {
    Dim d = atom(scope);
    while (lexer_.accept("*")) d = d * atom(scope);
    return d;
  }

  Dim dim(const Scope& scope) {
    Dim sum = lexer_.accept("-") ? -product(scope) : product(scope);
    while (true) {
      if (lexer_.accept("+")) {
        sum = sum + product(scope);
      } else if (lexer_.accept("-")) {
        sum = sum - product(scope);
      } else {
        return sum;
      }
    }
  }

  Shape shape(const Scope& scope) {
    Shape dims;
    list("[", "]", [&] { dims.push_back(dim(scope)); });
    return dims;
  }

  Type type(const Scope& scope) {
    Type t{dtype(), {}};
    if (lexer_.is("[")) t.shape = shape(scope);
    return t;
  }

  // ---- nodes

  Value value(const Scope& scope) {
    if (lexer_.peek().kind != Token::Kind::value) lexer_.fail_expected("a value");
    const Token token = lexer_.take();
    const std::size_t dot = std::min(token.text.find('.'), token.text.size());
    const auto at = scope.nodes.find(token.text.substr(0, dot));
    if (at == scope.nodes.end())
      lexer_.fail(token.at, "expected a value defined above, found " + token.text);
    std::uint32_t index = 0;
    if (dot != token.text.size()) {
      const char *first = token.text.data() + dot + 1,
                 *last = token.text.data() + token.text.size();
      const auto result = std::from_chars(first, last, index);
      if (result.ec != std::errc() || result.ptr != last ||
          index >= at->second.node().output_count())
        lexer_.fail(token.at, "expected an output of the node, found " + token.text);
    }
    return Value(at->second.get(), index);
  }

  Array array() {
    const std::size_t at = lexer_.peek().at;
    const DType t = dtype();
    std::vector<std::int64_t> extents;
    if (lexer_.is("[")) list("[", "]", [&] { extents.push_back(integer()); });
    if (lexer_.accept("@")) {
      const std::string name = string();
      if (!options_.read_array) lexer_.fail(at, "expected a reader for the array beside the text");
      Array array = options_.read_array(name, t, extents);
      if (!array.defined() || array.dtype() != t ||
          !std::equal(extents.begin(), extents.end(), array.shape().begin(), array.shape().end()))
        lexer_.fail(at, fmt::format("expected {} in {}", describe(t, extents), name));
      return array;
    }
    std::vector<Cell> cells;  // of complex numbers two each
    const DType part = part_of(t);
    list("{", "}", [&] {
      if (is_complex(t)) lexer_.expect("(");
      cells.push_back(element(part));
      if (!is_complex(t)) return;
      lexer_.expect(",");
      cells.push_back(element(part));
      lexer_.expect(")");
    });
    const std::size_t found = cells.size() / (is_complex(t) ? 2 : 1);
    std::int64_t count = 1;
    for (const std::int64_t extent : extents)
      if (extent < 0 || __builtin_mul_overflow(count, extent, &count))
        lexer_.fail(at, "expected extents that fit");
    if (count != static_cast<std::int64_t>(found))
      lexer_.fail(at, fmt::format("expected {} elements, found {}", count, found));
    Array array = Array::empty(t, extents);
    for (std::size_t i = 0; i < cells.size(); ++i)
      cell_store(part, array.data(), static_cast<std::int64_t>(i), cells[i]);
    return array;
  }

  Cell element(DType t) {
    return with_type(t, [&]<class T>(T) -> Cell {
      if constexpr (std::is_same_v<T, bool>) {
        return cell_make(flag());
      } else if constexpr (std::is_floating_point_v<T>) {
        return cell_make(real<T>());
      } else {
        const std::size_t at = lexer_.peek().at;
        if constexpr (std::is_unsigned_v<T>) {
          const auto v = unsigned_number<std::uint64_t>();
          if (std::in_range<T>(v)) return cell_make(static_cast<T>(v));
        } else {
          const std::int64_t v = integer();
          if (std::in_range<T>(v)) return cell_make(static_cast<T>(v));
        }
        lexer_.fail(at, fmt::format("expected a value of {}", name_of(t)));
      }
    });
  }

  Opaque opaque() {
    lexer_.expect("opaque");
    lexer_.expect("(");
    Opaque o;
    o.id = unsigned_number<std::uint64_t>();
    lexer_.expect(",");
    o.version = unsigned_number<std::uint64_t>();
    lexer_.expect(")");
    return o;
  }

  Attribute attribute(Attribute::Kind kind, const Scope& scope) {
    switch (kind) {
      case Attribute::Kind::integer: return integer();
      case Attribute::Kind::real: return real<double>();
      case Attribute::Kind::flag: return flag();
      case Attribute::Kind::dtype: return dtype();
      case Attribute::Kind::int_list: {
        IntList ints;
        list("[", "]", [&] { ints.push_back(integer()); });
        return ints;
      }
      case Attribute::Kind::dim_list: return shape(scope);
      case Attribute::Kind::string: return string();
      case Attribute::Kind::body: return body();
      case Attribute::Kind::array: return array();
      case Attribute::Kind::opaque: return opaque();
    }
    return 0;
  }

  Body body() {
    const std::size_t at = lexer_.peek().at;
    Graph inner = graph();
    if (!options_.untrusted) return intern_body(std::move(inner));
    check(inner, at);
    for (const Result& result : inner.results)
      if (!result.name.empty() || result.updates >= 0)
        lexer_.fail(at, "expected a body without names of outputs and updates");
    try {
      return intern_body(closed_again(inner));
    } catch (const TypeError& error) {
      lexer_.fail(at, error.what());
    }
  }

  void node(Scope& scope) {
    if (lexer_.peek().kind != Token::Kind::value) lexer_.fail_expected("a line of the graph");
    const Token target = lexer_.take();
    lexer_.expect("=");
    const std::size_t at = lexer_.peek().at;
    const std::string op_name = name();
    const Op* op = options_.find_op ? options_.find_op(op_name) : nullptr;
    if (op == nullptr || (options_.untrusted && is_leaf(*op) && op != &op::param))
      lexer_.fail(at, "expected an op, found " + op_name);
    lexer_.expect("(");
    std::vector<Value> operands;
    if (lexer_.peek().kind == Token::Kind::value) {
      do {
        operands.push_back(value(scope));
      } while (lexer_.accept(","));
      if (op->attributes.count > 0) lexer_.expect(";");
    }
    Attributes attributes;
    for (const AttributeSpec& spec : op->attributes) {
      if (!attributes.empty()) lexer_.expect(",");
      lexer_.expect(spec.name);
      lexer_.expect("=");
      attributes.push_back(attribute(spec.kind, scope));
    }
    lexer_.expect(")");
    Value made;
    try {
      made = make_node(*op, std::move(operands), std::move(attributes));
    } catch (const Error& error) {
      lexer_.fail(at, error.what());
    }
    lexer_.expect(":");
    check_types(made.node(), scope);
    if (!scope.nodes.emplace(target.text, made).second)
      lexer_.fail(target.at, "expected a new value, found " + target.text);
  }

  void check_types(const Node& node, const Scope& scope) {
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (i != 0) lexer_.expect(",");
      const std::size_t at = lexer_.peek().at;
      const Type stated = type(scope);
      if (!(stated == node.type(i)))
        lexer_.fail(at, fmt::format("expected {}, found {}", node.type(i).text(), stated.text()));
    }
  }

  // ---- graphs

  Graph graph() {
    const Deeper deeper(*this);
    Graph g;
    Scope scope;
    lexer_.expect("graph");
    if (lexer_.is("[")) {
      list("[", "]", [&] {
        const std::size_t at = lexer_.peek().at;
        g.symbols.push_back(name());
        if (!scope.symbols.emplace(g.symbols.back(), g.symbols.size() - 1).second)
          lexer_.fail(at, "expected a new symbol, found " + g.symbols.back());
      });
    }
    list("(", ")", [&] {
      Parameter p;
      p.shared = lexer_.accept("shared");
      p.name = name();
      lexer_.expect(":");
      p.type = type(scope);
      g.parameters.push_back(std::move(p));
    });
    lexer_.expect("{");
    while (!lexer_.is("check") && !lexer_.is("return")) node(scope);
    while (lexer_.accept("check")) {
      EntryCheck check;
      check.left = dim(scope);
      lexer_.expect("==");
      check.right = dim(scope);
      check.message = string();
      check.is_index = lexer_.accept("index");
      g.checks.push_back(std::move(check));
    }
    results(g, scope);
    return g;
  }

  void results(Graph& g, const Scope& scope) {
    lexer_.expect("return");
    if (lexer_.accept("}")) return;
    do {
      Result result;
      if (lexer_.peek().kind != Token::Kind::value) {
        result.name = name();
        lexer_.expect(":");
      }
      g.outputs.push_back(value(scope));
      if (lexer_.accept("->")) {
        const auto updates = unsigned_number<std::uint16_t>();
        result.updates = updates;
      }
      g.results.push_back(std::move(result));
    } while (lexer_.accept(","));
    lexer_.expect("}");
  }

  Lexer lexer_;
  const ParseOptions& options_;
  int depth_ = 0;
};

}  // namespace

Graph parse_graph(std::string_view text, const ParseOptions& options) {
  return Parser(text, options).parse();
}

}  // namespace gnomon
