// Guards: the questions of traced functions, their answers, and the tests of later calls.
#include "frontend/python/src/symbols/questions.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>

#include "frontend/python/src/functions/apply.h"
#include "ir/dimension/stretch.h"
#include "ir/graph/graph.h"
#include "ir/graph/leaf.h"
#include "ir/reference/evaluate.h"
#include "passes/pipeline.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

thread_local std::vector<Guards*> traced;  // the calls that are traced, the innermost last

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

bool satisfies(std::int64_t value, Asked asked) {
  return asked == Asked::is_zero ? value == 0 : value >= 0;
}

// By the bounds that normal forms know: extents are at least 0.
std::optional<bool> proved(const Dim& d, Asked asked) {
  if (d.is_constant()) return satisfies(d.constant(), asked);
  const auto at_least = [&d](std::int64_t c) { return max(d, Dim(c)) == d; };
  const auto at_most = [&d](std::int64_t c) { return min(d, Dim(c)) == d; };
  if (asked == Asked::is_not_negative) {
    if (at_least(0)) return true;
    if (at_most(-1)) return false;
    return std::nullopt;
  }
  if (at_least(1) || at_most(-1)) return false;
  return std::nullopt;
}

Guards* owner_of(const Dim& d) {
  const auto at = std::find_if(traced.rbegin(), traced.rend(), [&d](const Guards* guards) {
    return guards->hides(d) || guards->knows(d);
  });
  return at == traced.rend() || (*at)->hides(d) ? nullptr : *at;
}

}  // namespace

// ------------------------------------------------------------------------------------ the answers

struct Guards::Line {
  Extent& extent;
  std::int64_t slope, constant;
};

void Guards::add(const Dim& symbol, std::size_t input, std::size_t axis, std::int64_t value) {
  const AtomRef atom = symbol.atom();
  Extent extent;
  extent.name = atom->name;
  extent.place = {static_cast<std::uint32_t>(input), static_cast<std::uint32_t>(axis)};
  extent.value = value;
  extents_.emplace(atom->number, std::move(extent));
}

std::vector<std::string> Guards::open() const {
  std::vector<const Extent*> found;
  for (const auto& [number, extent] : extents_) {
    const bool in_general = std::ranges::any_of(general_, [&](const General& g) {
      bool any = false;
      g.d.for_each_atom([&](const AtomRef& atom) { any = any || atom->number == number; });
      return any;
    });
    if (!in_general && extent.others.empty() && extent.low == Extent().low &&
        extent.high == Extent().high)
      found.push_back(&extent);
  }
  std::ranges::sort(found, [](const Extent* a, const Extent* b) { return a->place < b->place; });
  std::vector<std::string> names;
  for (const Extent* extent : found) names.push_back(extent->name);
  return names;
}

void Guards::fix(std::size_t input, std::size_t axis, std::int64_t value) {
  ranges_.push_back(
      {{static_cast<std::uint32_t>(input), static_cast<std::uint32_t>(axis)}, value, value});
}

void Guards::add_alias(const Dim& symbol, const Dim& extent) {
  aliases_.emplace(symbol.atom()->number, known(extent));
}

bool Guards::hides(const Dim& d) const {
  bool any = false;
  d.for_each_atom([&](const AtomRef& atom) {
    any = any || (atom->kind == Atom::Kind::symbol &&
                  std::ranges::find(hidden_, atom->number) != hidden_.end());
  });
  return any;
}

bool Guards::knows(const Dim& d) const {
  bool all = true;
  d.for_each_atom([&](const AtomRef& atom) {
    all = all && atom->kind == Atom::Kind::symbol &&
          (extents_.contains(atom->number) || aliases_.contains(atom->number));
  });
  return all;
}

// With the extents of arguments in the place of their aliases.
Dim Guards::known(const Dim& d) const {
  if (aliases_.empty()) return d;
  return d.substitute([this](const Atom& atom) {
    const auto at = aliases_.find(atom.number);
    return at == aliases_.end() ? Dim::symbol(atom.number, atom.name) : at->second;
  });
}

std::int64_t Guards::value(const Dim& d) const {
  return known(d).evaluate([this](const Atom& atom) { return extents_.at(atom.number).value; });
}

std::optional<Guards::Line> Guards::line_of(const Dim& d) {
  if (d.terms().size() != 1 || d.terms()[0].atoms.size() != 1) return std::nullopt;
  const Term& term = d.terms()[0];
  if (term.atoms[0]->kind != Atom::Kind::symbol) return std::nullopt;
  return Line{extents_.at(term.atoms[0]->number), term.coefficient, d.constant_term()};
}

