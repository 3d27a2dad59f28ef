// Signatures of compiled functions, as they stand in shared objects.
#include <string_view>

#include "frontend/gnomon.h"
#include "frontend/program.h"
#include "runtime/error.h"

using namespace gnomon;

namespace {

constexpr std::int64_t plan_size = 40;

const Graph& captured() {
  static const Graph graph = [] {
    const Expr x = matrix("x"), z = vector("z", complex64);
    const Expr inputs[] = {x, z}, outputs[] = {x + 1, sum(x), z * z};
    return capture(inputs, outputs).graph;
  }();
  return graph;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Program program;
  program.captured = captured();
  try {
    program.take_signature(read_signature(text, plan_size));
  } catch (const DeviceError&) {
    return 0;
  }
  // What was accepted can be used: extents by their axes, outputs by their places in a plan,
  // failures by their numbers.
  describe(program.signature);
  for (const SignatureInput& input : program.signature.inputs)
    for (int axis = 0; axis < input.rank; ++axis)
      (void)input.extents.at(static_cast<std::size_t>(axis));
  std::vector<std::int64_t> plan(plan_size);
  for (const ProgramOutput& output : program.outputs)
    for (int axis = 0; axis < output.rank; ++axis)
      plan.at(static_cast<std::size_t>(output.shape_at + axis)) += 1;
  for (std::size_t i = 0; i <= program.signature.failures.size(); ++i) {
    try {
      program.fail({static_cast<std::int32_t>(i), 1, 2, 3});
    } catch (const Error&) {
    }
  }
  return 0;
}
