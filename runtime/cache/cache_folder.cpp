// Lists a cache folder, and reads entries and objects in it.
#include "runtime/cache/cache_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <memory>

#include "runtime/cache/cache.h"
#include "runtime/cache/cache_file.h"

namespace gnomon {

namespace {

constexpr std::string_view entry_suffix = ".entry";
constexpr std::string_view object_suffix = ".so";

}  // namespace

std::string entry_name(std::string_view key) { return fmt::format("{}{}", key, entry_suffix); }
std::string object_name(std::string_view hash) { return fmt::format("{}{}", hash, object_suffix); }

bool CachedFile::is_entry() const { return name.ends_with(entry_suffix); }
bool CachedFile::is_object() const { return name.ends_with(object_suffix); }
std::string CachedFile::stem() const { return name.substr(0, name.rfind('.')); }

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
    file.used = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    files.push_back(std::move(file));
  }
  return files;
}

std::optional<EntryFile> read_entry(const Descriptor& folder, const std::string& name) {
  const auto text = read_file(folder, name, most_entry_bytes);
  return text ? parse_entry_file(*text) : std::nullopt;
}

Descriptor whole_object(const Descriptor& folder, const EntryFile& entry) {
  Descriptor file = open_file(folder, object_name(entry.object), most_object_bytes);
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 ||
      static_cast<std::uint64_t>(status.st_size) != entry.object_bytes)
    return Descriptor();
  const auto content = read_file(file);
  return content && content->size() == entry.object_bytes && content_hash(*content) == entry.object
             ? std::move(file)
             : Descriptor();
}

Descriptor usable(OpenedFolder opened, const std::filesystem::path& folder) {
  if (!opened.problem.empty())
    tell_once(fmt::format("the cache in {} is not used: {}; GNOMON_CACHE_DIR names another folder",
                          folder.string(), opened.problem));
  return std::move(opened.descriptor);
}

}  // namespace gnomon
