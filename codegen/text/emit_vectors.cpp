// Loops over lanes: one body for full vectors and the rest, or one each; what stands before them.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "codegen/text/emit_kernel.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr int widest_unrolled_body = 24;  // additions; longer bodies have enough work in flight

bool is_word(const std::string& name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

}  // namespace

// What one pass through a loop costs, in additions: lanes that are gathered or checked are many.
int KernelEmitter::work_in(int loop) const {
  constexpr int lane_by_lane = 8;
  int work = 0;
  for (int i = loop + 1; i < end_of_.at(loop); ++i) {
    const Statement& s = kernel_.body[i];
    const bool scattered = s.access == Access::gather || s.code == Code::check;
    work += scattered ? lane_by_lane : s.code == Code::let ? s.op->scalar.cost : 1;
  }
  return work;
}

// Whether lanes are written one after the other: with all of them live that is straight code.
bool KernelEmitter::scatters(int loop) const {
  for (int i = loop + 1; i < end_of_.at(loop); ++i) {
    const Statement& s = kernel_.body[i];
    const bool writes = s.code == Code::store || s.code == Code::update;
    if (writes && (s.access == Access::gather || strided_.contains(i))) return true;
  }
  return false;
}

KernelEmitter::Vectors KernelEmitter::vectors_of(int loop) {
  const auto [known, fresh] = vectors_.try_emplace(loop, Vectors::apart);
  if (!fresh) return known->second;
  const Axis& axis = axis_of(loop);
  const Statement &from = kernel_.body[kernel_.body[loop].args[0]],
                  &to = kernel_.body[kernel_.body[loop].args[1]];
  bool sums = false, searches = false;
  for (int i = loop + 1; i < end_of_.at(loop); ++i) {
    const Statement& s = kernel_.body[i];
    if (s.code != Code::reduce || is_inside(s.args[0], loop)) continue;
    (s.args.size() > 2 ? searches : sums) = true;
  }
  if (searches) return known->second;
  const bool known_length = from.code == Code::constant && to.code == Code::constant;
  const std::int64_t n = known_length ? to.value.i - from.value.i : 0;
  if (n > 0 && n < axis.width) return known->second = Vectors::part;
  const bool in_turn = sums && axis.chains > 1;
  if (n > 0 && n % axis.width == 0 && !in_turn) return known->second = Vectors::whole;
  if (axis.masks && work_in(loop) > widest_unrolled_body && !scatters(loop))
    known->second = Vectors::together;
  return known->second;
}

// How many elements come before the first whole vector, so that stores past the caches are aligned;
// "" if there are none. Chains meet elements by their numbers, so loops with chains cannot lead.
std::string KernelEmitter::declare_lead(int loop) {
  const Statement& head = kernel_.body[loop];
  const int width = axis_of(loop).width;
  if (chained_.contains(loop)) return "";
  std::vector<int> stores;
  for (int i = loop + 1; i < end_of_.at(loop); ++i) {
    const Statement& s = kernel_.body[i];
    if (s.code != Code::store || !streams(s)) continue;
    if (is_inside(s.args[0], loop)) return "";
    stores.push_back(i);
  }
  // Chunks of a flat axis are whole lines.
  if (std::ranges::all_of(stores, [&](int i) { return plain(kernel_.body[i].args[0]) == "0"; }))
    return "";
  std::string lead;
  for (const int i : stores) {
    const Statement& s = kernel_.body[i];
    std::string first = buffer_names_[s.buffer];
    for (const std::int32_t part : {s.args[0], head.args[0]})
      if (plain(part) != "0") first += " + " + plain(part);
    if (lead.empty()) {
      lead = fresh("lead");
      line(fmt::format("const i64 {} = gn::lead<{}>({}, {});", lead, width, first, is_far(s)));
    }
    past_[i] = fresh(buffer_names_[s.buffer] + "_past");
    line(fmt::format("const bool {} = {} && gn::is_aligned<{}>({} + {});", past_[i], is_far(s),
                     width, first, lead));
  }
  return lead;
}

// The body knows which lanes are live, and the chain that the vector feeds.
void KernelEmitter::vector_loop(int i, const std::string& j, const std::string& lo,
                                const std::string& hi) {
  const Axis& axis = axis_of(i);
  const int w = axis.width;
  const bool chained = chained_.contains(i);
  const int chains = chained ? axis.chains : 1;
  widths_.push_back(w);
  switch (vectors_of(i)) {
    case Vectors::apart: {
      const std::string lead = declare_lead(i);
      const bool unroll = work_in(i) <= widest_unrolled_body;
      const std::string loop = lead.empty()
                                   ? fmt::format("vector_loop<{}, {}, {}>(", w, chains, unroll)
                                   : fmt::format("led_loop<{}>({}, ", w, lead);
      return line(fmt::format("gn::{}{}, {}, [&](i64 {}, auto live, int{}) GN_BODY {{", loop, lo,
                              hi, j, chained ? " chain" : ""));
    }
    case Vectors::together: {
      const std::string lead = declare_lead(i), part = fresh("part");
      line(fmt::format("for (gn::Parts<{0}> {1}({2}, {3}{4}); {1}.remain(); {1}.next()) {{", w,
                       part, lo, hi, lead.empty() ? "" : ", " + lead));
      ++indent_;
      line(fmt::format("for (i64 {0} = {1}.from; {0} < {1}.to; {0} += {2}) {{", j, part, w));
      line(fmt::format("  const gn::Most<{}> live = {}.live;", w, part));
      if (chains > 1)
        line(fmt::format("  const i64 chain = ({}{}) / {} % {};", j, lo == "0" ? "" : " - " + lo, w,
                         chains));
      return;
    }
    case Vectors::part:
      line("{");
      line(fmt::format("  const i64 {} = {};", j, lo));
      return line(fmt::format("  const gn::Tail<{}> live{{{}}};", w,
                              kernel_.body[kernel_.body[i].args[1]].value.i -
                                  kernel_.body[kernel_.body[i].args[0]].value.i));
    case Vectors::whole:
      line(fmt::format("for (i64 {0} = {1}; {0} < {2}; {0} += {3}) {{", j, lo, hi, w));
      return line(fmt::format("  const gn::Full<{}> live;", w));
  }
}

// Numbers that all lanes of a loop divide by: their reciprocals are taken before it.
void KernelEmitter::declare_divisors(int loop) {
  if (vectors_of(loop) == Vectors::part) return;
  for (int i = loop + 1; i < end_of_.at(loop); ++i) {
    const Statement& s = kernel_.body[i];
    if (s.code != Code::let || s.op != &op::divide || !s.lanes) continue;
    const std::int32_t by = s.args[1];
    const Statement& divisor = kernel_.body[by];
    if (divisor.lanes || is_inside(by, loop) || divisors_.contains(by)) continue;
    divisors_[by] = fresh("by_" + (is_word(names_of_[by]) ? names_of_[by] : "number"));
    line(fmt::format("const gn::Divisor<{}> {}({});", type_name(s.dtype), divisors_[by], use(by)));
  }
}

}  // namespace gnomon
