// Signatures of compiled functions, as they stand in shared objects.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "frontend/gnomon.h"
#include "frontend/profile.h"
#include "frontend/profiled.h"
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

// A call that counted each step once, and as many bytes as there can be in each buffer.
void check_profile(const Program& program) {
  const auto profiled = std::make_shared<Profiled>(program, std::vector<CompileStage>{});
  const std::size_t steps = profiled->steps.size(), buffers = profiled->memory.size();
  {
    ProfileRecorder::Running call(profiled->recorder);
    gnomon_profile& profile = *call.profile();
    for (std::size_t i = 0; i < steps; ++i) profile.counts[i] = {1, 10, 8, 1, 1};
    for (std::size_t b = 0; b < buffers; ++b) profile.held[b] = INT64_MAX / 2;
    for (; profile.seen < std::min<std::int64_t>(profile.room, std::ssize(profiled->steps));
         ++profile.seen)
      profile.events[profile.seen] = {profile.seen, profile.seen, profile.seen + 1};
    call.end(CallStage::run);
    call.succeed();
  }
  const Profile profile({profiled}, {.bytes_per_second = 1e10, .operations_per_second = 1e11});
  const FunctionProfile& found = profile.functions()[0];
  if (found.steps.size() != steps || found.memory.size() != buffers) std::abort();
  if (profile.text().empty() || profile.json().empty()) std::abort();
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
  check_profile(program);
  return 0;
}
