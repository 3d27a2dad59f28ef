// The names of Gnomon's types, for headers that mention them and define none.
#pragma once

#include <cstdint>

namespace gnomon {

enum class DType : std::uint8_t;

class Arg;
class Array;
class Comparison;
class Dim;
class Explanation;
class Expr;
class Function;
class Graph;
class Profile;
class RandomStream;
class Results;
class Shared;
class SharedVariable;
class Value;
struct CompileOptions;
struct Output;
struct Type;
struct Update;

class Error;

}  // namespace gnomon
