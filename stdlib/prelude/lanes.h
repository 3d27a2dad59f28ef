// Lane types, primitives, arithmetic, folds and memory: all but the special functions.
#pragma once

#include "arithmetic.h"
#include "folds.h"
#include "memory.h"
#include "primitives.h"
