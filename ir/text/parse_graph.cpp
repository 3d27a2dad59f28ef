// Parsing of graphs: their signatures, lines of nodes, checks and results.
#include <fmt/format.h>

#include "ir/graph/close.h"
#include "ir/graph/leaf.h"
#include "ir/op/op.h"
#include "ir/text/parse_array.h"
#include "ir/text/parse_types.h"
#include "ir/text/text.h"
#include "ir/text/words.h"
#include "runtime/error.h"
#include "runtime/suggestion.h"

namespace gnomon {

namespace {

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options) : lexer_(text), options_(options) {}

  Graph parse() {
    const std::size_t at = lexer_.peek().at;
    TextComments comments;
    comments.head = lexer_.take_comments(at);
    Graph graph = this->graph(1, comments);
    if (lexer_.peek().kind != Token::Kind::end) lexer_.fail_expected("the end");
    comments.tail = lexer_.take_comments(lexer_.peek().at);
    if (options_.comments != nullptr) *options_.comments = std::move(comments);
    check(graph, at);
    return graph;
  }

 private:
  void check(const Graph& graph, std::size_t at) {
    try {
      verify(graph);
    } catch (const InternalError& error) {
      lexer_.fail(at, error.what());
    }
  }

  // ---- graphs

  Graph graph(int depth, TextComments& comments) {
    expect_shallow(lexer_, depth);
    Graph g;
    Scope scope;
    scope.depth = depth;
    lexer_.expect("graph");
    signature(g, scope);
    lexer_.expect("{");
    while (!lexer_.is("check") && !lexer_.is("return")) node(scope, comments);
    while (lexer_.is("check")) {
      LineComments& line = comments.checks.emplace_back();
      begin(line);
      lexer_.expect("check");
      EntryCheck check;
      check.left = parse_dim(lexer_, scope);
      lexer_.expect("==");
      check.right = parse_dim(lexer_, scope);
      check.message = read_string(lexer_);
      check.is_index = lexer_.accept("index");
      g.checks.push_back(std::move(check));
      end(line);
    }
    results(g, scope, comments);
    return g;
  }

  void signature(Graph& g, Scope& scope) {
    if (lexer_.is("[")) {
      read_list(lexer_, "[", "]", [&] {
        const std::size_t at = lexer_.peek().at;
        g.symbols.push_back(read_name(lexer_));
        if (!scope.symbols.emplace(g.symbols.back(), g.symbols.size() - 1).second)
          lexer_.fail(at, "expected a new symbol, found " + g.symbols.back());
      });
    }
    read_list(lexer_, "(", ")", [&] {
      Parameter p;
      p.shared = lexer_.accept("shared");
      p.name = read_name(lexer_);
      lexer_.expect(":");
      p.type = parse_type(lexer_, scope);
      g.parameters.push_back(std::move(p));
    });
  }

  void results(Graph& g, const Scope& scope, TextComments& comments) {
    begin(comments.results);
    lexer_.expect("return");
    if (!lexer_.is("}")) outputs(g, scope);
    end(comments.results);
    comments.end = lexer_.take_comments(lexer_.peek().at);
    lexer_.expect("}");
  }

  void outputs(Graph& g, const Scope& scope) {
    do {
      Result result;
      if (lexer_.peek().kind != Token::Kind::value) {
        result.name = read_name(lexer_);
        lexer_.expect(":");
      }
      g.outputs.push_back(parse_value(lexer_, scope));
      if (lexer_.accept("->")) result.updates = read_unsigned<std::uint16_t>(lexer_);
      g.results.push_back(std::move(result));
    } while (lexer_.accept(","));
  }

  // ---- comments

  // Those in front of the line that begins.
  void begin(LineComments& line) { line.above = lexer_.take_comments(lexer_.peek().at); }
  // Those inside the line, which then stand above it.
  void inside(LineComments& line, std::size_t before) {
    for (std::string& text : lexer_.take_comments(before)) line.above.push_back(std::move(text));
  }
  // What is left inside the line that has ended, and the one behind it.
  void end(LineComments& line) {
    inside(line, lexer_.end());
    line.behind = lexer_.take_comment_behind();
  }

  // ---- nodes

