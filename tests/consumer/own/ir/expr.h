// A header of the user's that has the name of one of Gnomon's, and does not compile with it.
#pragma once
#error "the user's ir/graph/expr.h is included in the place of Gnomon's"
