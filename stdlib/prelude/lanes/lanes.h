// Lane types, primitives, arithmetic, folds and memory: all but the special functions.
#pragma once

#include "stdlib/prelude/lanes/arithmetic.h"
#include "stdlib/prelude/lanes/folds.h"
#include "stdlib/prelude/lanes/memory.h"
#include "stdlib/prelude/lanes/primitives.h"
