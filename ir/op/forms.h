// What the ops that services compute say in their attributes: products, convolutions, routines on
// matrices and along an axis. Type rules, derivatives, the evaluator and code generation ask here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ir/op/op.h"

namespace gnomon {

// ---------------------------------------------------------------------------------------- products

/// The attributes of scaled products; other products have none.
inline constexpr AttributeSpecs product_specs{{"trans_a", Attribute::Kind::flag},
                                              {"trans_b", Attribute::Kind::flag},
                                              {"alpha", Attribute::Kind::real},
                                              {"beta", Attribute::Kind::real}};

/// The same of products of float16 or bfloat16 by their bits.
inline constexpr AttributeSpecs half_product_specs{{"trans_a", Attribute::Kind::flag},
                                                   {"trans_b", Attribute::Kind::flag},
                                                   {"alpha", Attribute::Kind::real},
                                                   {"beta", Attribute::Kind::real},
                                                   {"bfloat16", Attribute::Kind::flag}};

/// Extents of a matrix as a product takes it.
template <class Extent>
struct MatrixExtents {
  Extent rows, columns;
};

/// alpha * op(a) op(b) + beta * c of matrices [..., rows, columns], which may be read transposed.
/// Operand c may be absent.
struct ProductForm {
  bool trans_a = false, trans_b = false;
  double alpha = 1, beta = 0;

  template <class Extent>
  MatrixExtents<Extent> left(const std::vector<Extent>& a) const {
    return extents(a, trans_a);
  }
  template <class Extent>
  MatrixExtents<Extent> right(const std::vector<Extent>& b) const {
    return extents(b, trans_b);
  }

 private:
  template <class Extent>
  static MatrixExtents<Extent> extents(const std::vector<Extent>& shape, bool transposed) {
    const Extent &rows = shape[shape.size() - 2], &columns = shape.back();
    return transposed ? MatrixExtents<Extent>{columns, rows} : MatrixExtents<Extent>{rows, columns};
  }
};

ProductForm product_form(const Attributes& attributes);
inline ProductForm product_form(const Node& node) { return product_form(node.attributes()); }
/// Those of a scaled product.
Attributes attributes_of(const ProductForm& form);

// ------------------------------------------------------------------------------------ convolutions

/// The attributes of a convolution. Its gradients have one more: the spatial extents of the result.
inline constexpr AttributeSpecs convolution_specs{{"stride", Attribute::Kind::int_list},
                                                  {"padding", Attribute::Kind::int_list},
                                                  {"dilation", Attribute::Kind::int_list},
                                                  {"groups", Attribute::Kind::integer}};
inline constexpr AttributeSpecs convolution_gradient_specs = [] {
  AttributeSpecs specs = convolution_specs;
  specs.specs[specs.count++] = {"extents", Attribute::Kind::dim_list};
  return specs;
}();

/// A convolution or one of its gradients. Lists have a number for each spatial axis, `padding` two:
/// before and after it. They are those of the attributes, which must outlive the form.
struct ConvolutionForm {
  ConvolutionKind kind;
  const IntList &stride, &padding, &dilation;
  std::int64_t groups;

  /// The images x, weights w and results y among the operands a, b and what is made of them, c; or
  /// a, b and c among x, w and y.
  template <class T>
  std::array<T, 3> exchanged(T first, T second, T third) const {
    if (kind == ConvolutionKind::input_gradient) std::swap(first, third);
    if (kind == ConvolutionKind::weight_gradient) std::swap(second, third);
    return {first, second, third};
  }
};

ConvolutionForm convolution_form(const Op& op, const Attributes& attributes);
inline ConvolutionForm convolution_form(const Node& node) {
  return convolution_form(node.op(), node.attributes());
}

// ---------------------------------------------------------------------------- routines on matrices

/// A routine, with what `gnomon_routine` has of the same names: not set where the op has no such
/// attribute.
struct RoutineForm {
  Routine kind;
  bool pairs;  // matrices are of pairs: complex
  bool lower = false, transposed = false, complete = false;
  std::int64_t option = 0;
};

RoutineForm routine_form(const Op& op, const Attributes& attributes);
inline RoutineForm routine_form(const Node& node) {
  return routine_form(node.op(), node.attributes());
}

/// Extents of the matrices, as complex ones where they are of pairs. `columns`: of the last of
/// several operands, or the elements of each line that a Fourier transform makes; else 0.
struct RoutineExtents {
  Dim rows, n, columns, batch;
};

RoutineExtents routine_extents(const Node& node);

// -------------------------------------------------------------------------- routines along an axis

/// A routine along an axis. Without one, all elements are one line.
struct LinesForm {
  LineRoutine kind;
  std::optional<std::int64_t> axis;
  bool reverse = false;
};

LinesForm lines_form(const Op& op, const Attributes& attributes);
inline LinesForm lines_form(const Node& node) { return lines_form(node.op(), node.attributes()); }

/// `outer` lines of n elements, `inner` of them side by side, and `count` in each of the result.
struct LinesExtents {
  Dim outer, n, inner, count;
};

LinesExtents lines_extents(const Node& node);

}  // namespace gnomon
