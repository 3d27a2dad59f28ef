// Examples of what works along lines of arrays: running results, sorting, windows of signals,
// interpolation, polynomials, Fourier transforms.

EXAMPLE(cumsum, cumsum(v), "[3. 4. 6. 6. 8.]");
EXAMPLE(cumsum, cumsum(m, 0), "[[ 1.  2.  3.]\n [ 5.  7. 10.]]");
EXAMPLE(cumprod, cumprod(m, 1), "[[  1.   2.   6.]\n [  4.  20. 140.]]");
EXAMPLE(cummax, cummax(w* w), "[1. 4. 4.]");
EXAMPLE(cummin, cummin(v), "[3. 1. 1. 0. 0.]");
EXAMPLE(linear_recurrence, linear_recurrence(0.5, v), "[3.     2.5    3.25   1.625  2.8125]");
EXAMPLE(diff, diff(v), "[-2.  1. -2.  2.]");
EXAMPLE(trapezoid, trapezoid(v, 0.5), "2.75");

EXAMPLE(sort, sort(v), "[0. 1. 2. 2. 3.]");
EXAMPLE(sort, sort(m, 1, Order::descending), "[[3. 2. 1.]\n [7. 5. 4.]]");
EXAMPLE(argsort, argsort(v), "[3 1 2 4 0]");
EXAMPLE(topk, topk(v, 2), "[3. 2.]");
EXAMPLE(argtopk, argtopk(v, 2), "[0 2]");
EXAMPLE(topk_and_argtopk, topk_and_argtopk(v, 2), "[3. 2.] [0 2]");
EXAMPLE(sort_complex, sort_complex(c), "[0.-1.j 1.+2.j]");
EXAMPLE(lexsort, lexsort({-arange(5), v}), "[3 1 4 2 0]");
EXAMPLE(searchsorted, searchsorted(sort(w), v), "[3 2 3 1 3]");
EXAMPLE(quantile, quantile(v, 0.75), "2.0");
EXAMPLE(quantile, quantile(m, 0.5, 1, Interpolation::lower), "[2. 5.]");
EXAMPLE(median, median(m, 0), "[2.5 3.5 5. ]");
EXAMPLE(bincount, bincount(n, 4), "[1 1 1 0]");
EXAMPLE(histogram, histogram(v, arange(4)), "[1 1 3]");

EXAMPLE(bartlett, bartlett(5), "[0.  0.5 1.  0.5 0. ]");
EXAMPLE(hanning, hanning(5), "[0.  0.5 1.  0.5 0. ]");
EXAMPLE(hamming, hamming(5), "[0.08 0.54 1.   0.54 0.08]");
EXAMPLE(blackman, blackman(5)(range(1, 4)), "[0.34 1.   0.34]");
EXAMPLE(kaiser, kaiser(5, 4.0), "[0.08848053 0.63343178 1.         0.63343178 0.08848053]");
EXAMPLE(convolve, convolve(v, w), "[ 3.  -5.   1.5 -3.5  3.  -4.   1. ]");
EXAMPLE(convolve, convolve(v, w, Overlap::same), "[-5.   1.5 -3.5  3.  -4. ]");
EXAMPLE(correlate, correlate(v, w), "[ 2. -3.  3.]");

EXAMPLE(interp, interp(Array::from<double>({0.5, 1.25, 9}), arange(5), v), "[2.   1.25 2.  ]");
EXAMPLE(digitize, digitize(v, sort(w)), "[3 3 3 1 3]");
EXAMPLE(histogram_bin_edges, histogram_bin_edges(v, 4), "[0.   0.75 1.5  2.25 3.  ]");
EXAMPLE(histogram2d, histogram2d(v, v, arange(4), arange(3)), "[[1 0]\n [0 1]\n [0 2]]");
EXAMPLE(histogramdd, histogramdd(transpose(m), {arange(3) * 2, arange(3) * 2 + 4}),
        "[[1 0]\n [1 1]]");
