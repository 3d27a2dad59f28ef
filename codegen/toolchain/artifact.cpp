// Units -> artifact.
#include "codegen/toolchain/artifact.h"

#include <fmt/format.h>

#include <utility>

namespace gnomon {

Artifact build_artifact(std::vector<Unit> units, Signature signature, std::vector<Array> constants,
                        const BuildOptions& options) {
  std::vector<char> object = build_shared_object(units, options);
  return {std::move(units), std::move(object), std::move(signature), std::move(constants)};
}

std::string text(std::span<const Unit> units) {
  std::string all;
  for (const Unit& u : units) all += fmt::format("// --- {}\n{}\n", u.name, u.text);
  return all;
}

}  // namespace gnomon
