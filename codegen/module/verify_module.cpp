// Checks the order of a module's reads and writes: what is read was written before, by an earlier
// step or loop of a kernel, and is not written once more after. The first fault is an InternalError
// that names the step, the buffer and, in a kernel, the line.
#include "codegen/module/verify_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "codegen/module/accesses.h"
#include "ir/kernel/kernel_text.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

// --- within one kernel ---

/// What a kernel does to one of its buffers.
struct KernelUse {
  bool needs = false;   // reads it, or adds to it, before it has written it
  bool reads = false;   // as more than a start of what is added to it
  bool writes = false;  // stores to it, or adds to it
};

class KernelOrder {
 public:
  explicit KernelOrder(const Kernel& kernel)
      : k_(kernel), uses_(kernel.buffers.size()), last_read_(kernel.buffers.size(), -1) {}

  std::vector<KernelUse> run() {
    for (i_ = 0; i_ < k_.body.size(); ++i_) {
      const Statement& s = k_.body[i_];
      if (depth_ == 0 && s.code != Code::end) ++item_;
      if (s.code == Code::loop || s.code == Code::if_) ++depth_;
      if (s.code == Code::end) --depth_;
      see(s);
    }
    return std::move(uses_);
  }

 private:
  void see(const Statement& s) {
    switch (s.code) {
      case Code::load:
      case Code::read_rows: return read(s.buffer);
      case Code::store:
      case Code::write_rows: return write(s.buffer);
      case Code::update:
      case Code::update_rows: need(s.buffer); return write(s.buffer);
      case Code::transpose: read(s.buffer); return write(s.number);
      default: return;
    }
  }

  KernelUse& use_of(int buffer) { return uses_[static_cast<std::size_t>(buffer)]; }

  void need(int buffer) {
    KernelUse& use = use_of(buffer);
    if (use.writes) return;
    use.needs = true;
    if (k_.buffers[static_cast<std::size_t>(buffer)].per_worker)
      fail(buffer, "scratch that was written before", "none of it written");
  }
  void read(int buffer) {
    need(buffer);
    use_of(buffer).reads = true;
    last_read_[static_cast<std::size_t>(buffer)] = item_;
  }
  // A loop may read what it goes on with; loops after those that read leave the memory alone.
  void write(int buffer) {
    use_of(buffer).writes = true;
    const int read = last_read_[static_cast<std::size_t>(buffer)];
    const bool own = k_.buffers[static_cast<std::size_t>(buffer)].per_worker;
    if (read >= 0 && read < item_ && !own)
      fail(buffer, "no write behind the loops that read the buffer", "one");
  }

  [[noreturn]] void fail(int buffer, std::string_view expected, std::string_view found) const {
    const KernelPrinter printer(k_);
    throw InternalError(fmt::format(
        "kernel {}, line {}: {}: expected {}, found {} in '{}'", k_.name, printer.line(i_),
        k_.buffers[static_cast<std::size_t>(buffer)].name, expected, found, printer.statement(i_)));
  }

  const Kernel& k_;
  std::vector<KernelUse> uses_;
  std::vector<int> last_read_;  // outermost loop or statement, by buffer
  std::size_t i_ = 0;
  int depth_ = 0, item_ = -1;
};

// --- the steps ---

/// Some of the buffers, or of the extents, by number. Each branch copies them, so they are small.
class Marks {
 public:
  bool contains(int i) const { return place(i) < marks_.size() && marks_[place(i)]; }
  void insert(int i) {
    if (place(i) >= marks_.size()) marks_.resize(place(i) + 1);
    marks_[place(i)] = true;
  }
  void erase(int i) {
    if (contains(i)) marks_[place(i)] = false;
  }
  void join(const Marks& other) {
    for (std::size_t i = 0; i < other.marks_.size(); ++i)
      if (other.marks_[i]) insert(static_cast<int>(i));
  }
  void meet(const Marks& other) {
    for (std::size_t i = 0; i < marks_.size(); ++i)
      marks_[i] = marks_[i] && other.contains(static_cast<int>(i));
  }

 private:
  static std::size_t place(int i) { return static_cast<std::size_t>(i); }
  std::vector<bool> marks_;
};

class ModuleOrder {
 public:
  explicit ModuleOrder(const Module& module) : m_(module) {
    for (const Kernel& k : module.kernels) kernels_.push_back(KernelOrder(k).run());
    for (std::size_t s = 0; s < module.dimensions.size(); ++s)
      if (module.dimensions[s].extent == -1) computed_.emplace(module.dimensions[s].atom->hash, s);
    find_moved(module.steps);
  }

  void run() {
    State state;
    for (std::size_t b = 0; b < m_.buffers.size(); ++b) {
      const Buffer::Role role = m_.buffers[b].role;
      if (role == Buffer::Role::parameter || role == Buffer::Role::constant)
        state.written.insert(static_cast<int>(b));
    }
    for (const int b : m_.versions) state.in_place.insert(b);
    walk(m_.steps, state);
    where_ = "the end";
    for (const int b : m_.outputs) need(state, b);
  }

