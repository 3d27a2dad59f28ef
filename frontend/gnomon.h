// Gnomon: symbolic expressions over arrays, compiled to native functions.
#pragma once

#include "frontend/function.h"
#include "frontend/library/optimizers.h"
#include "frontend/variable.h"
#include "ir/expr.h"
#include "passes/gradient.h"
#include "runtime/array.h"
#include "runtime/error.h"
#include "stdlib/along_axis.h"
#include "stdlib/arrays.h"
#include "stdlib/einsum.h"
#include "stdlib/linalg.h"
#include "stdlib/ops.h"
#include "stdlib/running.h"
#include "stdlib/selection.h"
#include "stdlib/sorting.h"
#include "stdlib/statistics.h"
