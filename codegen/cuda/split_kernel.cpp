// Finds the parts of kernels, and what each needs of those before it.
#include "codegen/cuda/split_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "codegen/cuda/spread.h"

namespace gnomon {

namespace {

// A value that each part may compute itself.
bool is_pure(Code code) {
  switch (code) {
    case Code::constant:
    case Code::extent:
    case Code::let:
    case Code::cast:
    case Code::select:
    case Code::load:
    case Code::axis:
    case Code::fold: return true;
    default: return false;
  }
}

class Splitter {
 public:
  explicit Splitter(const Kernel& kernel)
      : k_(kernel), outline_(kernel), spread_(outline_), part_(kernel.body.size(), none) {}

  SplitKernel run() {
    find_parts();
    SplitKernel split;
    if (count_ < 2) return split;
    find_needs();
    for (const auto& [value, number] : numbers_) {
      split.numbers.resize(numbers_.size());
      split.numbers[static_cast<std::size_t>(number)] = statement(value).dtype;
    }
    for (int p = 0; p < count_; ++p) split.parts.push_back(part(p));
    return split;
  }

 private:
  static constexpr int none = -1;

  const Statement& statement(int i) const { return k_.body[static_cast<std::size_t>(i)]; }
  int& part_of(int i) { return part_[static_cast<std::size_t>(i)]; }
  int outermost(int i) const {
    while (outline_.parent(i) >= 0) i = outline_.parent(i);
    return statement(i).code == Code::end ? outline_.opener_of(i) : i;
  }
  int last_of(int i) const {
    const Code code = statement(i).code;
    return code == Code::loop || code == Code::if_ ? outline_.end_of(i) : i;
  }
  bool is_grid(int i) const {
    return outline_.is_loop(i) && spread_.of(i) != Spread::Over::one &&
           spread_.of(i) != Spread::Over::threads;
  }

  // Whether a number is read of memory that the kernel writes: before one block does so, another
  // may be done.
  bool is_read_of_written(const Statement& s) const {
    if (s.code != Code::load) return false;
    const BufferParam& read = k_.buffers[static_cast<std::size_t>(s.buffer)];
    return read.writes || (read.aliased && std::ranges::any_of(k_.buffers, [](const auto& b) {
                             return b.aliased && b.writes;
                           }));
  }

  void find_parts() {
    bool one_block = false;
    for (int i = 0; i < outline_.size(); i = last_of(i) + 1) {
      const Statement& s = statement(i);
      const bool is_shared = is_pure(s.code) && !is_read_of_written(s);
      if (is_shared || s.code == Code::acc || s.code == Code::local) continue;
      const bool checks = s.code == Code::check;
      if (count_ == 0 || is_grid(i) || (!one_block && !checks)) ++count_, one_block = !is_grid(i);
      part_of(i) = count_ - 1;
    }
    join_parts();
  }

  // What loops of several parts use together keeps these together: memory of a block, registers.
  void join_parts() {
    std::map<std::pair<bool, int>, std::pair<int, int>> uses;  // first and last part
    const auto use = [&](bool is_buffer, int what, int p) {
      const auto [at, fresh] = uses.try_emplace({is_buffer, what}, p, p);
      if (!fresh) at->second.second = std::max(at->second.second, p);
    };
    for (int i = 0; i < outline_.size(); ++i) {
      const Statement& s = statement(i);
      const int p = part_of(outermost(i));
      if (p == none) continue;
      for (const int b : {s.buffer, s.code == Code::transpose ? s.number : none})
        if (b >= 0 && k_.buffers[static_cast<std::size_t>(b)].per_worker) use(true, b, p);
      for (const std::int32_t a : s.args)
        if (statement(a).code == Code::acc || statement(a).code == Code::local) use(false, a, p);
    }
    std::vector<int> joined(static_cast<std::size_t>(count_));
    for (int p = 0; p < count_; ++p) joined[static_cast<std::size_t>(p)] = p;
    for (const auto& [what, range] : uses)
      for (int p = range.first + 1; p <= range.second; ++p)
        joined[static_cast<std::size_t>(p)] =
            std::min(joined[static_cast<std::size_t>(p)], range.first);
    int now = -1;
    for (int p = 0; p < count_; ++p) {
      const int to = joined[static_cast<std::size_t>(p)];
      joined[static_cast<std::size_t>(p)] = to == p ? ++now : joined[static_cast<std::size_t>(to)];
    }
    for (int& p : part_)
      if (p != none) p = joined[static_cast<std::size_t>(p)];
    count_ = now + 1;
    // An accumulator, and what it is folded to, are where it is fed.
    for (const auto& [what, range] : uses)
      if (!what.first) part_of(what.second) = joined[static_cast<std::size_t>(range.first)];
    for (int i = 0; i < outline_.size(); ++i)
      if (outline_.parent(i) < 0 && statement(i).code == Code::fold)
        part_of(i) = part_of(statement(i).args[0]);
  }

