// The disk cache: an entry file per key, an object file per content, both checksummed whole.
#include "runtime/cache/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "runtime/cache/cache_file.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view entry_suffix = ".entry";
constexpr std::string_view object_suffix = ".so";
constexpr std::size_t hash_digits = 32;
// What is read at all: larger files are none of ours.
constexpr std::int64_t most_entry_bytes = std::int64_t{1} << 24;
constexpr std::int64_t most_object_bytes = std::int64_t{1} << 30;

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

// The object, if it is there and whole.
Descriptor whole_object(const Descriptor& folder, const std::string& name, const std::string& hash,
                        std::uint64_t bytes) {
  Descriptor file = open_file(folder, name, most_object_bytes);
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 ||
      static_cast<std::uint64_t>(status.st_size) != bytes)
    return Descriptor();
  const auto content = read_file(file);
  return content && content->size() == bytes && content_hash(*content) == hash ? std::move(file)
                                                                               : Descriptor();
}

// Writes the object unless a whole one is there already.
Descriptor put_object(const Descriptor& folder, const std::string& name, const std::string& hash,
                      std::string_view bytes) {
  if (Descriptor there = whole_object(folder, name, hash, bytes.size())) return there;
  return write_file(folder, name, bytes) ? open_file(folder, name, most_object_bytes)
                                         : Descriptor();
}

void check_key(std::string_view key) {
  if (!is_hash(key))
    throw ValueError(
        fmt::format("cache: expected a key of 32 hexadecimal digits, found \"{}\"", key));
}

// The folder, unless there is none or others can change it.
Descriptor checked(OpenedFolder opened, const fs::path& folder) {
  if (!opened.problem.empty())
    tell_once(fmt::format("the cache in {} is not used: {}; GNOMON_CACHE_DIR names another folder",
                          folder.string(), opened.problem));
  return std::move(opened.descriptor);
}

std::string entry_name(std::string_view key) { return fmt::format("{}{}", key, entry_suffix); }
std::string object_name(std::string_view hash) { return fmt::format("{}{}", hash, object_suffix); }

struct CachedFile {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t used = 0;  // nanoseconds

  bool is_entry() const { return name.ends_with(entry_suffix); }
  bool is_object() const { return name.ends_with(object_suffix); }
};

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// The cache's own files in a folder that other processes may be changing.
std::vector<CachedFile> list_files(const Descriptor& folder) {
  std::vector<CachedFile> files;
  if (!folder) return files;
  const int own = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) return files;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(own), ::closedir);
  if (!stream) return files;
  while (const dirent* at = ::readdir(stream.get())) {
    CachedFile file{at->d_name};
    if (!file.is_entry() && !file.is_object() && !is_unfinished(file.name)) continue;
    struct stat status{};
    if (::fstatat(folder.get(), at->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        S_ISDIR(status.st_mode))
      continue;
    file.bytes = S_ISREG(status.st_mode) ? status.st_size : 0;
    file.used = nanoseconds(status.st_mtim);
    files.push_back(std::move(file));
  }
  return files;
}

// Files that processes were writing when they ended, of a folder that this one has not swept yet.
void sweep_unfinished(const Descriptor& folder, const fs::path& path) {
  constexpr std::int64_t oldest = 3'600'000'000'000;  // an hour: nobody writes for so long
  static std::mutex mutex;
  static std::set<fs::path> swept;
  {
    const std::lock_guard lock(mutex);
    if (!swept.insert(path).second) return;
  }
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  for (const CachedFile& file : list_files(folder))
    if (is_unfinished(file.name) && file.used < nanoseconds(now) - oldest)
      remove_file(folder, file.name);
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Cache::Cache(fs::path folder) : folder_(std::move(folder)) {}

std::optional<CacheEntry> Cache::find(std::string_view key) const {
  check_key(key);
  const Descriptor folder = checked(open_folder(folder_), folder_);
  if (!folder) return std::nullopt;
  const std::string name = entry_name(key);
  const Descriptor file = open_file(folder, name, most_entry_bytes);
  const auto text = read_file(file);
  auto entry = text ? parse_entry(*text) : std::nullopt;
  if (!entry || entry->key != key) {
    remove_file(folder, name);
    return std::nullopt;
  }
  const std::string object = object_name(entry->object);
  Descriptor whole = whole_object(folder, object, entry->object, entry->object_bytes);
  if (!whole) {
    remove_file(folder, name);
    remove_file(folder, object);
    return std::nullopt;
  }
  // `trim` goes by this time; a folder that is only readable keeps the old one.
  ::futimens(file.get(), nullptr);
  return CacheEntry{std::move(entry->manifest), folder_ / object, std::move(whole), true};
}

CacheEntry Cache::store(std::string_view key, std::string_view manifest,
                        std::span<const char> object) const {
  check_key(key);
  const std::string_view bytes(object.data(), object.size());
  const Entry entry{std::string(key), content_hash(bytes), std::string(manifest), bytes.size()};
  const std::string name = object_name(entry.object);
  // The object first: an entry never names a file that is not there yet.
  if (const Descriptor folder = checked(make_folder(folder_), folder_)) {
    sweep_unfinished(folder, folder_);
    if (Descriptor file = put_object(folder, name, entry.object, bytes))
      if (write_file(folder, entry_name(key), format_entry(entry)))
        return {entry.manifest, folder_ / name, std::move(file), true};
  }
  return {entry.manifest, {}, Descriptor(), false};
}

void Cache::remove(std::string_view key) const {
  check_key(key);
  if (const Descriptor folder = checked(open_folder(folder_), folder_))
    remove_file(folder, entry_name(key));
}

void Cache::clear() const {
  const Descriptor folder = checked(open_folder(folder_), folder_);
  for (const CachedFile& file : list_files(folder)) remove_file(folder, file.name);
}

void Cache::trim(std::int64_t bytes) const {
  const Descriptor folder = checked(open_folder(folder_), folder_);
  std::vector<CachedFile> files = list_files(folder);
  std::int64_t total = 0;
  for (const CachedFile& file : files) total += file.bytes;
  if (total <= bytes) return;
  // The most recently used entries stay, with their objects, while they fit.
  std::ranges::sort(files, std::ranges::greater(), &CachedFile::used);
  std::set<std::string> kept;
  std::int64_t held = 0;
  for (const CachedFile& file : files) {
    if (!file.is_entry()) continue;
    const auto text = read_file(folder, file.name, most_entry_bytes);
    const auto entry = text ? parse_entry(*text) : std::nullopt;
    if (!entry) continue;
    const std::string object = object_name(entry->object);
    const std::int64_t cost =
        file.bytes + (kept.contains(object) ? 0 : static_cast<std::int64_t>(entry->object_bytes));
    if (held + cost > bytes) break;
    held += cost;
    kept.insert({file.name, object});
  }
  // Entries before objects, so that no entry is left without its object.
  std::ranges::partition(files, &CachedFile::is_entry);
  for (const CachedFile& file : files)
    if (!kept.contains(file.name)) remove_file(folder, file.name);
}

CacheStats Cache::stats() const {
  CacheStats stats;
  for (const CachedFile& file : list_files(checked(open_folder(folder_), folder_))) {
    stats.bytes += file.bytes;
    if (file.is_entry()) ++stats.entries;
    if (file.is_object()) ++stats.objects;
  }
  return stats;
}

}  // namespace gnomon
