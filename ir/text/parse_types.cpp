// Parses values by name, dimensions, shapes and types.
#include "ir/text/parse_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

#include "ir/dimension/dimension_sum.h"
#include "ir/text/words.h"
#include "runtime/error.h"
#include "runtime/suggestion.h"

namespace gnomon {

namespace {

constexpr int max_depth = 100;

/// Sums of products of atoms. `depth` counts the graphs and parentheses around.
class DimParser {
 public:
  DimParser(Lexer& lexer, const Scope& scope) : lexer_(lexer), scope_(scope) {}

  Dim sum(int depth) {
    std::vector<Dim> parts = {lexer_.accept("-") ? -product(depth) : product(depth)};
    while (true) {
      if (lexer_.accept("+")) {
        parts.push_back(product(depth));
      } else if (lexer_.accept("-")) {
        parts.push_back(-product(depth));
      } else {
        return sum_of(parts);
      }
    }
  }

 private:
  Dim product(int depth) {
    Dim d = atom(depth);
    while (lexer_.accept("*")) d = d * atom(depth);
    return d;
  }

  Dim atom(int depth) {
    const std::size_t at = lexer_.peek().at;
    try {
      return atom_or_throw(depth + 1);
    } catch (const Error& error) {
      if (std::string_view(error.what()).starts_with("text: ")) throw;  // it has its place
      lexer_.fail(at, error.what());
    }
  }

  Dim atom_or_throw(int depth) {
    expect_shallow(lexer_, depth);
    if (lexer_.accept("(")) {
      const Dim d = sum(depth);
      lexer_.expect(")");
      return d;
    }
    switch (lexer_.peek().kind) {
      case Token::Kind::number: return read_unsigned<std::int64_t>(lexer_);
      case Token::Kind::value: return Dim::value(parse_value(lexer_, scope_));
      case Token::Kind::name: break;
      default: lexer_.fail_expected("a dimension");
    }
    const Token token = lexer_.take();
    if (const auto at = scope_.symbols.find(token.text); at != scope_.symbols.end())
      return Dim::symbol(at->second, token.text);
    return call(token, depth);
  }

  // floor(a / b), mod(a, b), min(a, b) or max(a, b).
  Dim call(const Token& name, int depth) {
    const bool quotient = name.text == "floor";
    if (!quotient && name.text != "mod" && name.text != "min" && name.text != "max") {
      std::vector<std::string_view> names = {"floor", "mod", "min", "max"};
      for (const auto& [symbol, number] : scope_.symbols) names.push_back(symbol);
      std::ranges::sort(names);
      lexer_.fail(name.at, fmt::format("expected a symbol, found {}{}", Lexer::shown(name),
                                       suggestion(name.text, names)));
    }
    lexer_.expect("(");
    const Dim left = sum(depth);
    lexer_.expect(quotient ? "/" : ",");
    const Dim right = sum(depth);
    lexer_.expect(")");
    if ((quotient || name.text == "mod") && right.is(0))
      lexer_.fail(name.at, "expected a divisor other than 0");
    if (name.text == "min") return min(left, right);
    if (name.text == "max") return max(left, right);
    return quotient ? floor_div(left, right) : mod(left, right);
  }

  Lexer& lexer_;
  const Scope& scope_;
};

}  // namespace

void expect_shallow(const Lexer& lexer, int depth) {
  if (depth > max_depth)
    lexer.fail(lexer.peek().at,
               fmt::format("expected at most {} graphs and parentheses in one another", max_depth));
}

Value parse_value(Lexer& lexer, const Scope& scope) {
  if (lexer.peek().kind != Token::Kind::value) lexer.fail_expected("a value");
  const Token token = lexer.take();
  const std::size_t dot = std::min(token.text.find('.'), token.text.size());
  const auto at = scope.nodes.find(token.text.substr(0, dot));
  if (at == scope.nodes.end())
    lexer.fail(token.at, "expected a value defined above, found " + Lexer::shown(token));
  std::uint32_t index = 0;
  if (dot != token.text.size()) {
    const char *first = token.text.data() + dot + 1, *last = token.text.data() + token.text.size();
    const auto result = std::from_chars(first, last, index);
    if (result.ec != std::errc() || result.ptr != last || index >= at->second.node().output_count())
      lexer.fail(token.at, fmt::format("expected one of {} outputs of the node, found {}",
                                       at->second.node().output_count(), Lexer::shown(token)));
  }
  return Value(at->second.get(), index);
}

Dim parse_dim(Lexer& lexer, const Scope& scope) { return DimParser(lexer, scope).sum(scope.depth); }

Shape parse_shape(Lexer& lexer, const Scope& scope) {
  Shape dims;
  read_list(lexer, "[", "]", [&] { dims.push_back(parse_dim(lexer, scope)); });
  return dims;
}

Type parse_type(Lexer& lexer, const Scope& scope) {
  Type t{read_dtype(lexer), {}};
  if (lexer.is("[")) t.shape = parse_shape(lexer, scope);
  return t;
}

}  // namespace gnomon