void Guards::note(const Question& question, bool answer) {
  const std::string text = fmt::format("{}: {}{}", question(), answer ? "yes" : "no", at_caller());
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
}

bool Guards::answer(const Line& line, Asked asked, const Question& question) {
  Extent& x = line.extent;
  const auto tightened = [&](bool answer) {
    // No extent with a symbol is 1.
    if (x.low == 1) x.low = 2;
    if (x.high == 1) x.high = 0;
    note(question, answer);
    return answer;
  };
  if (asked == Asked::is_zero) {
    const std::int64_t root = -(line.constant / line.slope);
    if (line.constant % line.slope != 0 || root == 1 || root < x.low || root > x.high ||
        std::find(x.others.begin(), x.others.end(), root) != x.others.end())
      return false;
    if (x.value == root) {
      x.low = x.high = root;
    } else {
      x.others.push_back(root);
    }
    return tightened(x.value == root);
  }
  if (line.slope > 0) {  // at least `least`
    const std::int64_t least = -floor_quotient(line.constant, line.slope);
    if (x.low >= least) return true;
    if (x.high < least) return false;
    (x.value >= least ? x.low : x.high) = x.value >= least ? least : least - 1;
    return tightened(x.value >= least);
  }
  const std::int64_t most = floor_quotient(line.constant, -line.slope);
  if (x.high <= most) return true;
  if (x.low > most) return false;
  (x.value <= most ? x.high : x.low) = x.value <= most ? most : most + 1;
  return tightened(x.value <= most);
}

bool Guards::answer(const Dim& asked_of, Asked asked, const Question& question) {
  // What is known exactly takes no part.
  const Dim d = known(asked_of).substitute([this](const Atom& atom) -> Dim {
    const Extent& extent = extents_.at(atom.number);
    return extent.low == extent.high ? Dim(extent.low) : Dim::symbol(atom.number, atom.name);
  });
  if (const std::optional<bool> known = proved(d, asked)) return *known;
  if (const std::optional<Line> line = line_of(d)) return answer(*line, asked, question);
  for (const General& g : general_)
    if (g.asked == asked && g.d == d) return g.holds;
  const bool holds = satisfies(value(d), asked);
  general_.push_back({d, asked, holds});
  note(question, holds);
  return holds;
}

// -------------------------------------------------------------------------------------- the tests

void Guards::append(const Dim& d, std::vector<Step>& steps) const {
  const auto push = [&steps](Step::Code code, Place place = {}, std::int64_t value = 0) {
    steps.push_back({code, place, value});
  };
  push(Step::number, {}, d.constant_term());
  for (const Term& term : d.terms()) {
    push(Step::number, {}, term.coefficient);
    for (const AtomRef& atom : term.atoms) {
      if (atom->kind == Atom::Kind::symbol) {
        push(Step::extent, extents_.at(atom->number).place);
      } else {
        append(atom->left, steps);
        append(atom->right, steps);
        push(atom->kind == Atom::Kind::floor_div ? Step::floor_div
             : atom->kind == Atom::Kind::mod     ? Step::mod
             : atom->kind == Atom::Kind::min     ? Step::min
                                                 : Step::max);
      }
      push(Step::multiply);
    }
    push(Step::add);
  }
}

void Guards::fix_number(std::size_t input, nb::object value, std::string note) {
  numbers_.emplace_back(input, std::move(value));
  notes_.push_back(std::move(note));
}

void Guards::finish() {
  for (const auto& [number, x] : extents_) {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    if (x.low > 0 || x.high < largest) ranges_.push_back({x.place, x.low, x.high});
    for (const std::int64_t other : x.others)
      if (other >= x.low && other <= x.high) others_.push_back({x.place, other});
  }
  for (const General& g : general_) {
    Polynomial p{{}, g.asked, g.holds, 0};
    append(g.d, p.steps);
    std::size_t waiting = 0;
    for (const Step& step : p.steps) {
      waiting += step.code == Step::number || step.code == Step::extent ? 1 : -1;
      p.depth = std::max(p.depth, waiting);
    }
    polynomials_.push_back(std::move(p));
  }
}

namespace {

std::int64_t extent_of(PyObject* input, std::uint32_t axis) {
  return array_of(input).shape()[axis];
}

}  // namespace

