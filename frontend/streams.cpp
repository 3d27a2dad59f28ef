// Texts as streams show them.
#include "frontend/streams.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/program.h"
#include "ir/graph/leaf.h"
#include "passes/engine/trace.h"
#include "stdlib/control/body.h"

namespace gnomon {

namespace {

// With inputs and variables by their names alone.
std::string formula(const Value& v) {
  const Value outputs[] = {v};
  std::vector<Value> leaves;
  std::vector<std::string> names;
  for (const Node* node : topological_order(outputs)) {
    if (!is_leaf(node->op())) continue;
    leaves.emplace_back(node, 0);
    names.push_back(leaf_name(leaves.back()));
  }
  const Closure closed = close_over(leaves, outputs);
  constexpr int depth = 12;
  return expression_text(closed.body->outputs[0], depth,
                         std::make_shared<const std::vector<std::string>>(std::move(names)));
}

}  // namespace

std::ostream& show(std::ostream& out, const Expr& e) {
  return out << (e.defined() ? formula(e.value()) : "no expression");
}

std::ostream& show(std::ostream& out, const Array& a) {
  return out << (a.defined() ? a.to_string() : "no array");
}

std::ostream& operator<<(std::ostream& out, const Function& f) {
  if (!f.defined()) return out << "no function";
  const Program& program = program_of(f);
  for (std::size_t i = 0; i < program.arguments; ++i) {
    const Parameter& p = program.captured.parameters[i];
    out << (i == 0 ? "" : ", ") << p.name << ": " << p.type.text();
  }
  out << (program.arguments == 0 ? "->" : " ->");
  for (std::size_t i = 0; i < program.results; ++i)
    out << (i == 0 ? " " : ", ") << program.captured.outputs[i].type().text();
  return out;
}

std::ostream& operator<<(std::ostream& out, const Results& results) {
  for (std::size_t i = 0; i < results.size(); ++i) out << (i == 0 ? "" : "\n") << results[i];
  return out;
}

std::ostream& operator<<(std::ostream& out, const Type& t) { return out << t.text(); }
std::ostream& operator<<(std::ostream& out, DType t) { return out << name_of(t); }

}  // namespace gnomon
