// The file of an entry of the cache, as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gnomon {

/// What an entry's file says: the key it is of, its object by content, the caller's text.
struct EntryFile {
  std::string key, object, manifest;
  std::uint64_t object_bytes = 0;
};

/// Whether the text is 32 hexadecimal digits, as keys and contents of objects are named.
bool is_content_hash(std::string_view text);

/// Its bytes, with a checksum of all of them.
std::string format_entry_file(const EntryFile& entry);
/// What they say; nothing where a byte is not as it was written.
std::optional<EntryFile> parse_entry_file(std::string_view text);

}  // namespace gnomon