  void node(Scope& scope, TextComments& comments) {
    constexpr std::string_view other_lines[] = {"check", "return"};
    if (lexer_.peek().kind != Token::Kind::value)
      lexer_.fail_expected("a line of the graph", other_lines);
    TextComments::OfNode line;
    begin(line.comments);
    const Token target = lexer_.take();
    if (target.text.size() == 1 || target.text.find('.') != std::string::npos)
      lexer_.fail(target.at, "expected a value as %0, found " + Lexer::shown(target));
    lexer_.expect("=");
    const std::size_t at = lexer_.peek().at;
    const Token name = lexer_.peek();
    const std::string op_name = read_name(lexer_);
    const Op* op = options_.find_op ? options_.find_op(op_name) : nullptr;
    if (op == nullptr || !is_allowed(*op)) fail_op(name);
    lexer_.expect("(");
    std::vector<Value> operands;
    if (lexer_.peek().kind == Token::Kind::value) {
      do {
        operands.push_back(parse_value(lexer_, scope));
      } while (lexer_.accept(","));
    }
    Attributes attributes = this->attributes(*op, !operands.empty(), scope, line);
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
      lexer_.fail(target.at, "expected a new value, found " + Lexer::shown(target));
    end(line.comments);
    line.node = &made.node();
    comments.nodes.push_back(std::move(line));
  }

  bool is_allowed(const Op& op) const {
    return !options_.untrusted || !is_leaf(op) || &op == &op::param;
  }

  [[noreturn]] void fail_op(const Token& name) {
    std::vector<std::string_view> names;
    for (const Op* op : all_ops())
      if (is_allowed(*op)) names.push_back(op->name);
    lexer_.fail(name.at, fmt::format("expected an op, found {}{}", Lexer::shown(name),
                                     suggestion(name.text, names)));
  }

  void check_types(const Node& node, const Scope& scope) {
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (i != 0) lexer_.expect(",");
      const std::size_t at = lexer_.peek().at;
      const Type stated = parse_type(lexer_, scope);
      if (!(stated == node.type(i)))
        lexer_.fail(at, fmt::format("expected {}, found {}", node.type(i).text(), stated.text()));
    }
  }

  // ---- attributes

  // All that the op has, in its order.
  Attributes attributes(const Op& op, bool has_operands, const Scope& scope,
                        TextComments::OfNode& line) {
    Attributes read;
    for (const AttributeSpec& spec : op.attributes) {
      const std::string expected = fmt::format("the attribute {} of {}", spec.name, op.name);
      const std::string_view separator = read.empty() ? has_operands ? ";" : "" : ",";
      if (!separator.empty() && !lexer_.accept(separator))
        lexer_.fail_expected(fmt::format("{} and {}", separator, expected));
      if (!lexer_.accept(spec.name)) lexer_.fail_expected(expected);
      lexer_.expect("=");
      read.push_back(attribute(spec.kind, scope, line));
    }
    return read;
  }

  Attribute attribute(Attribute::Kind kind, const Scope& scope, TextComments::OfNode& line) {
    switch (kind) {
      case Attribute::Kind::integer: return read_integer(lexer_);
      case Attribute::Kind::real: return read_real<double>(lexer_);
      case Attribute::Kind::flag: return read_flag(lexer_);
      case Attribute::Kind::dtype: return read_dtype(lexer_);
      case Attribute::Kind::int_list: {
        IntList ints;
        read_list(lexer_, "[", "]", [&] { ints.push_back(read_integer(lexer_)); });
        return ints;
      }
      case Attribute::Kind::dim_list: return parse_shape(lexer_, scope);
      case Attribute::Kind::string: return read_string(lexer_);
      case Attribute::Kind::body:
        inside(line.comments, lexer_.peek().at);  // those of the body come behind
        return body(scope, line.bodies.emplace_back());
      case Attribute::Kind::array: return parse_array(lexer_, options_);
      case Attribute::Kind::opaque: return opaque();
    }
    return 0;
  }

  Body body(const Scope& outside, TextComments& comments) {
    const std::size_t at = lexer_.peek().at;
    Graph inner = graph(outside.depth + 1, comments);
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

  Opaque opaque() {
    lexer_.expect("opaque");
    lexer_.expect("(");
    Opaque o;
    o.id = read_unsigned<std::uint64_t>(lexer_);
    lexer_.expect(",");
    o.version = read_unsigned<std::uint64_t>(lexer_);
    lexer_.expect(")");
    return o;
  }

  Lexer lexer_;
  const ParseOptions& options_;
};

}  // namespace

Graph parse_graph(std::string_view text, const ParseOptions& options) {
  return Parser(text, options).parse();
}

}  // namespace gnomon
