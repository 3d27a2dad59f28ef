// Compares words by the letters in which they differ.
#include "runtime/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gnomon {

namespace {

constexpr std::size_t most_typos = 2;  // letters in which a word may differ from what was meant

// How many letters must be put in, left out or replaced.
std::size_t typos(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string suggestion(std::string_view word, std::span<const std::string_view> names) {
  std::string_view best;
  std::size_t least = std::min(most_typos + 1, word.size() / 2 + 1);
  for (const std::string_view name : names) {
    // So much they differ in at least; a word of any length costs no more than a name.
    const std::size_t shorter = std::min(word.size(), name.size());
    if (std::max(word.size(), name.size()) - shorter >= least) continue;
    const std::size_t count = typos(word, name);
    if (count >= least) continue;
    least = count;
    best = name;
  }
  return best.empty() ? "" : fmt::format("; did you mean {}?", best);
}

}  // namespace gnomon
