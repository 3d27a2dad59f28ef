// Derivatives of closed bodies: of loops and of reusable functions.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "ir/graph/graph.h"
#include "passes/derivatives/gradient.h"

namespace gnomon {

namespace {

/// A body opened on fresh leaves.
struct OpenBody {
  std::vector<Expr> params, outputs;
  std::vector<Expr> float_params, float_outputs;
};

std::vector<Expr> only_floats(std::span<const Expr> list) {
  std::vector<Expr> floats;
  for (const Expr& e : list)
    if (is_inexact(e.dtype())) floats.push_back(e);
  return floats;
}

OpenBody open(const Body& body) {
  OpenBody result;
  std::vector<Value> arguments;
  for (const Parameter& parameter : body->parameters) {
    const std::string name = fmt::format("p{}", result.params.size());
    result.params.push_back(tensor(name, parameter.type.dtype, parameter.type.shape));
    arguments.push_back(result.params.back());
  }
  for (Value& output : inline_body(*body, arguments))
    result.outputs.emplace_back(std::move(output));
  result.float_params = only_floats(result.params);
  result.float_outputs = only_floats(result.outputs);
  return result;
}

/// One fresh leaf of the type of each of `list`.
std::vector<Expr> leaves_like(std::span<const Expr> list) {
  std::vector<Expr> leaves;
  for (const Expr& e : list)
    leaves.push_back(tensor(fmt::format("d{}", leaves.size()), e.dtype(), e.shape()));
  return leaves;
}

Body close(std::span<const Expr> params, std::span<const Expr> more_params,
           std::span<const Expr> outputs, std::span<const Expr> more_outputs) {
  std::vector<Value> leaves(params.begin(), params.end());
  leaves.insert(leaves.end(), more_params.begin(), more_params.end());
  std::vector<Value> results(outputs.begin(), outputs.end());
  results.insert(results.end(), more_outputs.begin(), more_outputs.end());
  return make_body(leaves, results);
}

Body vjp_body(const Body& body, const std::vector<bool>& wanted) {
  const OpenBody open_body = open(body);
  std::vector<Expr> wrt;
  for (std::size_t i = 0; i < open_body.params.size(); ++i)
    if (is_wanted(wanted, i)) wrt.push_back(open_body.params[i]);
  const std::vector<Expr> cotangents = leaves_like(open_body.float_outputs);
  const std::vector<Expr> gradients = vjp(open_body.float_outputs, only_floats(wrt), cotangents);
  return close(open_body.params, cotangents, gradients, {});
}

Body jvp_body(const Body& body) {
  const OpenBody open_body = open(body);
  const std::vector<Expr> tangents = leaves_like(open_body.float_params);
  const std::vector<Expr> derivatives =
      jvp(open_body.float_outputs, open_body.float_params, tangents);
  return close(open_body.params, tangents, open_body.outputs, derivatives);
}

}  // namespace

const BodyDerivatives& body_derivatives() {
  static constexpr BodyDerivatives derivatives{vjp_body, jvp_body};
  return derivatives;
}

}  // namespace gnomon
