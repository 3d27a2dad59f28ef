"""What rewritten functions run in the place of Python's control flow.

Each function here gets the parts of a statement as functions, whose cells are the variables of
the function around them, and the names that are read later on. Where what decides has a value, it
does what Python does. Where it is an expression, the statement becomes a branch or a loop: the
variables are set to what they are in its body, the body is called once, and what it left in them
is taken out.
"""

from .branching import and_, assert_, compare, if_, if_expression, not_, or_, truth
from .calls import callee, list_
from .looping import for_, while_
from .variables import held, store

__all__ = [
    "and_",
    "assert_",
    "callee",
    "compare",
    "for_",
    "held",
    "if_",
    "if_expression",
    "list_",
    "not_",
    "or_",
    "store",
    "truth",
    "while_",
]