  // Which statements each part has, and which numbers it gets from others.
  void find_needs() {
    needs_.resize(static_cast<std::size_t>(count_));
    taken_.resize(static_cast<std::size_t>(count_));
    for (int i = 0; i < outline_.size(); ++i) {
      const int p = part_of(outermost(i));
      if (p != none) need(p, i);
    }
  }
  void need(int p, int i) {
    if (!needs_[static_cast<std::size_t>(p)].insert(i).second) return;
    for (const std::int32_t a : statement(i).args) {
      const int of = part_of(outermost(a));
      if (of == none || of == p) {
        need(p, a);
      } else {
        taken_[static_cast<std::size_t>(p)].insert(a);
        numbers_.try_emplace(a, static_cast<int>(numbers_.size()));
      }
    }
  }

  /// The kernel of a part while it grows.
  struct Growing {
    KernelPart part;
    std::map<int, std::int32_t> statements;  // by those of the whole
    std::map<int, int> buffers;
  };

  int buffer(Growing& g, int b) {
    const auto [at, fresh] = g.buffers.try_emplace(b, static_cast<int>(g.buffers.size()));
    if (!fresh) return at->second;
    const auto whole = static_cast<int>(k_.buffers.size());
    BufferParam param;
    if (b < whole)
      param = k_.buffers[static_cast<std::size_t>(b)];
    else
      param.name = "number", param.dtype = statement(value_of(b - whole)).dtype, param.elements = 1;
    param.reads = param.writes = false;
    g.part.kernel.buffers.push_back(std::move(param));
    g.part.buffers.push_back(b);
    return at->second;
  }
  int value_of(int number) const {
    for (const auto& [value, n] : numbers_)
      if (n == number) return value;
    return none;
  }

  static std::int32_t add(Growing& g, Statement s) {
    g.part.kernel.body.push_back(std::move(s));
    return static_cast<std::int32_t>(g.part.kernel.body.size()) - 1;
  }
  static Statement of_code(Code code, DType dtype) {
    Statement s;
    s.code = code;
    s.dtype = dtype;
    return s;
  }
  static std::int32_t zero(Growing& g) {
    Statement s = of_code(Code::constant, DType::int64);
    s.value.i = 0;
    return add(g, std::move(s));
  }

  void note_use(Growing& g, const Statement& s) {
    std::vector<BufferParam>& buffers = g.part.kernel.buffers;
    const auto of = [&](int b) -> BufferParam& { return buffers[static_cast<std::size_t>(b)]; };
    switch (s.code) {
      case Code::load:
      case Code::read_rows:
      case Code::prefetch: of(s.buffer).reads = true; break;
      case Code::store:
      case Code::write_rows: of(s.buffer).writes = true; break;
      case Code::update:
      case Code::update_rows: of(s.buffer).reads = of(s.buffer).writes = true; break;
      case Code::transpose: of(s.buffer).reads = true, of(s.number).writes = true; break;
      default: break;
    }
  }

  KernelPart part(int p) {
    Growing g;
    Kernel& made = g.part.kernel;
    made.name = fmt::format("{}_{}", k_.name, p);
    made.comment = k_.comment;
    made.axes = k_.axes;
    for (Axis& axis : made.axes) axis.grain = -1;
    const auto whole = static_cast<int>(k_.buffers.size());
    for (const int a : taken_[static_cast<std::size_t>(p)]) {
      const std::int32_t at = zero(g);
      Statement load = of_code(Code::load, statement(a).dtype);
      load.buffer = buffer(g, whole + numbers_.at(a));
      load.args = {at};
      load.name = statement(a).name;
      note_use(g, load);
      g.statements[a] = add(g, std::move(load));
    }
    for (int i = 0; i < outline_.size(); ++i) {
      if (!needs_[static_cast<std::size_t>(p)].contains(i)) continue;
      Statement s = statement(i);
      for (std::int32_t& a : s.args) a = g.statements.at(a);
      if (s.buffer >= 0) s.buffer = buffer(g, s.buffer);
      if (s.code == Code::transpose) s.number = buffer(g, s.number);
      note_use(g, s);
      g.statements[i] = add(g, std::move(s));
      if (part_of(outermost(i)) == p && last_of(outermost(i)) == i) hand_on(g, outermost(i), i);
    }
    return std::move(g.part);
  }

  // Numbers of an outermost statement that other parts need.
  void hand_on(Growing& g, int first, int last) {
    const auto whole = static_cast<int>(k_.buffers.size());
    for (const auto& [value, number] : numbers_) {
      if (value < first || value > last) continue;
      const std::int32_t at = zero(g);
      Statement store = of_code(Code::store, statement(value).dtype);
      store.buffer = buffer(g, whole + number);
      store.args = {at, g.statements.at(value)};
      note_use(g, store);
      add(g, std::move(store));
    }
  }

  const Kernel& k_;
  const KernelOutline outline_;
  const Spread spread_;
  std::vector<int> part_;  // of outermost statements
  int count_ = 0;
  std::vector<std::set<int>> needs_, taken_;  // by part: statements it has, values of others
  std::map<int, int> numbers_;                // that parts hand on, by value
};

}  // namespace

SplitKernel split_kernel(const Kernel& kernel) { return Splitter(kernel).run(); }

}  // namespace gnomon
