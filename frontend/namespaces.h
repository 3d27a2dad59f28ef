// The namespaces of the package for Python whose functions have declarations elsewhere: what is
// `gn.linalg.solve` there is `gnomon::linalg::solve` here.
#pragma once

#include "frontend/library/solvers/solvers.h"
#include "runtime/error.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/arrays/axes.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/products.h"
#include "stdlib/networks/activations.h"
#include "stdlib/networks/losses.h"
#include "stdlib/ops.h"
#include "stdlib/reductions/statistics.h"

/// Arrays, expressions over them, functions compiled of expressions, and NumPy's functions.
namespace gnomon {

namespace linalg {
/// What NumPy raises for matrices that are singular; here such are a ValueError.
using LinAlgError = ValueError;
using gnomon::block_diag, gnomon::cho_solve, gnomon::cholesky, gnomon::cross, gnomon::det,
    gnomon::diagonal, gnomon::eig, gnomon::eigh, gnomon::eigvals, gnomon::eigvalsh, gnomon::expm,
    gnomon::inv, gnomon::kron, gnomon::lstsq, gnomon::lu, gnomon::lu_factor, gnomon::lu_solve,
    gnomon::matmul, gnomon::matrix_norm, gnomon::matrix_power, gnomon::matrix_rank,
    gnomon::matrix_transpose, gnomon::multi_dot, gnomon::norm, gnomon::ordqz, gnomon::outer,
    gnomon::pinv, gnomon::qr, gnomon::qz, gnomon::schur, gnomon::slogdet, gnomon::solve,
    gnomon::solve_banded, gnomon::solve_continuous_lyapunov, gnomon::solve_discrete_are,
    gnomon::solve_discrete_lyapunov, gnomon::solve_sylvester, gnomon::solve_triangular, gnomon::svd,
    gnomon::svdvals, gnomon::tensordot, gnomon::tensorinv, gnomon::tensorsolve, gnomon::trace,
    gnomon::vecdot;
using solvers::bicgstab, solvers::cg, solvers::gmres;
/// The norm of vectors: of all elements, or along axes.
inline Expr vector_norm(const Arg& x, double order = 2, const Axes& axes = {},
                        Keepdims keep = Keepdims::no) {
  return norm(x, order, axes, keep);
}
}  // namespace linalg

namespace nn {
using gnomon::log_softmax, gnomon::sigmoid, gnomon::softmax, gnomon::softplus, gnomon::tanh;
/// Other names of `silu` and `mse_loss`, which takes the mean.
inline Expr swish(const Arg& x) { return silu(x); }
inline Expr mse(const Arg& x, const Arg& targets) { return mse_loss(x, targets); }
}  // namespace nn

/// The solvers of `gnomon::solvers` for equations and minima.
namespace optimize {
using solvers::fixed_point, solvers::minimize, solvers::root;
}  // namespace optimize

/// The solvers of `gnomon::solvers` for differential equations.
namespace integrate {
using solvers::odeint, solvers::solve_ivp;
}  // namespace integrate

}  // namespace gnomon
