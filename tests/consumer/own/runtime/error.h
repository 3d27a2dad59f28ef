// A header of the user's that has the name of one of Gnomon's.
#pragma once

inline const char* users_error() { return "the user's"; }
