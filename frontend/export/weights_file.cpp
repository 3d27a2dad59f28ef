// Lays weights and first values of variables out in a file.
#include "frontend/export/weights_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "frontend/files/sha256.h"
#include "stdlib/prelude/export/weights_file.h"

namespace gnomon {

namespace {

// What the functions compute, and which arrays they take.
std::string identity_text(const Interface& library) {
  std::string text;
  for (const InterfaceFunction& f : library.functions)
    text += fmt::format("{:016x}{:016x} {} {}\n", f.key[0], f.key[1], fmt::join(f.weights, ","),
                        fmt::join(f.variables, ","));
  const auto add = [&](const Array& a) {
    text += fmt::format("{}[{}]\n", name_of(a.dtype()), fmt::join(a.shape(), ","));
  };
  for (const Array& weight : library.weights) add(weight);
  for (const Shared& variable : library.variables) add(variable.get());
  return text;
}

}  // namespace

WeightsLayout weights_layout(const Interface& library) {
  WeightsLayout layout;
  layout.bytes = sizeof(gn::WeightsHead);
  const auto placed = [&](const Array& a) {
    const std::uint64_t at = layout.bytes;
    const auto bytes = static_cast<std::uint64_t>(a.bytes());
    layout.bytes +=
        (bytes + gn::weights_alignment - 1) / gn::weights_alignment * gn::weights_alignment;
    return at;
  };
  for (const Array& weight : library.weights) layout.weights.push_back(placed(weight));
  for (const Shared& v : library.variables) layout.variables.push_back(placed(v.get()));
  layout.identity = sha256_of(identity_text(library));
  return layout;
}

std::vector<char> weights_bytes(const Interface& library) {
  const WeightsLayout layout = weights_layout(library);
  std::vector<char> bytes(layout.bytes);
  const auto put = [&](std::uint64_t at, const Array& a) {
    const Array dense = a.contiguous();
    if (dense.bytes() > 0)
      std::memcpy(bytes.data() + at, dense.data(), static_cast<std::size_t>(dense.bytes()));
  };
  for (std::size_t i = 0; i < layout.weights.size(); ++i)
    put(layout.weights[i], library.weights[i]);
  for (std::size_t i = 0; i < layout.variables.size(); ++i)
    put(layout.variables[i], library.variables[i].get());
  gn::WeightsHead head{};
  std::memcpy(head.magic, gn::weights_magic, sizeof head.magic);
  head.bytes = layout.bytes;
  head.count = layout.weights.size() + layout.variables.size();
  std::memcpy(head.identity, layout.identity.data(), sizeof head.identity);
  std::memcpy(bytes.data(), &head, sizeof head);
  head.checksum =
      gn::weights_checksum(bytes.data() + gn::checked_from, layout.bytes - gn::checked_from);
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

}  // namespace gnomon
