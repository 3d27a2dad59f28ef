// What is kept beside the object of a function, and who may use it.
#include "frontend/function_manifest.h"

#include <doctest/doctest.h>

#include <ctime>
#include <vector>

#include "codegen/toolchain/build.h"
#include "codegen/toolchain/target.h"
#include "frontend/function.h"
#include "stdlib/ops.h"
#include "tests/support/folder_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

Function twice(const Folder& folder, const std::string& name) {
  CompileOptions options;
  options.name = name;
  options.cache_folder = folder.path.string();
  const Expr x = vector("x");
  return compile({x}, {x * 2.0}, {}, options);
}

// Another text beside the object that the entry has.
void replace_manifest(const Cache& cache, const std::string& key, const std::string& manifest) {
  const std::vector<char> object = [&] {
    const auto entry = cache.find(key);
    REQUIRE(entry);
    std::FILE* const file = std::fopen(entry->object.c_str(), "rb");
    std::vector<char> bytes(1 << 20);
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
    std::fclose(file);
    return bytes;
  }();
  REQUIRE(cache.store(key, manifest, object).persistent);
}

}  // namespace

TEST_CASE("a stored function has the name, the processor and the time of who compiled it first") {
  const Folder folder;
  const std::int64_t before = std::time(nullptr);
  CHECK_FALSE(twice(folder, "first \xff\n").was_cached());
  CHECK(twice(folder, "second").was_cached());
  const auto stored = stored_functions(Cache(folder.path), CacheLook::contents);
  REQUIRE(stored.size() == 1);
  CHECK(stored[0].origin.name == "first \xef\xbf\xbd\n");  // what stands for bytes of no text
  CHECK(stored[0].origin.processor == host_target().name);
  CHECK(stored[0].origin.made >= before);
  CHECK(stored[0].origin.made <= std::time(nullptr));
  CHECK(stored[0].build == build_id());
  CHECK(stored[0].current);
  CHECK(stored[0].damage.empty());
}

TEST_CASE("entries with the first line alone are of older versions and are used") {
  const Folder folder;
  const Cache cache(folder.path);
  twice(folder, "f");
  const std::string key = stored_functions(cache)[0].key;
  replace_manifest(cache, key, manifest_head(key));
  CHECK(twice(folder, "f").was_cached());
  CHECK(stored_functions(cache)[0].origin.name.empty());
  CHECK(stored_functions(cache)[0].origin.made == 0);
  CHECK(stored_functions(cache)[0].current);
}

TEST_CASE("entries of another build are listed and not used") {
  const Folder folder;
  const Cache cache(folder.path);
  for (const std::string manifest :
       {"{\"abi\":1,\"build\":\"other\",\"key\":\"\"}", "no json", "", "[1]\n{\"name\":3}"}) {
    twice(folder, "f");
    const std::string key = stored_functions(cache)[0].key;
    replace_manifest(cache, key, manifest);
    CHECK_FALSE(stored_functions(cache)[0].current);
    CHECK(stored_functions(cache)[0].origin.name.empty());
    CHECK_FALSE(twice(folder, "f").was_cached());
  }
}

TEST_CASE("a first line that goes on is another one") {
  const std::string head = manifest_head(std::string(32, 'a'));
  CHECK(has_manifest_head(head, head));
  CHECK(has_manifest_head(manifest_text(head, {"f", "p", 1}), head));
  CHECK_FALSE(has_manifest_head(head + " ", head));
  CHECK_FALSE(has_manifest_head("", head));
}
