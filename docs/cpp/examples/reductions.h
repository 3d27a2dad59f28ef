// Examples of reductions: sums, statistics, norms, and those of the elements that are not NaN.

EXAMPLE(sum, sum(m), "22.0");
EXAMPLE(sum, sum(m, 1, keepdims), "[[ 6.]\n [16.]]");
EXAMPLE(prod, prod(m, 1), "[  6. 140.]");
EXAMPLE(max, max(m, 0), "[4. 5. 7.]");
EXAMPLE(min, min(m, 0), "[1. 2. 3.]");
EXAMPLE(any, any(v > 2), "True");
EXAMPLE(all, all(m > 1, 1), "[False  True]");
EXAMPLE(mean, mean(m, 0), "[2.5 3.5 5. ]");
EXAMPLE(logsumexp, logsumexp(m * 1000, 1), "[3000. 7000.]");
EXAMPLE(argmax, argmax(m, 1), "[2 2]");
EXAMPLE(argmin, argmin(v), "3");
EXAMPLE(max_and_argmax, max_and_argmax(v), "3.0 0");
EXAMPLE(min_and_argmin, min_and_argmin(m, 1), "[1. 4.] [0 0]");
EXAMPLE(softmax, softmax(w), "[0.6037489  0.03005889 0.36619222]");
EXAMPLE(log_softmax, log_softmax(w * 1000), "[    0. -3000.  -500.]");

EXAMPLE(var, var(m, 1), "[0.66666667 1.55555556]");
EXAMPLE(stddev, stddev(m, 1), "[0.81649658 1.24721913]");
EXAMPLE(ptp, ptp(m, 1), "[2. 3.]");
EXAMPLE(average, average(m, n, 1), "[1.66666667 5.        ]");
EXAMPLE(norm, norm(s, 1), "9.0");
EXAMPLE(norm, norm(m, 2, 1), "[3.74165739 9.48683298]");
EXAMPLE(cov, cov(m), "[[1.         1.5       ]\n [1.5        2.33333333]]");

EXAMPLE(nansum, nansum(h), "7.0");
EXAMPLE(nanprod, nanprod(h), "10.0");
EXAMPLE(nanmean, nanmean(h), "3.5");
EXAMPLE(nanmax, nanmax(h), "5.0");
EXAMPLE(nanmin, nanmin(h), "2.0");
EXAMPLE(nanargmax, nanargmax(h), "2");
EXAMPLE(nanargmin, nanargmin(h), "0");
EXAMPLE(nanvar, nanvar(h), "2.25");
EXAMPLE(nanstd, nanstd(h), "1.5");
EXAMPLE(nancumsum, nancumsum(h), "[2. 2. 7.]");
EXAMPLE(nancumprod, nancumprod(h), "[ 2.  2. 10.]");
EXAMPLE(nanquantile, nanquantile(h, 0.25), "2.75");
EXAMPLE(nanmedian, nanmedian(h), "3.5");
EXAMPLE(percentile, percentile(v, 75), "2.0");
EXAMPLE(nanpercentile, nanpercentile(h, 75), "4.25");
EXAMPLE(count_nonzero, count_nonzero(v), "4");
