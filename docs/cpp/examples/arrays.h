// Examples of arrays and expressions: made, described, arranged, indexed, joined, cut, as sets.

EXAMPLE(size_of, size_of(float32), "4");
EXAMPLE(name_of, name_of(float32), "float32");
EXAMPLE(name_of, name_of(RewriteLevel::all), "all");
EXAMPLE(name_of, name_of(ValuesFormat::npz), "npz");
EXAMPLE(short_name_of, short_name_of(float32), "f32");
EXAMPLE(is_bool, is_bool(b.dtype()), "true");
EXAMPLE(is_signed, is_signed(uint8), "false");
EXAMPLE(is_unsigned, is_unsigned(uint8), "true");
EXAMPLE(is_integer, is_integer(n.dtype()), "true");
EXAMPLE(is_float, is_float(v.dtype()), "true");
EXAMPLE(is_complex, is_complex(c.dtype()), "true");
EXAMPLE(is_inexact, is_inexact(complex64), "true");
EXAMPLE(is_half, is_half(bfloat16), "true");
EXAMPLE(part_of, part_of(complex64), "float32");
EXAMPLE(complex_of, complex_of(float32), "complex64");
EXAMPLE(inexact, inexact(int32), "float64");
EXAMPLE(promote, promote(int64, float32), "float32");
EXAMPLE(promote, promote(float32, complex128), "complex128");

EXAMPLE(zeros, zeros({3}), "[0. 0. 0.]");
EXAMPLE(ones, ones({2, 3}, int64), "[[1 1 1]\n [1 1 1]]");
EXAMPLE(full, full({3}, 0.5), "[0.5 0.5 0.5]");
EXAMPLE(full, full({m.dim(1)}, v(0)), "[3. 3. 3.]");
EXAMPLE(full_of_integer, full_of_integer({2}, INT64_MAX, int64),
        "[9223372036854775807 9223372036854775807]");
EXAMPLE(same_bits, same_bits(Array(0.0), Array(-0.0)), "false");
EXAMPLE(same_shape, same_shape(zeros({3}), ones({3})), "true");
EXAMPLE(describe, describe(float32, zeros({3, 4}).shape()), "f32[3, 4]");
EXAMPLE(describe, describe(x), "x: f64[x.0]");
EXAMPLE(contiguous_strides, contiguous_strides(zeros({2, 3, 4}).shape()), "[12, 4, 1]");

EXAMPLE(tensor, describe(tensor("image", float32, {Dim::symbol("n"), 3})), "image: f32[n, 3]");
EXAMPLE(scalar, describe(scalar("rate")), "rate: f64");
EXAMPLE(vector, describe(vector("counts", int64)), "counts: i64[counts.0]");
EXAMPLE(matrix, describe(matrix("rows", float32)), "rows: f32[rows.0, rows.1]");
EXAMPLE(tensor3, describe(tensor3("stack")), "stack: f64[stack.0, stack.1, stack.2]");
EXAMPLE(tensor4, describe(tensor4("images")),
        "images: f64[images.0, images.1, images.2, images.3]");
EXAMPLE(constant, constant(2.5, float32), "2.5");
EXAMPLE(constant_value, constant_value(constant(2.5, float32)), "2.5");
EXAMPLE(cast, cast(w, int32), "[ 1 -2  0]");
EXAMPLE(apply, apply(op::square, {w}), "[1.   4.   0.25]");
EXAMPLE(text, text(tensor("t", float64, {Dim::symbol("n"), 3}).shape()), "[n, 3]");
EXAMPLE(element_count, element_count(m.shape()), "6");
EXAMPLE(ndim, ndim(m), "2");
EXAMPLE(size, size(m), "6");
EXAMPLE(extent, extent(m.dim(1)), "3");

EXAMPLE(reshape, reshape(m, {3, -1}), "[[1. 2.]\n [3. 4.]\n [5. 7.]]");
EXAMPLE(transpose, transpose(m), "[[1. 4.]\n [2. 5.]\n [3. 7.]]");
EXAMPLE(expand_dims, expand_dims(w, 0), "[[ 1.  -2.   0.5]]");
EXAMPLE(squeeze, squeeze(expand_dims(w, 0)), "[ 1.  -2.   0.5]");
EXAMPLE(broadcast_to, broadcast_to(w, {2, 3}), "[[ 1.  -2.   0.5]\n [ 1.  -2.   0.5]]");
EXAMPLE(concatenate, concatenate({v, w}), "[ 3.   1.   2.   0.   2.   1.  -2.   0.5]");
EXAMPLE(concatenate, concatenate({m, m}, 1), "[[1. 2. 3. 1. 2. 3.]\n [4. 5. 7. 4. 5. 7.]]");
EXAMPLE(stack, stack({w, -w}), "[[ 1.  -2.   0.5]\n [-1.   2.  -0.5]]");
EXAMPLE(arange, arange(4), "[0 1 2 3]");
EXAMPLE(arange, arange(4, float32), "[0. 1. 2. 3.]");
EXAMPLE(eye, eye(2), "[[1. 0.]\n [0. 1.]]");
EXAMPLE(interleave, interleave({w, -w}, {2}), "[ 1.  -1.  -2.   2.   0.5 -0.5]");

