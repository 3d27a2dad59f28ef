"""The other names of operations and functions: NumPy's, SciPy's and the Array API's.

Each name of Gnomon has the further names under which it can be called, all of them in the
namespace `gnomon`. A name that is not there (an operation the language does not have) is skipped.
"""

ALIASES = {
    "absolute": ("abs", "fabs"),
    "arccos": ("acos",),
    "arccosh": ("acosh",),
    "arcsin": ("asin",),
    "arcsinh": ("asinh",),
    "arctan": ("atan",),
    "arctan2": ("atan2",),
    "arctanh": ("atanh",),
    "bitwise_not": ("bitwise_invert", "invert"),
    "left_shift": ("bitwise_left_shift",),
    "right_shift": ("bitwise_right_shift",),
    "power": ("pow",),
    "divide": ("true_divide",),
    "remainder": ("mod",),
    "max": ("amax",),
    "min": ("amin",),
    "trunc": ("fix",),
}

# Names of the functions written by hand, which the modules that define them repeat:
# concatenate = concat, transpose = permute_dims, degrees = rad2deg, radians = deg2rad.
