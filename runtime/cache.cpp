// The disk cache: an entry file per key, an object file per content, both checksummed whole.
#include "runtime/cache.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>
#include <vector>

#include "runtime/cache_file.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view entry_suffix = ".entry";
constexpr std::string_view object_suffix = ".so";
constexpr std::size_t hash_digits = 32;

bool is_hash(std::string_view text) {
  return text.size() == hash_digits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// An entry file:
//   gnomon-cache 1
//   key <hash>
//   object <hash> <bytes>
//   manifest <bytes>
//   <the manifest>
//   checksum <hash of all that is above>
// The key is in it, so that a file under another name is not taken for that entry.
struct Entry {
  std::string key, object, manifest;
  std::uint64_t object_bytes = 0;
};

constexpr std::string_view first_line = "gnomon-cache 1\n";
constexpr std::string_view checksum_word = "checksum ";

std::string format_entry(const Entry& entry) {
  std::string text =
      fmt::format("{}key {}\nobject {} {}\nmanifest {}\n{}\n", first_line, entry.key, entry.object,
                  entry.object_bytes, entry.manifest.size(), entry.manifest);
  return fmt::format("{}{}{}\n", text, checksum_word, content_hash(text));
}

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

std::optional<Entry> parse_entry(std::string_view text) {
  const std::size_t tail = checksum_word.size() + hash_digits + 1;
  if (text.size() < tail) return std::nullopt;
  const std::string_view body = text.substr(0, text.size() - tail);
  if (text.substr(body.size()) != fmt::format("{}{}\n", checksum_word, content_hash(body)))
    return std::nullopt;
  Entry entry;
  std::uint64_t manifest_bytes = 0;
  Reader reader(body);
  const bool whole =
      reader.skip(first_line) && reader.skip("key ") && reader.take(hash_digits, entry.key) &&
      reader.skip("\nobject ") && reader.take(hash_digits, entry.object) && reader.skip(" ") &&
      reader.number(entry.object_bytes) && reader.skip("\nmanifest ") &&
      reader.number(manifest_bytes) && reader.skip("\n") &&
      reader.take(manifest_bytes, entry.manifest) && reader.skip("\n") && reader.at_end();
  if (!whole || !is_hash(entry.object)) return std::nullopt;
  return entry;
}

bool object_is_whole(const fs::path& path, const std::string& hash, std::uint64_t bytes) {
  const auto content = read_file(path);
  return content && content->size() == bytes && content_hash(*content) == hash;
}

// Writes the object unless a whole one is there already.
bool put_object(const fs::path& path, const std::string& hash, std::string_view bytes) {
  return object_is_whole(path, hash, bytes.size()) || write_file(path, bytes);
}

void check_key(std::string_view key) {
  if (!is_hash(key))
    throw ValueError(
        fmt::format("cache: expected a key of 32 hexadecimal digits, found \"{}\"", key));
}

void remove_file(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

struct CachedFile {
  fs::path path;
  std::int64_t bytes = 0;
  fs::file_time_type used;
};

// The cache's own files in a folder that others may be changing.
std::vector<CachedFile> list_files(const fs::path& folder) {
  std::vector<CachedFile> files;
  std::error_code error;
  fs::directory_iterator it(folder, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const fs::path path = it->path();
    const std::string extension = path.extension().string();
    if (extension != entry_suffix && extension != object_suffix &&
        !is_unfinished(path.filename().string()))
      continue;
    std::error_code gone;
    const auto bytes = static_cast<std::int64_t>(fs::file_size(path, gone));
    const auto used = gone ? fs::file_time_type() : fs::last_write_time(path, gone);
    if (!gone) files.push_back({path, bytes, used});
  }
  return files;
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Cache::Cache(fs::path folder) : folder_(std::move(folder)) {}

fs::path Cache::entry_path(std::string_view key) const {
  return folder_ / fmt::format("{}{}", key, entry_suffix);
}

std::optional<CacheEntry> Cache::find(std::string_view key) const {
  check_key(key);
  const fs::path path = entry_path(key);
  const auto text = read_file(path);
  if (!text) return std::nullopt;
  auto entry = parse_entry(*text);
  if (!entry || entry->key != key) {
    remove_file(path);
    return std::nullopt;
  }
  const fs::path object = folder_ / fmt::format("{}{}", entry->object, object_suffix);
  if (!object_is_whole(object, entry->object, entry->object_bytes)) {
    remove_file(path);
    remove_file(object);
    return std::nullopt;
  }
  // `trim` goes by this time; a folder that is only readable keeps the old one.
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return CacheEntry{std::move(entry->manifest), object, true};
}

CacheEntry Cache::store(std::string_view key, std::string_view manifest,
                        std::span<const char> object) const {
  check_key(key);
  const std::string_view bytes(object.data(), object.size());
  const Entry entry{std::string(key), content_hash(bytes), std::string(manifest), bytes.size()};
  const std::string name = fmt::format("{}{}", entry.object, object_suffix);
  // The object first: an entry never names a file that is not there yet.
  if (make_private_folder(folder_) && put_object(folder_ / name, entry.object, bytes) &&
      write_file(entry_path(key), format_entry(entry)))
    return {entry.manifest, folder_ / name, true};

  try {
    return {entry.manifest, store_privately(object), false};
  } catch (const DeviceError&) {
    throw DeviceError(
        fmt::format("cache: expected a folder that can be written, found neither {} nor {}",
                    folder_.string(), temporary_folder().string()));
  }
}

fs::path store_privately(std::span<const char> object) {
  const std::string_view bytes(object.data(), object.size());
  const std::string hash = content_hash(bytes);
  const fs::path aside = private_object_folder();
  const fs::path path = aside / fmt::format("{}{}", hash, object_suffix);
  if (aside.empty() || !put_object(path, hash, bytes))
    throw DeviceError(fmt::format("cache: expected a folder that can be written, found {}",
                                  temporary_folder().string()));
  return path;
}

void Cache::remove(std::string_view key) const {
  check_key(key);
  remove_file(entry_path(key));
}

void Cache::clear() const {
  for (const CachedFile& file : list_files(folder_)) remove_file(file.path);
}

void Cache::trim(std::int64_t bytes) const {
  std::vector<CachedFile> files = list_files(folder_);
  std::int64_t total = 0;
  for (const CachedFile& file : files) total += file.bytes;
  if (total <= bytes) return;
  // The most recently used entries stay, with their objects, while they fit.
  std::ranges::sort(files, std::ranges::greater(), &CachedFile::used);
  std::set<fs::path> kept;
  std::int64_t held = 0;
  for (const CachedFile& file : files) {
    if (file.path.extension() != entry_suffix) continue;
    const auto text = read_file(file.path);
    const auto entry = text ? parse_entry(*text) : std::nullopt;
    if (!entry) continue;
    const fs::path object = folder_ / fmt::format("{}{}", entry->object, object_suffix);
    const std::int64_t cost =
        file.bytes + (kept.contains(object) ? 0 : static_cast<std::int64_t>(entry->object_bytes));
    if (held + cost > bytes) break;
    held += cost;
    kept.insert({file.path, object});
  }
  // Entries before objects, so that no entry is left without its object.
  std::ranges::partition(files,
                         [](const CachedFile& f) { return f.path.extension() == entry_suffix; });
  for (const CachedFile& file : files)
    if (!kept.contains(file.path)) remove_file(file.path);
}

CacheStats Cache::stats() const {
  CacheStats stats;
  for (const CachedFile& file : list_files(folder_)) {
    stats.bytes += file.bytes;
    if (file.path.extension() == entry_suffix) ++stats.entries;
    if (file.path.extension() == object_suffix) ++stats.objects;
  }
  return stats;
}

}  // namespace gnomon