EXAMPLE(gradient, gradient(v), "[-2.  -0.5 -0.5  0.   2. ]");
EXAMPLE(ediff1d, ediff1d(m), "[1. 1. 1. 1. 2.]");
EXAMPLE(corrcoef, corrcoef(m), "[[1.         0.98198051]\n [0.98198051 1.        ]]");
EXAMPLE(cumulative_sum, cumulative_sum(v), "[3. 4. 6. 6. 8.]");
EXAMPLE(cumulative_prod, cumulative_prod(w), "[ 1. -2. -1.]");
EXAMPLE(partition, partition(v, 2), "[0. 1. 2. 2. 3.]");
EXAMPLE(argpartition, argpartition(v, 2), "[3 1 2 4 0]");
EXAMPLE(inverse_permutation, inverse_permutation(n), "[1 2 0]");
EXAMPLE(permute_row_elements, permute_row_elements(m, n), "[[3. 1. 2.]\n [7. 4. 5.]]");
EXAMPLE(choose, choose(n, {w, w * 10, w * 100}), "[100.  -2.   5.]");
EXAMPLE(select, select({v > 2, v > 1}, {v * 10, v}, -1), "[30. -1.  2. -1.  2.]");

EXAMPLE(polyval, polyval(w, v), "[ 3.5 -0.5  0.5  0.5  0.5]");
EXAMPLE(polyadd, polyadd(v, w), "[ 3.   1.   3.  -2.   2.5]");
EXAMPLE(polysub, polysub(v, w), "[3.  1.  1.  2.  1.5]");
EXAMPLE(polymul, polymul(v, w), "[ 3.  -5.   1.5 -3.5  3.  -4.   1. ]");
EXAMPLE(polydiv, polydiv(v, w), "[ 3.   7.  14.5] [25.5  -5.25]");
EXAMPLE(polyder, polyder(v), "[12.  3.  4.  0.]");
EXAMPLE(polyint, polyint(w), "[ 0.33333333 -1.          0.5         0.        ]");
EXAMPLE(poly, poly(w), "[ 1.   0.5 -2.5  1. ]");
EXAMPLE(roots, sort(real(roots(w))), "[0.29289322 1.70710678]");
EXAMPLE(polyfit, polyfit(arange(3), square(arange(3, float64)) + 1, 1), "[2.         0.66666667]");

EXAMPLE(fft::fft, fft::fft(Array::from<double>({1, 2, 3, 4})), "[10.+0.j -2.+2.j -2.+0.j -2.-2.j]");
EXAMPLE(fft::ifft, fft::ifft(fft::fft(v(until(4)))), "[3.+0.j 1.+0.j 2.+0.j 0.+0.j]");
EXAMPLE(fft::rfft, fft::rfft(Array::from<double>({1, 2, 3, 4})), "[10.+0.j -2.+2.j -2.+0.j]");
EXAMPLE(fft::irfft, fft::irfft(fft::rfft(v(until(4)))), "[3. 1. 2. 0.]");
EXAMPLE(fft::hfft, fft::hfft(Array::from<double>({1, 2, 3})), "[ 8. -2.  0. -2.]");
EXAMPLE(fft::ihfft, fft::ihfft(Array::from<double>({1, 2, 3, 4})),
        "[ 2.5-0.j  -0.5-0.5j -0.5-0.j ]");
EXAMPLE(fft::fftn, fft::fftn(s), "[[9.+0.j 1.+0.j]\n [1.+0.j 5.+0.j]]");
EXAMPLE(fft::ifftn, fft::ifftn(fft::fftn(s)), "[[4.+0.j 1.+0.j]\n [1.+0.j 3.+0.j]]");
EXAMPLE(fft::rfftn, fft::rfftn(s), "[[9.+0.j 1.+0.j]\n [1.+0.j 5.+0.j]]");
EXAMPLE(fft::irfftn, fft::irfftn(fft::rfftn(s)), "[[4. 1.]\n [1. 3.]]");
EXAMPLE(fft::fft2, fft::fft2(s), "[[9.+0.j 1.+0.j]\n [1.+0.j 5.+0.j]]");
EXAMPLE(fft::ifft2, fft::ifft2(fft::fft2(s)), "[[4.+0.j 1.+0.j]\n [1.+0.j 3.+0.j]]");
EXAMPLE(fft::rfft2, fft::rfft2(s), "[[9.+0.j 1.+0.j]\n [1.+0.j 5.+0.j]]");
EXAMPLE(fft::irfft2, fft::irfft2(fft::rfft2(s)), "[[4. 1.]\n [1. 3.]]");
EXAMPLE(fft::fftfreq, fft::fftfreq(4), "[ 0.    0.25 -0.5  -0.25]");
EXAMPLE(fft::rfftfreq, fft::rfftfreq(4, 0.1), "[0.  2.5 5. ]");
EXAMPLE(fft::fftshift, fft::fftshift(fft::fftfreq(4)), "[-0.5  -0.25  0.    0.25]");
EXAMPLE(fft::ifftshift, fft::ifftshift(fft::fftshift(v)), "[3. 1. 2. 0. 2.]");