 private:
  struct State {
    Marks written, read, allocated, dimensions;
    Marks in_place;     // states of loops, which are read and then written
    bool ends = false;  // a check that cannot hold stands before
  };
  /// What the steps of a branch touch.
  struct Touched {
    std::unordered_set<int> reads, writes;
  };

  // What has one value in two memories is copied there and back: before, it was one buffer.
  void find_moved(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      const auto* copy = std::get_if<CopyStep>(&step.what);
      if (copy != nullptr && buffer(copy->from).device != buffer(copy->to).device)
        moved_.insert(copy->from), moved_.insert(copy->to);
      for_each_inner(step, [this](const std::vector<Step>& inner) { find_moved(inner); });
    }
  }

  void walk(const std::vector<Step>& steps, State& state) {
    for (const Step& step : steps) {
      ++number_;
      where_ = fmt::format("step {}", number_);
      see(step, state);
    }
  }

  [[noreturn]] void fail(int b, std::string_view expected, std::string_view found) const {
    throw InternalError(fmt::format("module, {}: b{}:{}: expected {}, found {}", where_, b,
                                    m_.buffers[static_cast<std::size_t>(b)].name, expected, found));
  }

  // --- one access ---

  const Buffer& buffer(int b) const { return m_.buffers[static_cast<std::size_t>(b)]; }

  void need_memory(const State& state, int b) {
    const Buffer& x = buffer(b);
    const bool late =
        x.role == Buffer::Role::late || (x.role == Buffer::Role::output && m_.is_late(x.shape));
    if (late && !state.allocated.contains(b)) fail(b, "memory allocated before", "none");
  }
  void need(State& state, int b) {
    need_memory(state, b);
    const Shape& shape = buffer(b).shape;
    const bool is_empty = std::ranges::find(shape, Dim(0)) != shape.end();
    if (!is_empty && !state.ends && !state.written.contains(b))
      fail(b, "a write before what reads it", "none");
    for (Touched* t : touched_) t->reads.insert(b);
  }
  void read(State& state, int b) {
    need(state, b);
    state.read.insert(b);
  }
  void read(State& state, const std::vector<int>& buffers) {
    for (const int b : buffers) read(state, b);
  }
  void write(State& state, int b) {
    need_memory(state, b);
    const Buffer::Role role = buffer(b).role;
    if (role == Buffer::Role::parameter || role == Buffer::Role::constant)
      fail(b, "a buffer that is written", "one that is not");
    if (state.read.contains(b) && !state.in_place.contains(b) && !moved_.contains(b))
      fail(b, "no write behind a step that reads the buffer", "one");
    state.written.insert(b);
    for (Touched* t : touched_) t->writes.insert(b);
    end_old_value(state, b);
  }
  void write(State& state, const std::vector<int>& buffers) {
    for (const int b : buffers) write(state, b);
  }
  // An output that is written over a parameter leaves nothing of it to later steps.
  void end_old_value(State& state, int b) {
    for (std::size_t i = 0; i < m_.over.size(); ++i) {
      if (m_.over[i] < 0 || m_.outputs[i] != b) continue;
      for (std::size_t p = 0; p < m_.buffers.size(); ++p)
        if (m_.buffers[p].role == Buffer::Role::parameter && m_.buffers[p].number == m_.over[i])
          state.written.erase(static_cast<int>(p));
    }
  }
  void need_extents(const State& state, const Dim& d) {
    if (d.is_constant()) return;
    d.for_each_atom([&](const AtomRef& atom) {
      const auto [first, last] = computed_.equal_range(atom->hash);
      for (auto it = first; it != last; ++it)
        if (*m_.dimensions[it->second].atom == *atom &&
            !state.dimensions.contains(static_cast<int>(it->second)))
          throw InternalError(
              fmt::format("module, {}: expected the extent {} known before, found it is not",
                          where_, m_.dimensions[it->second].name));
    });
  }

  // --- what each step does ---

  void see(const Step& step, State& state) {
    if (const auto* s = std::get_if<KernelStep>(&step.what)) return see(*s, state);
    if (const auto* s = std::get_if<LoopStep>(&step.what)) return see(*s, state);
    if (const auto* s = std::get_if<SideBySideStep>(&step.what)) return see(*s, state);
    if (const auto* s = std::get_if<ChoiceStep>(&step.what)) return see(*s, state);
    for (const Dim& d : extents_of(step)) need_extents(state, d);
    for (const auto& [b, how] : accesses(m_, step)) {
      if (how == BufferUse::How::reads) read(state, b);
      if (how == BufferUse::How::adds) need(state, b);
      if (how != BufferUse::How::reads) write(state, b);
    }
    if (const auto* s = std::get_if<ExtentCheckStep>(&step.what))
      state.ends |= !(s->left == s->right) && (s->left - s->right).is_constant();
    if (const auto* s = std::get_if<DimensionStep>(&step.what)) state.dimensions.insert(s->slot);
    if (const auto* s = std::get_if<AllocateStep>(&step.what)) state.allocated.insert(s->buffer);
  }
  // That the step asks for itself.
  std::vector<Dim> extents_of(const Step& step) const {
    std::vector<Dim> extents;
    if (const auto* s = std::get_if<ServiceStep>(&step.what))
      for (const std::vector<Argument>& together : s->arguments)
        for (const Argument& argument : together) {
          if (const auto* d = std::get_if<Dim>(&argument.value)) extents.push_back(*d);
          if (const auto* o = std::get_if<Argument::Operand>(&argument.value))
            extents.push_back(o->offset);
        }
    if (const auto* s = std::get_if<ExtentCheckStep>(&step.what)) extents = {s->left, s->right};
    if (const auto* s = std::get_if<AllocateStep>(&step.what)) extents = buffer(s->buffer).shape;
    return extents;
  }
  void see(const KernelStep& s, State& state) {
    const auto k = static_cast<std::size_t>(s.kernel);
    where_ += fmt::format(", kernel {}", m_.kernels[k].name);
    for (const Statement& x : m_.kernels[k].body)
      if (x.code == Code::extent) need_extents(state, x.dim);
    const bool copies = s.apart_from >= 0;  // not over itself: the old value stays what it is
    const bool was_written = copies && state.written.contains(s.apart_from);
    for (const bool writes : {false, true})
      for (std::size_t b = 0; b < s.buffers.size(); ++b) {
        if (s.buffers[b] < 0) continue;
        const KernelUse& use = kernels_[k][b];
        if (!writes && use.needs) need(state, s.buffers[b]);
        if (writes && use.writes) write(state, s.buffers[b]);
      }
    if (was_written) state.written.insert(s.apart_from);
    for (std::size_t b = 0; b < s.buffers.size(); ++b)
      if (s.buffers[b] >= 0 && kernels_[k][b].reads) state.read.insert(s.buffers[b]);
  }
  // The body may run never or often: what it leaves behind is in the results and traces alone.
  void see(const LoopStep& s, State& state) {
    read(state, s.count), read(state, s.initial);
    State inside = state;
    inside.read = {};
    for (const std::vector<int>* own : {&s.current, &s.next, &s.result})
      for (const int b : *own) need_memory(state, b);
    for (const LoopStep::Row& row : s.rows) need_memory(state, row.all);
    inside.written.insert(s.index);
    for (const int b : s.current) inside.written.insert(b);
    for (std::size_t k = 0; k < s.current.size(); ++k)
      if (s.current[k] == s.next[k]) inside.in_place.insert(s.current[k]);
    for (const int b : s.versions) inside.in_place.insert(b);
    walk(s.body, inside);
    for (const int b : s.next) need(inside, b);
    for (const LoopStep::Row& row : s.rows) {
      if (buffer(row.one).role != Buffer::Role::row)
        fail(row.one, "a part of another buffer", "none");
      need(inside, row.one);
      write(state, row.all);
    }
    // A state in the memory of what it begins with leaves another value there, or none.
    for (std::size_t k = 0; k < s.current.size(); ++k) {
      if (s.initial[k] != s.current[k]) continue;
      state.read.erase(s.initial[k]);
      state.written.erase(s.initial[k]);
    }
    write(state, s.result);
  }

  // No branch may need what another one writes.
  void see(const SideBySideStep& s, State& state) {
    std::vector<Touched> touched;
    for (const SideBySideStep::Branch& branch : s.branches)
      touched.push_back(touched_by(branch.steps, state));
    for (std::size_t i = 0; i < touched.size(); ++i)
      for (std::size_t j = 0; j < touched.size(); ++j)
        for (const int b : touched[i].writes)
          if (i != j && (touched[j].writes.contains(b) || touched[j].reads.contains(b)))
            fail(b, "branches side by side that do not need each other's results", "two that do");
  }

  // Either way leaves the same behind, unless it ends the call.
  void see(const ChoiceStep& s, State& state) {
    for (const ExtentRange& r : s.where) need_extents(state, r.extent);
    if (s.condition >= 0) read(state, s.condition);
    State then = state, otherwise = state;
    walk(s.then, then);
    walk(s.otherwise, otherwise);
    if (then.ends != otherwise.ends) {
      state = then.ends ? otherwise : then;
      return;
    }
    state = then;
    state.written.meet(otherwise.written);
    for (const auto& marks : {&State::read, &State::allocated, &State::dimensions})
      (state.*marks).join(otherwise.*marks);
  }

  Touched touched_by(const std::vector<Step>& steps, State& state) {
    Touched touched;
    touched_.push_back(&touched);
    walk(steps, state);
    touched_.pop_back();
    return touched;
  }

  const Module& m_;
  std::vector<std::vector<KernelUse>> kernels_;
  std::unordered_multimap<std::size_t, std::size_t> computed_;  // extents, by their atoms' hash
  Marks moved_;                                                 // between the host and the device
  std::vector<Touched*> touched_;                               // of the branches that are walked
  int number_ = 0;
  std::string where_;
};

}  // namespace

void verify_order(const Module& module) { ModuleOrder(module).run(); }

void verify(const Module& module) {
  for (const Kernel& kernel : module.kernels) verify(kernel);
  verify_order(module);
}

}  // namespace gnomon
