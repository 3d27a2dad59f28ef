// gnomon cache: where compiled functions are kept, which there are, and removing them.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/error.h"
#include "runtime/options.h"
#include "runtime/size_text.h"
#include "tools/gnomon/cache_text.h"
#include "tools/gnomon/command.h"
#include "tools/gnomon/terminal.h"

namespace gnomon {

namespace {

struct CacheArguments {
  std::string folder;
  std::vector<std::string> keys;
  std::string size, bytes;  // that may stay
  bool json = false, remove = false, yes = false, others = false;
};

std::filesystem::path folder_of(const CacheArguments& arguments) {
  return arguments.folder.empty() ? default_cache_folder()
                                  : std::filesystem::absolute(arguments.folder);
}

// A folder that others can change is an error here, since nothing else is to be said of it.
Cache cache_of(const CacheArguments& arguments) {
  const std::filesystem::path folder = folder_of(arguments);
  const std::string problem = open_folder(folder).problem;
  if (!problem.empty())
    throw DeviceError(
        fmt::format("cache: expected a folder that only the user can change, found {}: {}",
                    folder.string(), problem));
  return Cache(folder);
}

void print(const std::string& text) { fmt::print("{}", text); }

int where(const CacheArguments& arguments) {
  const std::filesystem::path folder = folder_of(arguments);
  std::error_code error;
  print((arguments.json ? object_text({{"folder", folder.string()},
                                       {"exists", std::filesystem::is_directory(folder, error)},
                                       {"problem", open_folder(folder).problem}})
                        : folder.string()) +
        "\n");
  return done;
}

int list(const CacheArguments& arguments) {
  const Cache cache = cache_of(arguments);
  const auto functions = stored_functions(cache);
  const CacheStats stats = cache.stats();
  print(arguments.json ? json_of(cache, functions, stats) + "\n" : table_of(functions, stats));
  return done;
}

int verify(const CacheArguments& arguments) {
  const Cache cache = cache_of(arguments);
  std::vector<StoredFunction> damaged = stored_functions(cache, CacheLook::contents);
  const auto count = static_cast<std::int64_t>(damaged.size());
  std::erase_if(damaged, [](const StoredFunction& f) { return f.damage.empty(); });
  std::vector<std::string> keys;
  for (const StoredFunction& f : damaged) keys.push_back(f.key);
  if (arguments.remove && !keys.empty()) cache.remove_listed(keys);
  if (arguments.json) {
    auto json = nlohmann::ordered_json::object();
    json["folder"] = cache.folder().string();
    json["checked"] = count;
    json["damaged"] = nlohmann::ordered_json::array();
    for (const StoredFunction& f : damaged)
      json["damaged"].push_back({{"key", f.key}, {"damage", f.damage}});
    json["removed"] = arguments.remove;
    print(object_text(json) + "\n");
  } else {
    for (const StoredFunction& f : damaged) fmt::print("{}  {}\n", printable(f.key), f.damage);
    fmt::print("{} checked, {} damaged{}\n", counted(count), damaged.size(),
               arguments.remove && !damaged.empty() ? " and removed" : "");
  }
  return damaged.empty() || arguments.remove ? done : failed;
}

int report(const CacheArguments& arguments, const Cache& cache, const CacheStats& before) {
  const CacheChange change{before, cache.stats()};
  print(arguments.json ? json_of(cache, change) + "\n" : text_of(change));
  return done;
}

int trim(const CacheArguments& arguments) {
  const Cache cache = cache_of(arguments);
  const CacheStats before = cache.stats();
  cache.trim(parse_size(arguments.size.empty() ? arguments.bytes : arguments.size).value());
  return report(arguments, cache, before);
}

// What the parser asks of --size and --bytes.
std::string fault_of_size(const std::string& text) {
  return parse_size(text) ? "" : fmt::format("expected a size as 500M or 2G, found {}", text);
}
std::string fault_of_bytes(const std::string& text) {
  const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
  return is_number && parse_size(text) ? "" : fmt::format("expected a number, found {}", text);
}

// The functions that the arguments name: by the beginnings of keys, or those of other versions.
std::vector<std::string> chosen_keys(const CacheArguments& arguments, const Cache& cache) {
  std::vector<std::string> keys;
  const auto functions = stored_functions(cache);
  for (const StoredFunction& f : functions)
    if (arguments.others && f.damage.empty() && !f.current) keys.push_back(f.key);
  for (const std::string& prefix : arguments.keys) {
    const auto starts = [&](const StoredFunction& f) { return f.key.starts_with(prefix); };
    const auto found = std::ranges::find_if(functions, starts);
    if (found == functions.end())
      throw ValueError(fmt::format("cache clear: no key begins with {}", prefix));
    if (std::find_if(found + 1, functions.end(), starts) != functions.end())
      throw ValueError(fmt::format("cache clear: several keys begin with {}", prefix));
    keys.push_back(found->key);
  }
  return keys;
}

int clear(const CacheArguments& arguments) {
  const Cache cache = cache_of(arguments);
  const CacheStats before = cache.stats();
  const bool all = arguments.keys.empty() && !arguments.others;
  const std::vector<std::string> keys =
      all ? std::vector<std::string>() : chosen_keys(arguments, cache);
  const std::int64_t count = all ? before.entries : static_cast<std::int64_t>(keys.size());
  if (!arguments.yes && count > 0 &&
      !confirm(fmt::format("remove {} from {}?", counted(count), cache.folder().string())))
    throw ValueError("cache clear: nothing was removed");
  all ? cache.clear() : cache.remove_listed(keys);
  return report(arguments, cache, before);
}

// A command in `parent` that takes a folder and can print JSON.
CLI::App& add_one(CommandLine& line, CLI::App& parent, const std::string& name,
                  const std::string& doc, std::span<const CommandExample> examples,
                  const std::shared_ptr<CacheArguments>& arguments,
                  int (*run)(const CacheArguments&)) {
  CLI::App& command = line.add(parent, name, doc, examples);
  command.add_option("--folder", arguments->folder, "a folder other than that of GNOMON_CACHE_DIR")
      ->type_name("DIR");
  add_json(command, arguments->json);
  line.runs(command, [arguments, run] { return run(*arguments); });
  return command;
}

void add_looks(CommandLine& line, CLI::App& parent, const std::shared_ptr<CacheArguments>& a) {
  static constexpr CommandExample where_examples[] = {
      {"gnomon cache where", "prints the folder"},
      {"du -sh \"$(gnomon cache where)\"", "hands it to another program"},
  };
  static constexpr CommandExample list_examples[] = {
      {"gnomon cache list", "shows all functions"},
      {"gnomon cache list --json | jq -r '.functions[].name'", "their names alone"},
  };
  static constexpr CommandExample verify_examples[] = {
      {"gnomon cache verify", "tells which entries are damaged"},
      {"gnomon cache verify --remove", "removes those, too"},
  };
  add_one(line, parent, "where", "prints the folder that compiled functions are kept in",
          where_examples, a, where);
  add_one(line, parent, "list",
          "shows the compiled functions that are kept, the one used last first\n"
          "For each function: the beginning of its key, when it was used and made, its size, the "
          "processor it was compiled for and its name. Equal functions of different names are one "
          "entry, with the first name.",
          list_examples, a, list);
  add_one(line, parent, "verify",
          "reads every byte of the cache and reports damaged entries\n"
          "Functions never run from a damaged entry: it counts as absent. The exit status is 1 if "
          "there is one and it stays.",
          verify_examples, a, verify)
      .add_flag("--remove", a->remove, "removes damaged entries");
}

void add_removals(CommandLine& line, CLI::App& parent, const std::shared_ptr<CacheArguments>& a) {
  static constexpr CommandExample trim_examples[] = {
      {"gnomon cache trim --size 500M", "keeps what was used last, up to 500 MiB"},
      {"gnomon cache trim --bytes 0", "keeps nothing"},
  };
  static constexpr CommandExample clear_examples[] = {
      {"gnomon cache clear", "removes all functions, after a question"},
      {"gnomon cache clear --yes", "without one"},
      {"gnomon cache clear 3f9a 77c0", "removes two functions, by the beginnings of their keys"},
      {"gnomon cache clear --others", "removes what other versions of Gnomon have left"},
  };
  CLI::App& trimmed =
      add_one(line, parent, "trim",
              "removes the functions used longest ago until the rest fits a size\n"
              "The size of the cache is that of its files. Functions that are needed again are "
              "compiled again.",
              trim_examples, a, trim);
  CLI::Option* const size =
      trimmed.add_option("--size", a->size, "the size that may stay, as 500M or 2G")
          ->check(fault_of_size)
          ->type_name("SIZE");
  CLI::Option* const bytes = trimmed.add_option("--bytes", a->bytes, "the same in bytes")
                                 ->check(fault_of_bytes)
                                 ->type_name("N");
  size->excludes(bytes);
  trimmed.callback([&line, a, size, bytes] {
    if (size->empty() && bytes->empty()) throw CLI::RequiredError("--size or --bytes");
    line.chosen = [a] { return trim(*a); };
  });
  CLI::App& cleared = add_one(line, parent, "clear",
                              "removes compiled functions: all of them, or some\n"
                              "On a terminal it asks first. The constants of `gnomon tune` stay.",
                              clear_examples, a, clear);
  cleared.add_option("KEY", a->keys, "beginnings of the keys of those to remove");
  cleared.add_flag("--others", a->others, "those that other versions of Gnomon have made");
  cleared.add_flag("-y,--yes", a->yes, "does not ask");
}

}  // namespace

void add_cache(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"gnomon cache list", "shows what is kept"},
      {"gnomon cache trim --size 500M", "keeps what was used last"},
  };
  CLI::App& parent =
      line.add(line.app, "cache", "looks after the compiled functions on the disk", examples);
  parent.require_subcommand(1);
  const auto arguments = std::make_shared<CacheArguments>();
  add_looks(line, parent, arguments);
  add_removals(line, parent, arguments);
}

}  // namespace gnomon
