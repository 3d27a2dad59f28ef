// A wheel is an archive of a package, and of a folder that says what it is and what it has.
#include "frontend/export/wheel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <regex>

#include "codegen/toolchain/target.h"
#include "frontend/export/python_text.h"
#include "frontend/files/sha256.h"
#include "frontend/files/zip.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

// Names that differ by case are one, see PEP 503.
std::string normalized(const std::string& name) {
  std::string text;
  for (const char c : name) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Where it runs. It needs no symbols of any version of a C library; code for a processor by name
// runs on that one alone, which no platform says: "linux" is what indexes of packages refuse.
std::vector<std::string> platforms(const ExportedLibrary& library) {
  std::string architecture;
  for (const ProcessorLevel& level : processor_levels())
    if (library.is_portable ? level.name == library.units.back().target
                            : is_of_this_architecture(level.name)) {
      architecture = level.architecture == "x86-64" ? "x86_64" : level.architecture;
      break;
    }
  if (!library.is_portable) return {"linux_" + architecture};
  return {"manylinux_2_17_" + architecture, "musllinux_1_1_" + architecture};
}

std::string base64_of(std::string_view bytes) {
  constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  const auto put = [&] { text += letters[bits >> (count -= 6) & 63]; };
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    count += 8;
    while (count >= 6) put();
  }
  if (count > 0) {
    bits <<= 6 - count;
    count = 6;
    put();
  }
  return text;
}

std::string stem_of(const ExportedLibrary& library) {
  return fmt::format("{}-{}", normalized(library.name), library.wheel_version);
}

class Wheel {
 public:
  explicit Wheel(OutputFile& file) : archive_(file) {}

  void add(const std::string& name, std::string_view bytes) {
    const auto digest = sha256_of(bytes);
    const std::string_view digest_bytes(reinterpret_cast<const char*>(digest.data()),
                                        digest.size());
    record_ += fmt::format("{},sha256={},{}\n", name, base64_of(digest_bytes), bytes.size());
    archive_.add(name, bytes, {});
  }
  void finish(const std::string& record) {
    archive_.add(record, record_ + record + ",,\n", {});
    archive_.finish();
  }

 private:
  ZipWriter archive_;
  std::string record_;
};

}  // namespace

void check_wheel(const ExportedLibrary& library) {
  const std::string& name = library.name;
  if (name.back() == '_' || is_python_keyword(name))
    throw ValueError(
        fmt::format("export: expected a name that Python takes for a package, found {}", name));
  if (!library.gpu.empty())
    throw ValueError("export: a wheel takes NumPy's arrays, and this library those of a GPU");
  if (!library.needs.empty())
    throw ValueError(fmt::format("export: a wheel needs NumPy alone, and this library needs {}",
                                 fmt::join(library.needs, " and ")));
  static const std::regex version(
      R"((0|[1-9]\d*)(\.(0|[1-9]\d*))*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?)"
      R"((\+[a-z0-9]+(\.[a-z0-9]+)*)?)");
  if (!std::regex_match(library.wheel_version, version))
    throw ValueError(fmt::format("export: expected a version like 1.2 or 1.2rc1, found {}",
                                 library.wheel_version));
}

std::filesystem::path wheel_path(const ExportedLibrary& library,
                                 const std::filesystem::path& folder) {
  return folder /
         fmt::format("{}-py3-none-{}.whl", stem_of(library), fmt::join(platforms(library), "."));
}

void write_wheel(const ExportedLibrary& library, const std::filesystem::path& path) {
  const std::string& name = library.name;
  const std::string stem = stem_of(library);
  std::string tags;
  for (const std::string& p : platforms(library)) tags += fmt::format("Tag: py3-none-{}\n", p);
  OutputFile file(path);
  Wheel wheel(file);
  const std::vector<char> shared = library.shared();
  wheel.add(name + "/__init__.py", library.python);
  wheel.add(name + "/_calls.py", python_calls_text());
  wheel.add(fmt::format("{0}/lib{0}.so", name), {shared.data(), shared.size()});
  if (!library.weights.empty())
    wheel.add(fmt::format("{0}/{0}.weights", name),
              {library.weights.data(), library.weights.size()});
  const std::string about = stem + ".dist-info/";
  wheel.add(about + "METADATA",
            fmt::format("Metadata-Version: 2.1\nName: {}\nVersion: {}\n"
                        "Summary: Functions that Gnomon compiled\nRequires-Python: >=3.9\n"
                        "Requires-Dist: numpy\n",
                        name, library.wheel_version));
  wheel.add(about + "WHEEL",
            "Wheel-Version: 1.0\nGenerator: gnomon\nRoot-Is-Purelib: false\n" + tags);
  wheel.finish(about + "RECORD");
  file.finish();
}

}  // namespace gnomon
