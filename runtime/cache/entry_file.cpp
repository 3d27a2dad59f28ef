// Writes and reads the text of an entry.
#include "runtime/cache/entry_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "runtime/cache/cache.h"

namespace gnomon {

namespace {

constexpr std::size_t hash_digits = 32;

// An entry file:
//   gnomon-cache 1
//   key <hash>
//   object <hash> <bytes>
//   manifest <bytes>
//   <the manifest>
//   checksum <hash of all that is above>
// The key is in it, so that a file under another name is not taken for that entry.
constexpr std::string_view first_line = "gnomon-cache 1\n";
constexpr std::string_view checksum_word = "checksum ";

// Takes the parts of an entry file off its front.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool skip(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  bool take(std::size_t count, std::string& into) {
    if (rest_.size() < count) return false;
    into = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return true;
  }
  bool number(std::uint64_t& into) {
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), into);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    return true;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace

bool is_content_hash(std::string_view text) {
  return text.size() == hash_digits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string format_entry_file(const EntryFile& entry) {
  std::string text =
      fmt::format("{}key {}\nobject {} {}\nmanifest {}\n{}\n", first_line, entry.key, entry.object,
                  entry.object_bytes, entry.manifest.size(), entry.manifest);
  return fmt::format("{}{}{}\n", text, checksum_word, content_hash(text));
}

std::optional<EntryFile> parse_entry_file(std::string_view text) {
  const std::size_t tail = checksum_word.size() + hash_digits + 1;
  if (text.size() < tail) return std::nullopt;
  const std::string_view body = text.substr(0, text.size() - tail);
  if (text.substr(body.size()) != fmt::format("{}{}\n", checksum_word, content_hash(body)))
    return std::nullopt;
  EntryFile entry;
  std::uint64_t manifest_bytes = 0;
  Reader reader(body);
  const bool whole =
      reader.skip(first_line) && reader.skip("key ") && reader.take(hash_digits, entry.key) &&
      reader.skip("\nobject ") && reader.take(hash_digits, entry.object) && reader.skip(" ") &&
      reader.number(entry.object_bytes) && reader.skip("\nmanifest ") &&
      reader.number(manifest_bytes) && reader.skip("\n") &&
      reader.take(manifest_bytes, entry.manifest) && reader.skip("\n") && reader.at_end();
  if (!whole || !is_content_hash(entry.object)) return std::nullopt;
  return entry;
}

}  // namespace gnomon
