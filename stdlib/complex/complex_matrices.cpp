// Routines of linear algebra on complex matrices, which lie in memory as floats [..., m, 2 n].
#include "ir/graph/leaf.h"
#include "stdlib/complex/complex.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// The types of the op on complex matrices: their matrices as pairs [..., m, 2 n], their vectors as
// [..., n, 2].
std::vector<Type> pairs_type(TypeContext& context) {
  std::vector<Value> operands;
  for (std::size_t i = 0; i < context.operands.size(); ++i) {
    Type t = context.type(i);
    if (context.op.routine.pairs) {
      t.dtype = complex_of(t.dtype);
      t.shape.back() = floor_div(t.shape.back(), 2);
    }
    operands.push_back(tensor("x", t.dtype, t.shape));
  }
  const Value like = make_node(*context.op.routine.of, operands,
                               {context.attributes.begin(), context.attributes.end()});
  std::vector<Type> types;
  for (Type t : like.node().types()) {
    if (is_complex(t.dtype)) {
      t.dtype = part_of(t.dtype);
      if (t.rank() == context.type(0).rank())
        t.shape.back() = 2 * t.shape.back();
      else
        t.shape.emplace_back(2);
    }
    types.push_back(std::move(t));
  }
  return types;
}

constexpr AttributeSpecs no_flags{};
constexpr AttributeSpecs transposed_flag{{"transposed", Attribute::Kind::flag}};
constexpr AttributeSpecs triangle_flags{{"lower", Attribute::Kind::flag},
                                        {"transposed", Attribute::Kind::flag}};
constexpr AttributeSpecs order_number{{"order", Attribute::Kind::integer}};
constexpr AttributeSpecs band_numbers{{"below", Attribute::Kind::integer},
                                      {"above", Attribute::Kind::integer}};
constexpr AttributeSpecs complete_flag{{"complete", Attribute::Kind::flag}};

// The op for a node's operands.
const Op& op_on_parts(const Node& node) {
  if (!is_complex(node.input(0).dtype()))
    return &node.op() == &op::eig       ? op::eig_floats
           : &node.op() == &op::eigvals ? op::eigvals_floats
                                        : op::qz_floats;
#define GNOMON_FIND(name) \
  if (&node.op() == &op::name) return op::name##_pairs;
  GNOMON_PAIR_ROUTINES(GNOMON_FIND)
#undef GNOMON_FIND
  return node.op();
}

}  // namespace

#define GNOMON_ON_PAIRS(name_, operands_, outputs_, attributes_)               \
  constinit const Op op::name_##_pairs{.name = #name_ "_pairs",                \
                                       .doc = #name_ " of matrices of pairs.", \
                                       .operands = operands_,                  \
                                       .outputs = outputs_,                    \
                                       .attributes = attributes_,              \
                                       .type = pairs_type,                     \
                                       .step = StepKind::routine,              \
                                       .routine = {.of = &op::name_, .pairs = true}};
GNOMON_ON_PAIRS(cholesky, 1, 1, no_flags)
GNOMON_ON_PAIRS(solve_triangular, 2, 1, triangle_flags)
GNOMON_ON_PAIRS(solve, 2, 1, transposed_flag)
GNOMON_ON_PAIRS(qr, 1, 2, complete_flag)
GNOMON_ON_PAIRS(eigh, 1, 2, no_flags)
GNOMON_ON_PAIRS(eigvalsh, 1, 1, no_flags)
GNOMON_ON_PAIRS(svd, 1, 3, complete_flag)
GNOMON_ON_PAIRS(svdvals, 1, 1, no_flags)
GNOMON_ON_PAIRS(lu_factor, 1, 3, no_flags)
GNOMON_ON_PAIRS(cofactors, 1, 1, no_flags)
GNOMON_ON_PAIRS(solve_sylvester, 3, 1, no_flags)
GNOMON_ON_PAIRS(eig, 1, 2, no_flags)
GNOMON_ON_PAIRS(eigvals, 1, 1, no_flags)
GNOMON_ON_PAIRS(schur, 1, 2, order_number)
GNOMON_ON_PAIRS(qz, 2, 6, order_number)
GNOMON_ON_PAIRS(solve_banded, 2, 1, band_numbers)
#undef GNOMON_ON_PAIRS

constinit const Op op::eig_floats{.name = "eig_floats",
                                  .doc = "eig of floats, to pairs.",
                                  .outputs = 2,
                                  .type = pairs_type,
                                  .step = StepKind::routine,
                                  .routine = {.of = &op::eig}};

constinit const Op op::eigvals_floats{.name = "eigvals_floats",
                                      .doc = "eigvals of floats, to pairs.",
                                      .type = pairs_type,
                                      .step = StepKind::routine,
                                      .routine = {.of = &op::eigvals}};

constinit const Op op::qz_floats{.name = "qz_floats",
                                 .doc = "qz of floats, with some results as pairs.",
                                 .operands = 2,
                                 .outputs = 6,
                                 .attributes = order_number,
                                 .type = pairs_type,
                                 .step = StepKind::routine,
                                 .routine = {.of = &op::qz}};

std::vector<Parts> routine_parts(const Node& node, std::span<const Parts> operands) {
  std::vector<Value> matrices;
  for (const Parts& p : operands) {
    if (!p.im.defined()) {
      matrices.push_back(p.re);
      continue;
    }
    const Dim columns = p.re.dim(-1);
    matrices.push_back(reshape(join_pairs(p), with_last(p.re.shape(), 2 * columns)));
  }
  const Value made = make_node(op_on_parts(node), std::move(matrices), node.attributes());
  std::vector<Parts> parts;
  for (std::uint32_t i = 0; i < node.output_count(); ++i) {
    Expr y(Value(made.get(), i));
    if (!is_complex(node.type(i).dtype)) {
      parts.push_back({y, {}});
      continue;
    }
    if (node.type(i).rank() == y.rank()) {
      Shape shape = with_last(y.shape(), floor_div(y.dim(-1), 2));
      shape.emplace_back(2);
      y = reshape(y, shape);
    }
    parts.push_back(parts_of_pairs(y));
  }
  return parts;
}

}  // namespace gnomon
