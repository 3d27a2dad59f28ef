// Reductions of the elements that are not NaN, and quantiles under their further names.
#pragma once

#include <optional>

#include "stdlib/lines/sorting.h"
#include "stdlib/ops.h"

namespace gnomon {

/// Sum, product and mean of the elements that are not NaN: 0, 1 and NaN of none.
Expr nansum(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
Expr nanprod(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
Expr nanmean(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
/// The largest, or smallest, of the elements that are not NaN; NaN of none.
Expr nanmax(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
Expr nanmin(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
/// Their places (int64). ValueError of the call where all elements are NaN.
Expr nanargmax(const Arg& x, const Axes& axis = {}, Keepdims keep = Keepdims::no);
Expr nanargmin(const Arg& x, const Axes& axis = {}, Keepdims keep = Keepdims::no);
/// Variance and deviation of the elements that are not NaN, with sums of squares divided by their
/// number - correction; NaN where that is not above 0.
Expr nanvar(const Arg& x, const Axes& axes = {}, double correction = 0,
            Keepdims keep = Keepdims::no);
Expr nanstd(const Arg& x, const Axes& axes = {}, double correction = 0,
            Keepdims keep = Keepdims::no);
/// Running sums, and products, with 0, or 1, for each NaN.
Expr nancumsum(const Arg& x, std::int64_t axis = -1);
Expr nancumprod(const Arg& x, std::int64_t axis = -1);
/// `quantile`, linear, of the elements that are not NaN, for one part q, a number or an expression;
/// NaN of none.
Expr nanquantile(const Arg& x, const Arg& q, std::optional<std::int64_t> axis = {});
/// The same for q = 1/2.
Expr nanmedian(const Arg& x, std::optional<std::int64_t> axis = {});
/// `quantile` and `nanquantile` of q percent.
Expr percentile(const Arg& x, const Arg& q, std::optional<std::int64_t> axis = {},
                Interpolation method = Interpolation::linear);
Expr nanpercentile(const Arg& x, const Arg& q, std::optional<std::int64_t> axis = {});

/// How many elements are not 0: int64.
Expr count_nonzero(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);

}  // namespace gnomon