std::optional<std::int64_t> Guards::run(const Polynomial& p, std::span<PyObject* const> inputs) {
  std::array<std::int64_t, 24> few;
  std::vector<std::int64_t> many(p.depth > few.size() ? p.depth : 0);
  std::int64_t* const stack = many.empty() ? few.data() : many.data();
  std::size_t size = 0;
  for (const Step& step : p.steps) {
    if (step.code == Step::number || step.code == Step::extent) {
      stack[size++] = step.code == Step::number
                          ? step.value
                          : extent_of(inputs[step.place.input], step.place.axis);
      continue;
    }
    const std::int64_t right = stack[--size];
    std::int64_t& left = stack[size - 1];
    switch (step.code) {
      case Step::add:
        if (__builtin_add_overflow(left, right, &left)) return std::nullopt;
        break;
      case Step::multiply:
        if (__builtin_mul_overflow(left, right, &left)) return std::nullopt;
        break;
      case Step::floor_div: left = right == 0 ? 0 : floor_quotient(left, right); break;
      case Step::mod: left = right == 0 ? 0 : floor_remainder(left, right); break;
      case Step::min: left = std::min(left, right); break;
      default: left = std::max(left, right);
    }
  }
  return stack[0];
}

bool Guards::hold(std::span<PyObject* const> inputs) const {
  for (const Range& r : ranges_) {
    const std::int64_t extent = extent_of(inputs[r.place.input], r.place.axis);
    if (extent < r.low || extent > r.high) return false;
  }
  for (const auto& [input, value] : numbers_) {
    const int is_equal = PyObject_RichCompareBool(inputs[input], value.ptr(), Py_EQ);
    if (is_equal < 0) PyErr_Clear();
    if (is_equal != 1) return false;
  }
  for (const Other& o : others_)
    if (extent_of(inputs[o.place.input], o.place.axis) == o.value) return false;
  return std::ranges::all_of(polynomials_, [inputs](const Polynomial& p) {
    const std::optional<std::int64_t> value = run(p, inputs);
    return value && satisfies(*value, p.asked) == p.holds;
  });
}

// ------------------------------------------------------------------------------------- questions

bool is_traced() { return !traced.empty(); }

std::optional<bool> decide(const Dim& d, Asked asked, const Question& question) {
  if (const std::optional<bool> known = proved(d, asked)) return known;
  Guards* const owner = owner_of(d);
  if (owner == nullptr) return std::nullopt;
  return owner->answer(d, asked, question);
}

std::optional<std::int64_t> exact(const Dim& d) {
  if (d.is_constant()) return d.constant();
  Guards* const owner = owner_of(d);
  if (owner == nullptr) return std::nullopt;
  const std::int64_t value = owner->value(d);
  owner->answer(d - value, Asked::is_zero,
                [&] { return fmt::format("{} is {}", d.text(), value); });
  return value;
}

std::optional<std::int64_t> current(const Dim& d) {
  if (d.is_constant()) return d.constant();
  Guards* const owner = owner_of(d);
  return owner == nullptr ? std::nullopt : std::optional(owner->value(d));
}

bool is_one(const Dim& d) {
  return decide(d - 1, Asked::is_zero, [&d] { return fmt::format("{} is 1", d.text()); })
      .value_or(false);
}

std::optional<Array> exact(const Expr& e) {
  if (!is_traced()) return std::nullopt;
  const Value root = e.value();
  const std::vector<const Node*> order = topological_order(std::span(&root, 1));
  for (const Node* node : order)
    if (is_leaf(node->op())) return std::nullopt;
  std::unordered_map<Value, Value, ValueHash> built;
  bool all = true, has_arrays = false;
  const auto map = [&](const Atom& atom) -> Dim {
    if (atom.kind == Atom::Kind::value) return Dim::value(built.at(*atom.scalar));
    const std::optional<std::int64_t> value = exact(Dim::symbol(atom.number, atom.name));
    all = all && value;
    return value.value_or(0);
  };
  for (const Node* node : order) {
    Value now;
    if (&node->op() == &op::extent) {
      now = extent_value(node->attribute(0).dims()[0].substitute(map));
    } else {
      std::vector<Value> operands;
      for (const Value& operand : node->operands()) operands.push_back(built.at(operand));
      now = rebuild(*node, operands, map);
    }
    if (!all) return std::nullopt;
    for (std::uint32_t i = 0; i < node->output_count(); ++i)
      built.try_emplace(Value(node, i), Value(now.get(), i == 0 ? now.index() : i));
    has_arrays |= now.rank() != 0;
  }
  const Expr settled[] = {Expr(built.at(root))};
  const Graph graph = capture({}, settled).graph;
  // Of arrays it is often a single element that matters.
  Context context;
  context.options.level = RewriteLevel::exact;
  return evaluate(has_arrays ? run_passes(graph, context) : graph, {})[0];
}

void add_alias(const Dim& symbol, const Dim& extent) {
  if (Guards* const owner = owner_of(extent)) owner->add_alias(symbol, extent);
}

