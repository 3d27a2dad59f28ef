// What a module says of itself: extents that the call computes, kernels and products it runs.
#include "codegen/module/module.h"

#include "codegen/module/accesses.h"

namespace gnomon {

namespace {

// Of a choice, the steps of one way count.
template <class Predicate>
int count_steps_where(const std::vector<Step>& steps, const Predicate& counts) {
  int n = 0;
  for (const Step& s : steps) {
    n += counts(s);
    if (const auto* choice = std::get_if<ChoiceStep>(&s.what))
      n += count_steps_where(choice->otherwise, counts);
    else
      for_each_inner(
          s, [&](const std::vector<Step>& inner) { n += count_steps_where(inner, counts); });
  }
  return n;
}

}  // namespace

int device_of(const Step& step) {
  if (const auto* kernel = std::get_if<KernelStep>(&step.what)) return kernel->device;
  const auto* service = std::get_if<ServiceStep>(&step.what);
  return service == nullptr ? of_host : service->device;
}

bool Module::is_late(const Shape& shape) const {
  bool late = false;
  for (const Dim& d : shape)
    if (!d.is_constant())
      d.for_each_atom([&](const AtomRef& atom) {
        if (late || atom->kind == Atom::Kind::symbol) return;  // of an argument
        for (const DimensionSlot& slot : dimensions)
          late = late || (slot.extent == -1 && *slot.atom == *atom);
      });
  return late;
}

int Module::kernel_calls() const {
  return count_steps_where(
      steps, [](const Step& s) { return std::holds_alternative<KernelStep>(s.what); });
}

int Module::products() const {
  const Service* product = service_of(StepKind::product);
  return count_steps_where(steps, [product](const Step& s) {
    const auto* call = std::get_if<ServiceStep>(&s.what);
    return call && call->service == product;
  });
}

}  // namespace gnomon
