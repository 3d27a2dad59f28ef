// Units -> artifact.
#include "codegen/toolchain/artifact.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gnomon {

namespace {

// The bytes of what a device loads, as a unit that exports them.
Unit image_unit(std::span<const char> image) {
  std::string text =
      "extern \"C\" {\nextern const unsigned char gnomon_image[];\n"
      "alignas(64) const unsigned char gnomon_image[] =\n";
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

Artifact build_artifact(std::vector<Unit> units, Signature signature, std::vector<Array> constants,
                        const BuildOptions& options) {
  const auto device = std::ranges::find_if(units, [](const Unit& u) { return !u.kernels.empty(); });
  std::vector<Unit> of_host = units;
  if (device != units.end()) {
    of_host.erase(of_host.begin() + (device - units.begin()));
    of_host.push_back(image_unit(build_device_image(*device, options)));
  }
  std::vector<char> object = build_shared_object(of_host, options);
  return {std::move(units), std::move(object), std::move(signature), std::move(constants)};
}

std::string text(std::span<const Unit> units) {
  std::string all;
  for (const Unit& u : units) all += fmt::format("// --- {}\n{}\n", u.name, u.text);
  return all;
}

}  // namespace gnomon