AnsweredBy::AnsweredBy(std::span<const Expr> leaves, std::span<const Array> arrays) {
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (std::size_t axis = 0; axis < leaves[i].shape().size(); ++axis) {
      const Dim& d = leaves[i].shape()[axis];
      if (d.is_constant()) continue;
      if (owner_of(d) != nullptr) {
        guards_.hide(d);
      } else {
        guards_.add(d, i, axis, arrays[i].shape()[axis]);
      }
    }
  }
  traced.push_back(&guards_);
}

AnsweredBy::~AnsweredBy() { std::erase(traced, &guards_); }

// ------------------------------------------------------------------------------------- stretching

namespace {

// An extent that must become a literal 1 before the expression is built again.
struct Stretched {
  Dim extent;
};

thread_local std::vector<Dim>* settled = nullptr;  // extents that are asked for no more

bool is_one_at_most(const Dim& d) { return min(d, 1) == d; }

// Of two extents that only the call knows, the one that is 1 at most is taken for 1.
void stop_at_one(const Dim& a, const Dim& b) {
  const bool one_stretches = is_one_at_most(a) != is_one_at_most(b);
  for (const Dim* d : {&a, &b}) {
    if (d->is_constant() || std::ranges::find(*settled, *d) != settled->end()) continue;
    if (is_one(*d) || (one_stretches && is_one_at_most(*d))) throw Stretched{*d};
  }
}

class Watching {
 public:
  explicit Watching(std::vector<Dim>& known) : before_(stretch_question()), known_(settled) {
    stretch_question() = stop_at_one;
    settled = &known;
  }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  ~Watching() {
    stretch_question() = before_;
    settled = known_;
  }

 private:
  StretchQuestion before_;
  std::vector<Dim>* known_;
};

// `v` with literal extents of 1 where its extent is `d`, with a check that it is: of an extent that
// is 1 at most, the check of an index.
void pin(Value& v, const Dim& d) {
  IntList axes;
  Shape count = v.shape();
  for (std::size_t i = 0; i < count.size(); ++i) {
    if (!(count[i] == d)) continue;
    axes.push_back(static_cast<std::int64_t>(i));
    count[i] = 1;
  }
  if (axes.empty()) return;
  if (is_one_at_most(d)) {
    const Shape start(count.size(), Dim(0)), step(count.size(), Dim(1));
    v = make_node(op::slice, {v}, {Attribute(start), Attribute(count), Attribute(step)}, caller());
  } else {
    const Value less = make_node(op::squeeze, {v}, {axes}, caller());
    v = make_node(op::expand_dims, {less}, {axes}, caller());
  }
}

}  // namespace

void build_stretched(std::span<Value> values, const std::function<void()>& build) {
  if (!is_traced()) return build();
  std::vector<Dim> known;
  while (true) {
    try {
      const Watching watching(known);
      return build();
    } catch (const Stretched& found) {
      known.push_back(found.extent);
      for (Value& v : values)
        if (v) pin(v, found.extent);
    }
  }
}

// ------------------------------------------------------------------------------------- for Python

void add_questions(nb::module_& m) {
  nb::class_<Guards>(m, "Guards")
      .def(nb::init<>())
      .def("enter", [](Guards& self) { traced.push_back(&self); })
      .def("leave",
           [](Guards& self) {
             if (traced.empty() || traced.back() != &self)
               throw InternalError("guards: expected the innermost trace to end");
             traced.pop_back();
             self.finish();
           })
      .def("fix_number", &Guards::fix_number)
      .def("hold",
           [](const Guards& self, nb::list inputs) {
             std::vector<PyObject*> values;
             for (const nb::handle x : inputs) values.push_back(x.ptr());
             return self.hold(values);
           })
      .def_prop_ro("has_tests", &Guards::has_tests)
      .def_prop_ro("notes", &Guards::notes)
      .def_prop_ro("open", &Guards::open);
  m.def("is_same", [](nb::handle a, nb::handle b) { return to_dim(a) == to_dim(b); });
  m.def(
      "is_open",
      [](nb::handle x) {
        return is_expr(x) && (expr_of(x).rank() != 0 || !exact(expr_of(x)).has_value());
      },
      nb::arg("x").none(),
      "Whether x is an expression without a value in the call that is traced.");
  m.def(
      "current", [](nb::handle extent) { return current(to_dim(extent)); },
      "The value of an extent in the call that is traced, or None. What is made of it must be "
      "right for all others: no guard remembers it.");
  m.def("is_one", [](nb::handle extent) { return is_one(to_dim(extent)); });
  m.def("is_zero", [](nb::handle extent) {
    const Dim d = to_dim(extent);
    return decide(d, Asked::is_zero, [&d] { return fmt::format("{} is 0", d.text()); })
        .value_or(false);
  });
}

}  // namespace gnomon::python
