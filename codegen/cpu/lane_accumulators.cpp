// Shapes and spells accumulators that lanes feed.
#include "codegen/cpu/lane_accumulators.h"

#include <fmt/format.h>

#include <algorithm>

namespace gnomon {

namespace {

constexpr int enough_chains = 4;  // of accumulators that take elements in any order

// Whether elements may come in any order: extremes, any, all.
bool is_unordered(const Reduction& r) {
  return r.identity != Reduction::Identity::zero && r.identity != Reduction::Identity::one;
}

}  // namespace

LaneAccumulators::LaneAccumulators(KernelOutline& outline, KernelWriter& writer,
                                   const VectorLoops& vectors)
    : Accumulators(outline, writer) {
  for (int i = 0; i < outline.size(); ++i)
    if (outline[i].code == Code::reduce) shape(i, vectors);
  for (int i = 0; i < outline.size(); ++i)
    if (outline[i].code == Code::reduce && shapes_[outline[i].args[0]].form != Form::chains)
      join_product(i);
}

void LaneAccumulators::shape(int reduce, const VectorLoops& vectors) {
  const Statement& s = outline_[reduce];
  Shape& shape = shapes_[s.args[0]];
  const int around = outline_.enclosing(s.args[0], AxisKind::vector);
  const int feeding = outline_.enclosing(reduce, AxisKind::vector);
  if (around >= 0) {
    shape.form = Form::lanes;
    shape.width = outline_.axis_of(around).width;
  } else if (feeding >= 0) {
    shape.form = Form::chains;
    shape.width = outline_.axis_of(feeding).width;
    shape.chains = outline_.axis_of(feeding).chains;
    shape.rest = vectors.of(feeding) == Vectors::apart;
    chained_.insert(feeding);
  }
  // The places of a search are counted in the lanes' own width, from the start of the loop.
  if (s.args.size() < 3 || shape.form == Form::scalar) return;
  const Statement& place = outline_[s.args[2]];
  if (place.code != Code::axis) return;
  for (int at = outline_.parent(reduce); at >= 0 && shape.counted < 0; at = outline_.parent(at))
    if (outline_.is_loop(at) && outline_[at].axis == place.axis) shape.counted = at;
  if (place.lanes) outline_.release(s.args[2]);
}

void LaneAccumulators::declare(int acc) {
  switch (shapes_[acc].form) {
    case Form::scalar: return Accumulators::declare(acc);
    case Form::lanes: return declare_lanes(acc);
    case Form::chains: return declare_chains(acc);
  }
}

void LaneAccumulators::declare_lanes(int acc) {
  const Statement& s = outline_[acc];
  const Shape& shape = shapes_.at(acc);
  const std::string& name = begin(acc, own_name(acc));
  const std::string identity = literal(s.dtype, s.value), v = lanes_name(s.dtype, shape.width);
  if (!is_search(acc))
    return w_.line(fmt::format("{0} {1} = gn::splat<{0}>({2});", v, name, identity));
  const bool counts = shape.counted >= 0;
  const std::string places =
      counts ? fmt::format("gn::place_of<{}>", v) : lanes_name(DType::int64, shape.width);
  w_.line(fmt::format("gn::Best<{0}, {1}> {2} = {{gn::splat<{0}>({3}), {1}({4})}};", v, places,
                      name, identity, counts ? "0" : no_index));
}

void LaneAccumulators::declare_chains(int acc) {
  const Statement& s = outline_[acc];
  const Shape& shape = shapes_.at(acc);
  const bool any_order = is_unordered(s.op->reduction);
  const auto line = [&](const std::string& name, int chains) {
    w_.line(fmt::format("gn::{}<{}, {}> {}({});", is_search(acc) ? "BestChains" : "Chains",
                        lanes_name(s.dtype, shape.width), chains, name, literal(s.dtype, s.value)));
  };
  line(begin(acc, own_name(acc) + "_parts"),
       any_order ? std::min(shape.chains, enough_chains) : shape.chains);
  if (!shape.rest) return;
  rests_[acc] = w_.fresh(own_name(acc) + "_rest");
  line(rests_.at(acc), any_order ? 1 : shape.chains);
}

// The one of the chains that a vector feeds.
std::string LaneAccumulators::chain_of(int acc) {
  const Shape& shape = shapes_.at(acc);
  std::string chain = w_.fresh(own_name(acc));
  w_.line(shape.rest ? fmt::format("auto& {} = gn::chain_of({}, {}, live, chain);", chain,
                                   w_.name(acc), rests_.at(acc))
                     : fmt::format("auto& {} = gn::chain_of({}, {});", chain, w_.name(acc),
                                   shape.chains > 1 ? "chain" : "0"));
  return chain;
}

void LaneAccumulators::reduce(int i) {
  const Statement& s = outline_[i];
  const int acc = s.args[0];
  const Shape& shape = shapes_.at(acc);
  const bool chains = shape.form == Form::chains;
  if (is_search(acc) && shape.counted >= 0) {
    std::string place = w_.index_of(outline_[shape.counted].axis);
    if (const std::string from = start_of(shape.counted); from != "0") place += " - " + from;
    const std::string value = w_.use(s.args[1], true);
    return w_.line(chains ? fmt::format("gn::take_in_chain<{}>({}, {}, chain, {}, {}, live);",
                                        greatest(acc), w_.name(acc), rests_.at(acc), value, place)
                          : fmt::format("gn::take_next<{}>({}, {}, {});", greatest(acc),
                                        w_.name(acc), value, place));
  }
  const std::string target = chains ? chain_of(acc) : w_.name(acc);
  if (is_search(acc) || !chains) return take(i, target, shape.form != Form::scalar);
  const Statement& start = outline_[acc];
  w_.line(fmt::format("{0} = {1}({0}, gn::keep(live, {2}, {3}));", target, combine(acc),
                      w_.use(s.args[1], true), literal(start.dtype, start.value)));
}

void LaneAccumulators::fold(int i) {
  const int acc = outline_[i].args[0];
  const Shape& shape = shapes_[acc];
  const bool chains = shape.form == Form::chains;
  if (is_search(acc) && chains)
    return fold_search(i, fmt::format("gn::fold_best<{}>({}, {}, {})", greatest(acc), w_.name(acc),
                                      rests_.at(acc), start_of(shape.counted)));
  if (is_search(acc) && shape.counted >= 0 && outline_[i].number == 1)
    return w_.define(
        i, fmt::format("{0}({1}) + gn::convert<{0}>({2}.index)", w_.type(DType::int64, true),
                       start_of(shape.counted), w_.name(acc)));
  if (chains)
    return define_fold(i, fmt::format("gn::fold_chains({}{}, {})", w_.name(acc),
                                      shape.rest ? ", " + rests_.at(acc) : "", combiner(acc)));
  Accumulators::fold(i);
}

}  // namespace gnomon