EXAMPLE(range, v(range(1, 4)), "[1. 2. 0.]");
EXAMPLE(range, v(range(1, 5, 2)), "[1. 0.]");
EXAMPLE(from, v(from(2)), "[2. 0. 2.]");
EXAMPLE(until, m(all_of, until(2)), "[[1. 2.]\n [4. 5.]]");
EXAMPLE(index, index(m, std::array<Index, 2>{0, until(-1)}), "[1. 2.]");
EXAMPLE(index, index(m, {1}, std::array{n}), "[[3. 1. 2.]\n [7. 4. 5.]]");
EXAMPLE(set_at, set_at(v, {until(2)}, 0), "[0. 0. 2. 0. 2.]");
EXAMPLE(inc_at, inc_at(v, {Array::from<std::int64_t>({0, 0, 1})}, 1), "[5. 2. 2. 0. 2.]");
EXAMPLE(multiply_at, multiply_at(v, {Array::from<std::int64_t>({0, 0, 1})}, 2),
        "[12.  2.  2.  0.  2.]");
EXAMPLE(divide_at, divide_at(m, {all_of, 0}, 2), "[[0.5 2.  3. ]\n [2.  5.  7. ]]");
EXAMPLE(minimum_at, minimum_at(m, {all_of, -1}, 4), "[[1. 2. 3.]\n [4. 5. 4.]]");
EXAMPLE(maximum_at, maximum_at(w, {n}, v(until(3))), "[1. 2. 3.]");
EXAMPLE(indicator, indicator(n, 3, 3),
        "[[False False  True]\n [ True False False]\n [False  True False]]");
EXAMPLE(take, take(v, n), "[2. 3. 1.]");
EXAMPLE(take, take(m, n, 1), "[[3. 1. 2.]\n [7. 4. 5.]]");
EXAMPLE(slice, slice(v, {1}, {2}, {2}), "[1. 0.]");
EXAMPLE(set_slice, set_slice(v, -w(until(2)), {1}, {2}, {2}), "[ 3. -1.  2.  2.  2.]");
EXAMPLE(inc_slice, inc_slice(v, 10, {1}, {2}, {2}), "[ 3. 11.  2. 10.  2.]");
EXAMPLE(set_index, set_index(w, -w, {0}, std::array{n}), "[ 2.  -0.5 -1. ]");
EXAMPLE(inc_index, inc_index(w, w, {0}, std::array{n}), "[-1.  -1.5  1.5]");
EXAMPLE(take_along_axis, take_along_axis(m, argsort(-m, 1)), "[[3. 2. 1.]\n [7. 5. 4.]]");
EXAMPLE(put_along_axis, put_along_axis(m, argmax(m, 1, keepdims), 0), "[[1. 2. 0.]\n [4. 5. 0.]]");
EXAMPLE(add_along_axis, add_along_axis(m, argmax(m, 1, keepdims), 10),
        "[[ 1.  2. 13.]\n [ 4.  5. 17.]]");

