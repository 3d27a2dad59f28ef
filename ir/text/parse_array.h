// Parsing of constants: arrays in the text or beside it.
#pragma once

#include "ir/text/lexer.h"
#include "ir/text/text.h"

namespace gnomon {

/// "f32[2]{1, 0.5}", or "f32[2]@\"name\"" for one that `options.read_array` reads.
Array parse_array(Lexer& lexer, const ParseOptions& options);

}  // namespace gnomon
