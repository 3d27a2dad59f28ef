// Units -> artifact.
#include "codegen/toolchain/artifact.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace gnomon {

namespace {

// The bytes of what a device loads, as a unit that has them as `symbol`.
Unit image_unit(std::span<const char> image, const std::string& symbol) {
  std::string text = fmt::format(
      "extern \"C\" {{\nextern const unsigned char {0}[];\n"
      "alignas(64) const unsigned char {0}[] =\n",
      symbol);
  constexpr std::size_t bytes_of_line = 32;
  for (std::size_t at = 0; at < image.size(); at += bytes_of_line) {
    text += '"';
    for (const char byte : image.subspan(at, std::min(bytes_of_line, image.size() - at)))
      text += fmt::format("\\{:03o}", static_cast<unsigned char>(byte));
    text += "\"\n";
  }
  return {"image.cpp", text + ";\n}\n"};
}

}  // namespace

std::vector<Unit> with_images(std::vector<Unit> units, const BuildOptions& options) {
  for (Unit& unit : units)
    if (!unit.kernels.empty()) unit = image_unit(build_device_image(unit, options), unit.image);
  return units;
}

Artifact build_artifact(std::vector<Unit> units, Signature signature, std::vector<Array> constants,
                        const BuildOptions& options) {
  std::vector<char> object = build_shared_object(with_images(units, options), options);
  return {std::move(units), std::move(object), std::move(signature), std::move(constants)};
}

std::string text(std::span<const Unit> units) {
  std::string all;
  for (const Unit& u : units) all += fmt::format("// --- {}\n{}\n", u.name, u.text);
  return all;
}

}  // namespace gnomon