EXAMPLE(flip, flip(v), "[2. 0. 2. 1. 3.]");
EXAMPLE(roll, roll(v, 2), "[0. 2. 3. 1. 2.]");
EXAMPLE(rot90, rot90(m), "[[3. 7.]\n [2. 5.]\n [1. 4.]]");
EXAMPLE(tile, tile(w, {2, 1}), "[[ 1.  -2.   0.5]\n [ 1.  -2.   0.5]]");
EXAMPLE(repeat, repeat(w, 2), "[ 1.   1.  -2.  -2.   0.5  0.5]");
EXAMPLE(split, split(m, 3, 1)[0], "[[1.]\n [4.]]");
EXAMPLE(split_at, split_at(v, {1, 3}), "[3.] [1. 2.] [0. 2.]");
EXAMPLE(pad, pad(w, {{1, 2}}), "[ 0.   1.  -2.   0.5  0.   0. ]");
EXAMPLE(pad, pad(w, {{1, 2}}, PadMode::reflect), "[-2.   1.  -2.   0.5 -2.   1. ]");
EXAMPLE(diagonal, diagonal(m), "[1. 5.]");
EXAMPLE(diag, diag(w), "[[ 1.   0.   0. ]\n [ 0.  -2.   0. ]\n [ 0.   0.   0.5]]");
EXAMPLE(trace, trace(s), "7.0");
EXAMPLE(tril, tril(m), "[[1. 0. 0.]\n [4. 5. 0.]]");
EXAMPLE(triu, triu(m, 1), "[[0. 2. 3.]\n [0. 0. 7.]]");
EXAMPLE(kron, kron(eye(2), s), "[[4. 1. 0. 0.]\n [1. 3. 0. 0.]\n [0. 0. 4. 1.]\n [0. 0. 1. 3.]]");
EXAMPLE(linspace, linspace(0, 1, 5), "[0.   0.25 0.5  0.75 1.  ]");
EXAMPLE(geomspace, geomspace(1, 1000, 4), "[   1.   10.  100. 1000.]");
EXAMPLE(meshgrid, meshgrid({arange(2), arange(3)})[1], "[[0 1 2]\n [0 1 2]]");

EXAMPLE(ravel, ravel(m), "[1. 2. 3. 4. 5. 7.]");
EXAMPLE(permute_dims, permute_dims(m, {1, 0}), "[[1. 4.]\n [2. 5.]\n [3. 7.]]");
EXAMPLE(matrix_transpose, matrix_transpose(m), "[[1. 4.]\n [2. 5.]\n [3. 7.]]");
EXAMPLE(swapaxes, swapaxes(image, 0, 3).shape(), "[4, 1, 4, 1]");
EXAMPLE(moveaxis, moveaxis(tensor("t", float64, {2, 3, 4}), 0, -1).shape(), "[3, 4, 2]");
EXAMPLE(rollaxis, rollaxis(tensor("t", float64, {2, 3, 4}), 2).shape(), "[4, 2, 3]");
EXAMPLE(atleast_1d, atleast_1d(v(0)), "[3.]");
EXAMPLE(atleast_2d, atleast_2d(w), "[[ 1.  -2.   0.5]]");
EXAMPLE(atleast_3d, atleast_3d(m).shape(), "[2, 3, 1]");
EXAMPLE(flipud, flipud(m), "[[4. 5. 7.]\n [1. 2. 3.]]");
EXAMPLE(fliplr, fliplr(m), "[[3. 2. 1.]\n [7. 5. 4.]]");
EXAMPLE(broadcast_arrays, broadcast_arrays({w, expand_dims(v(until(2)), 1)})[1],
        "[[3. 3. 3.]\n [1. 1. 1.]]");
EXAMPLE(resize, resize(m, {2, 4}), "[[1. 2. 3. 4.]\n [5. 7. 1. 2.]]");
EXAMPLE(sliding_window_view, sliding_window_view(v, 3), "[[3. 1. 2.]\n [1. 2. 0.]\n [2. 0. 2.]]");

EXAMPLE(zeros_like, zeros_like(w), "[0. 0. 0.]");
EXAMPLE(ones_like, ones_like(n), "[1 1 1]");
EXAMPLE(full_like, full_like(w, 7), "[7. 7. 7.]");
EXAMPLE(identity, identity(2), "[[1. 0.]\n [0. 1.]]");
EXAMPLE(tri, tri(2, 3, 1), "[[1. 1. 0.]\n [1. 1. 1.]]");
EXAMPLE(diagflat, diagflat(w, 1),
        "[[ 0.   1.   0.   0. ]\n [ 0.   0.  -2.   0. ]\n [ 0.   0.   0.   0.5]\n"
        " [ 0.   0.   0.   0. ]]");
