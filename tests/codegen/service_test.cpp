// The services of the runtime: their records are those of the contract, and what steps say of the
// buffers they touch.
#include "codegen/module/service.h"

#include <doctest/doctest.h>

#include <cctype>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/module/accesses.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/lines/sorting.h"
#include "stdlib/ops.h"

using namespace gnomon;

namespace {

// The text of a struct of runtime/abi.h between its braces.
std::string fields_of(std::string_view record) {
  std::ifstream file(GNOMON_SOURCE_DIR "/runtime/abi.h");
  std::stringstream text;
  text << file.rdbuf();
  const std::string all = text.str(), head = "typedef struct " + std::string(record) + " {";
  const std::size_t from = all.find(head);
  REQUIRE(from != std::string::npos);
  return all.substr(from, all.find("\n}", from) - from);
}

bool has_word(const std::string& text, const std::string& word) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end])))
      return true;
  }
  return false;
}

// One node of each service.
std::vector<Expr> examples() {
  const Dim n = Dim::symbol(0, "n");
  const Expr x = tensor("x", DType::float64, {n, n});
  const Expr image = tensor("image", DType::float64, {2, 3, n});
  const Expr weights = tensor("weights", DType::float64, {4, 3, 2});
  return {make_node(op::dot, {x.value(), x.value()}), conv(image, weights, {}), cholesky(x),
          sort(x, 0)};
}

std::vector<int> used(const std::vector<BufferUse>& uses, BufferUse::How how) {
  std::vector<int> buffers;
  for (const BufferUse& use : uses)
    if (use.how == how) buffers.push_back(use.buffer);
  return buffers;
}

using Buffers = std::vector<int>;

}  // namespace

TEST_CASE("each service is of the contract, and its steps fill in fields that are there") {
  std::vector<const Service*> seen;
  for (const Expr& e : examples()) {
    const Service* service = service_of(e.value().node().op().step);
    REQUIRE(service != nullptr);
    CAPTURE(service->name);
    seen.push_back(service);
    CHECK(has_word(fields_of("gnomon_services"), std::string(service->entry)));
    const std::string fields = fields_of(service->record);
    const ServiceStep step = service_step(e.value().node());
    CHECK(step.service == service);
    CHECK(step.op == e.value().node().op().name);
    CHECK(step.arguments.size() > 2);
    for (const std::vector<Argument>& together : step.arguments)
      for (const Argument& argument : together) {
        CAPTURE(argument.field);
        CHECK(has_word(fields, argument.field.substr(0, argument.field.find('['))));
      }
    CHECK(service->reports == (has_word(fields, "failed") && has_word(fields, "pivot")));
  }
  CHECK(seen == all_services());
  CHECK(service_of(StepKind::none) == nullptr);
  CHECK(service_of(StepKind::loop) == nullptr);
}

TEST_CASE("each step of an op is that of a service, or one that lowering knows") {
  for (const Op* o : all_ops()) {
    CAPTURE(o->name);
    const bool is_control = o->step == StepKind::loop || o->step == StepKind::branch ||
                            o->step == StepKind::call || o->step == StepKind::print ||
                            o->step == StepKind::check || o->step == StepKind::transfer;
    CHECK((o->step == StepKind::none || is_control || service_of(o->step) != nullptr));
  }
}

TEST_CASE("steps say which buffers they touch, and how they may end") {
  using How = BufferUse::How;
  Module m;
  ServiceStep call;
  call.service = service_of(StepKind::product);
  call.in = {1, 2}, call.out = {3};
  CHECK(used(accesses(m, {call}), How::reads) == Buffers{1, 2});
  CHECK(used(accesses(m, {call}), How::writes) == Buffers{3});
  call.adds = true;
  CHECK(used(accesses(m, {call}), How::adds) == Buffers{3});
  CHECK(used(accesses(m, {call}), How::writes).empty());
  CHECK(ending(m, {call}).fails_first);

  CHECK(used(accesses(m, {CopyStep{4, 5}}), How::reads) == Buffers{4});
  CHECK(used(accesses(m, {CopyStep{4, 5}}), How::writes) == Buffers{5});
  CHECK_FALSE(ending(m, {CopyStep{4, 5}}).may_fail);
  CHECK(used(accesses(m, {CheckStep{1, 0}}), How::reads) == Buffers{1});
  CHECK(used(accesses(m, {CheckStep{1, 0, 2, 3}}), How::reads) == Buffers{1, 2, 3});
  CHECK(ending(m, {CheckStep{1, 0}}).stays);

  LoopStep loop{1, 2, -1, {3}, {4}, {5}, {6}, {{7, 8}}, {}};
  loop.body.push_back({CopyStep{7, 8}});
  const Step step{loop};
  CHECK(used(accesses(m, step), How::reads) == Buffers{1, 3});
  CHECK(used(accesses(m, step), How::writes) == Buffers{2, 4, 5, 6, 7, 8});
  int inner = 0;
  for_each_inner(step, [&](const std::vector<Step>& steps) { inner += int(steps.size()); });
  CHECK(inner == 1);
}
