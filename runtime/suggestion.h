// What a misspelt word was meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gnomon {

/// "; did you mean list?" with the name that differs from `word` in the fewest letters, or "" where
/// all differ in more than two of them.
std::string suggestion(std::string_view word, std::span<const std::string_view> names);

}  // namespace gnomon