EXAMPLE(fill_diagonal, fill_diagonal(s, 0), "[[0. 1.]\n [1. 0.]]");
EXAMPLE(fill_diagonal_offset, fill_diagonal_offset(s, 9, 1), "[[4. 9.]\n [1. 3.]]");
EXAMPLE(vander, vander(w, 3), "[[ 1.    1.    1.  ]\n [ 4.   -2.    1.  ]\n [ 0.25  0.5   1.  ]]");
EXAMPLE(logspace, logspace(0, 2, 3), "[  1.  10. 100.]");
EXAMPLE(indices, indices({2, 3})[1], "[[0 1 2]\n [0 1 2]]");
EXAMPLE(tril_indices, tril_indices(2, 2), "[0 1 1] [0 0 1]");
EXAMPLE(triu_indices, triu_indices(3, 3, 1), "[0 0 1] [1 2 2]");
EXAMPLE(tril_indices_from, tril_indices_from(s), "[0 1 1] [0 0 1]");
EXAMPLE(triu_indices_from, triu_indices_from(m), "[0 0 0 1 1] [0 1 2 1 2]");
EXAMPLE(diag_indices, diag_indices(3), "[0 1 2] [0 1 2]");
EXAMPLE(diag_indices_from, diag_indices_from(s), "[0 1] [0 1]");
EXAMPLE(ix_, m(ix_({arange(2), n})[0], ix_({arange(2), n})[1]), "[[3. 1. 2.]\n [7. 4. 5.]]");
EXAMPLE(ravel_multi_index, ravel_multi_index({n, n}, {3, 4}), "[10  0  5]");
EXAMPLE(unravel_index, unravel_index(n * 3, {3, 4}), "[1 0 0] [2 0 3]");

EXAMPLE(concat, concat({v, w}), "[ 3.   1.   2.   0.   2.   1.  -2.   0.5]");
EXAMPLE(append, append(v, w), "[ 3.   1.   2.   0.   2.   1.  -2.   0.5]");
EXAMPLE(vstack, vstack({w, m}), "[[ 1.  -2.   0.5]\n [ 1.   2.   3. ]\n [ 4.   5.   7. ]]");
EXAMPLE(row_stack, row_stack({w, w}), "[[ 1.  -2.   0.5]\n [ 1.  -2.   0.5]]");
EXAMPLE(hstack, hstack({v, w}), "[ 3.   1.   2.   0.   2.   1.  -2.   0.5]");
EXAMPLE(dstack, dstack({w, -w}), "[[[ 1.  -1. ]\n  [-2.   2. ]\n  [ 0.5 -0.5]]]");
EXAMPLE(column_stack, column_stack({w, -w}), "[[ 1.  -1. ]\n [-2.   2. ]\n [ 0.5 -0.5]]");
EXAMPLE(block, block({{s, transpose(m(all_of, until(2)))}, {eye(2), s}}),
        "[[4. 1. 1. 4.]\n [1. 3. 2. 5.]\n [1. 0. 4. 1.]\n [0. 1. 1. 3.]]");
EXAMPLE(insert, insert(v, 2, 9), "[3. 1. 9. 2. 0. 2.]");
EXAMPLE(erase, erase(v, {0, -1}), "[1. 2. 0.]");
EXAMPLE(array_split, array_split(v, 3), "[3. 1.] [2. 0.] [2.]");
EXAMPLE(vsplit, vsplit(m, 2), "[[1. 2. 3.]] [[4. 5. 7.]]");
EXAMPLE(hsplit, hsplit(m, 3)[0], "[[1.]\n [4.]]");
EXAMPLE(dsplit, dsplit(reshape(arange(8), {2, 2, 2}), 2)[0].shape(), "[2, 2, 1]");
EXAMPLE(unstack, unstack(m), "[1. 2. 3.] [4. 5. 7.]");

EXAMPLE(flatnonzero, flatnonzero(v > 1), "[0 2 4]");
EXAMPLE(nonzero, nonzero(m > 3), "[1 1 1] [0 1 2]");
EXAMPLE(argwhere, argwhere(m > 4), "[[1 1]\n [1 2]]");
EXAMPLE(compress, compress(b, m, 1), "[[1. 3.]\n [4. 7.]]");
EXAMPLE(extract, extract(v > 1, v), "[3. 2. 2.]");
EXAMPLE(unique_values, unique_values(v), "[0. 1. 2. 3.]");
EXAMPLE(unique_counts, unique_counts(v), "[0. 1. 2. 3.] [1 1 2 1]");
EXAMPLE(unique_inverse, unique_inverse(v), "[0. 1. 2. 3.] [3 1 2 0 2]");
EXAMPLE(unique, unique(v).indices, "[3 1 2 0]");
EXAMPLE(unique_all, unique_all(v).counts, "[1 1 2 1]");
EXAMPLE(isin, isin(v, w), "[False  True False False False]");
EXAMPLE(union1d, union1d(v, w), "[-2.   0.   0.5  1.   2.   3. ]");
EXAMPLE(intersect1d, intersect1d(v, w), "[1.]");
EXAMPLE(setdiff1d, setdiff1d(v, w), "[0. 2. 3.]");
EXAMPLE(setxor1d, setxor1d(v, w), "[-2.   0.   0.5  2.   3. ]");
EXAMPLE(trim_zeros, trim_zeros(pad(w, {{1, 2}})), "[ 1.  -2.   0.5]");
