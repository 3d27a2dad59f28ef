// Examples of linear algebra: products, systems, factors, functions and norms of matrices.

EXAMPLE(matmul, matmul(m, w), "[-1.5 -2.5]");
EXAMPLE(matmul, matmul(s, m), "[[ 8. 13. 19.]\n [13. 17. 24.]]");
EXAMPLE(dot, dot(w, w), "5.25");
EXAMPLE(tensordot, tensordot(m, m, {1}, {1}), "[[14. 35.]\n [35. 90.]]");
EXAMPLE(outer, outer(w, v),
        "[[ 3.   1.   2.   0.   2. ]\n [-6.  -2.  -4.  -0.  -4. ]\n [ 1.5  0.5  1.   0.   1. ]]");
EXAMPLE(einsum, einsum("ij,kj->ik", {m, m}), "[[14. 35.]\n [35. 90.]]");
EXAMPLE(einsum, einsum("ii", {s}), "7.0");
EXAMPLE(vdot, vdot(c, c), "(6+0j)");
EXAMPLE(vecdot, vecdot(m, w), "[-1.5 -2.5]");
EXAMPLE(inner, inner(m, w), "[-1.5 -2.5]");
EXAMPLE(matvec, matvec(m, w), "[-1.5 -2.5]");
EXAMPLE(vecmat, vecmat(v(until(2)), m), "[ 7. 11. 16.]");
EXAMPLE(batched_dot, batched_dot(m, m), "[14. 90.]");
EXAMPLE(batched_tensordot, batched_tensordot(stack({s, s}), stack({s, eye(2)})), "[27.  7.]");
EXAMPLE(cross, cross(w, m), "[[ -7.   -2.5   4. ]\n [-16.5  -5.   13. ]]");
EXAMPLE(multi_dot, multi_dot({s, s, m, w}), "[-43.  -35.5]");
EXAMPLE(matrix_power, matrix_power(s, 3), "[[75. 38.]\n [38. 37.]]");
EXAMPLE(block_diag, block_diag({s, w}),
        "[[ 4.   1.   0.   0.   0. ]\n [ 1.   3.   0.   0.   0. ]\n [ 0.   0.   1.  -2.   0.5]]");

EXAMPLE(cholesky, cholesky(s), "[[2.        0.       ]\n [0.5       1.6583124]]");
EXAMPLE(solve_triangular, solve_triangular(s, w(until(2))), "[ 0.25 -0.75]");
EXAMPLE(solve, solve(s, r), "[1. 2.]");
EXAMPLE(solve_banded, solve_banded(0, 1, m, Array::from<double>({8, 19, 21})), "[1. 2. 3.]");
EXAMPLE(inv, inv(s), "[[ 0.27272727 -0.09090909]\n [-0.09090909  0.36363636]]");
EXAMPLE(qr, abs(qr(s).r), "[[4.12310563 1.69774938]\n [0.         2.66789188]]");
EXAMPLE(eigh, eigh(s).values, "[2.38196601 4.61803399]");
EXAMPLE(eigvalsh, eigvalsh(s), "[2.38196601 4.61803399]");
EXAMPLE(eig, eig(diag(w)).values, "[ 1. +0.j -2. +0.j  0.5+0.j]");
EXAMPLE(eigvals, eigvals(Array::from<double>({0, -1, 1, 0}, {2, 2})), "[0.+1.j 0.-1.j]");
EXAMPLE(schur, sort(diagonal(schur(s).t)), "[2.38196601 4.61803399]");
EXAMPLE(qz, sort_complex(qz(s, eye(2)).alpha), "[2.38196601+0.j 4.61803399+0.j]");
EXAMPLE(ordqz, ordqz(diag(w), eye(3)).alpha(until(1)), "[-2.+0.j]");
EXAMPLE(svd, svd(m).s, "[10.18147167  0.58106332]");
EXAMPLE(svdvals, svdvals(s), "[4.61803399 2.38196601]");
EXAMPLE(lu_factor, lu_factor(s).lu, "[[4.   1.  ]\n [0.25 2.75]]");
EXAMPLE(lu_solve, lu_solve(lu_factor(s), r), "[1. 2.]");
EXAMPLE(cho_solve, cho_solve(cholesky(s), r), "[1. 2.]");
EXAMPLE(lu, lu(s).u, "[[4.   1.  ]\n [0.   2.75]]");
EXAMPLE(det, det(s), "11.0");
EXAMPLE(cofactors, cofactors(s), "[[ 3. -1.]\n [-1.  4.]]");
EXAMPLE(slogdet, slogdet(stack({s, eye(2)})).logabsdet, "[2.39789527 0.        ]");
EXAMPLE(pinv, pinv(expand_dims(w, 1)), "[[ 0.19047619 -0.38095238  0.0952381 ]]");
EXAMPLE(matrix_rank, matrix_rank(outer(w, w)), "1");
EXAMPLE(lstsq, lstsq(transpose(m), w), "[-1.35714286  0.5       ]");
EXAMPLE(solve_sylvester, solve_sylvester(s, s, 2 * matmul(s, s)), "[[4. 1.]\n [1. 3.]]");
EXAMPLE(solve_continuous_lyapunov, solve_continuous_lyapunov(eye(2), s), "[[2.  0.5]\n [0.5 1.5]]");
EXAMPLE(solve_discrete_lyapunov, solve_discrete_lyapunov(0.5 * eye(2), s),
        "[[5.33333333 1.33333333]\n [1.33333333 4.        ]]");
EXAMPLE(solve_discrete_are, solve_discrete_are(eye(1), eye(1), eye(1), eye(1)), "[[1.61803399]]");
EXAMPLE(expm, expm(Array::from<double>({0, 1, 0, 0}, {2, 2})), "[[1. 1.]\n [0. 1.]]");
EXAMPLE(tensorsolve, tensorsolve(reshape(s, {2, 2, 1}), r), "[[1.]\n [2.]]");
EXAMPLE(tensorinv, tensorinv(s, 1), "[[ 0.27272727 -0.09090909]\n [-0.09090909  0.36363636]]");
EXAMPLE(matrix_norm, matrix_norm(m, MatrixNorm::largest_column), "10.0");
EXAMPLE(linalg::cond, linalg::cond(diag(w)), "4.0");
EXAMPLE(linalg::vector_norm, linalg::vector_norm(m, 1, 1), "[ 6. 16.]");
