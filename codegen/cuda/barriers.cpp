// Follows reads and writes of memory through a kernel.
#include "codegen/cuda/barriers.h"

#include <algorithm>

namespace gnomon {

void Barriers::Use::add(const Use& more) {
  reads = reads || more.reads;
  first_reads = first_reads || more.first_reads;
  first_writes = first_writes || more.first_writes;
  if (writer == nobody)
    writer = more.writer;
  else if (more.writer != nobody && more.writer != writer)
    writer = several;
}

// One statement whose places do not depend on data writes each of them once, or by one thread:
// where loops over threads stand in others, each element is the same thread's in all iterations.
bool Barriers::Use::is_in_the_way_of(const Use& next) const {
  const bool writes = writer != nobody, next_writes = next.writer != nobody;
  if (writes && next_writes && (writer != next.writer || writer == several)) return true;
  if (next_writes && (reads || first_reads || first_writes)) return true;
  if (writes && (next.reads || next.first_reads || next.first_writes)) return true;
  return (next.reads && first_writes) || (reads && next.first_writes);
}

void Barriers::Uses::add(const Uses& more) {
  for (std::size_t m = 0; m < size(); ++m) (*this)[m].add(more[m]);
}

bool Barriers::Uses::is_in_the_way_of(const Uses& next) const {
  for (std::size_t m = 0; m < size(); ++m)
    if ((*this)[m].is_in_the_way_of(next[m])) return true;
  return false;
}

Barriers::Barriers(const KernelOutline& outline, const Spread& spread)
    : outline_(outline),
      spread_(spread),
      is_any_aliased_(std::ranges::any_of(outline.kernel().buffers, &BufferParam::aliased)),
      before_(outline.kernel().body.size()),
      at_end_(outline.kernel().body.size()) {
  for (const Statement& s : outline.kernel().body)
    is_plain_.push_back(s.code == Code::axis || s.code == Code::extent ||
                        s.code == Code::constant ||
                        (s.code == Code::let && std::ranges::all_of(s.args, [this](std::int32_t a) {
                           return is_plain_[static_cast<std::size_t>(a)];
                         })));
  Uses open(outline.kernel().buffers.size());
  go(0, outline.size(), open);
}

void Barriers::go(int first, int last, Uses& open) {
  const auto meet = [&](int i, const Uses& next) {
    if (!open.is_in_the_way_of(next)) return;
    before_[static_cast<std::size_t>(i)] = true;
    open = Uses(open.size());
  };
  for (int i = first; i < last; ++i) {
    if (outline_.is_released(i)) continue;
    const Code code = outline_[i].code;
    if (code == Code::barrier || code == Code::transpose) {  // which waits at both ends
      open = Uses(open.size());
    } else if (code == Code::if_) {  // all threads go the same way
      const int end = outline_.end_of(i);
      Uses other = open;
      int otherwise = end;
      for (int k = i + 1; k < end; ++k)
        if (outline_[k].code == Code::else_ && outline_.parent(k) == i) otherwise = k;
      go(i + 1, otherwise, open);
      go(std::min(otherwise + 1, end), end, other);
      open.add(other);
      i = end;
    } else if (outline_.is_loop(i) && !is_shared_out(i)) {
      meet(i, uses_of(i));  // before the loop rather than in each iteration
      go_through_loop(i, open);
      i = outline_.end_of(i);
    } else {
      const Uses next = uses_of(i);
      meet(i, next);
      open.add(next);
      if (outline_.is_loop(i)) i = outline_.end_of(i);
    }
  }
}

// What an iteration leaves open is in the way of the next one. Without any, no barrier was met.
void Barriers::go_through_loop(int loop, Uses& open) {
  const Uses before = open;
  go(loop + 1, outline_.end_of(loop), open);
  const bool is_over_blocks = spread_.of(loop) == Spread::Over::blocks;
  if ((is_over_blocks ? of_block(open) : open).is_in_the_way_of(uses_of(loop))) {
    at_end_[static_cast<std::size_t>(loop)] = true;
    open = Uses(open.size());
  }
  open.add(before);
}

bool Barriers::is_shared_out(int loop) const {
  return spread_.is_over_threads(loop) || spread_.of(loop) == Spread::Over::warps;
}

Barriers::Uses Barriers::uses_of(int statement) const {
  Uses uses(outline_.kernel().buffers.size());
  const int end = outline_.is_loop(statement) ? outline_.end_of(statement) : statement + 1;
  for (int i = statement; i < end; ++i)
    if (!outline_.is_released(i)) add_use(i, uses);
  return uses;
}

void Barriers::add_use(int statement, Uses& uses) const {
  const Statement& s = outline_[statement];
  const bool is_by_any = spread_.threads_around(statement) >= 0;
  const auto read = [&](int buffer) { uses[memory_of(buffer)].add({.reads = true}); };
  const auto write = [&](int buffer, bool is_each_once, bool also_reads) {
    Use use;
    (is_by_any ? use.reads : use.first_reads) = also_reads;
    if (is_by_any)
      use.writer = is_each_once ? statement : Use::several;
    else
      use.first_writes = true;
    uses[memory_of(buffer)].add(use);
  };
  switch (s.code) {
    case Code::load:
    case Code::read_rows: return read(s.buffer);
    case Code::store:
    case Code::write_rows:
      return write(s.buffer, is_plain_[static_cast<std::size_t>(s.args[0])], false);
    case Code::update:
    case Code::update_rows: return write(s.buffer, false, true);
    default: return;  // a transposition has barriers of its own
  }
}

Barriers::Uses Barriers::of_block(Uses uses) const {
  const auto& buffers = outline_.kernel().buffers;
  for (std::size_t b = 0; b < buffers.size(); ++b)
    if (!buffers[b].per_worker) uses[b] = {};
  return uses;
}

// Where some parameters may be the same memory, all are taken for it.
std::size_t Barriers::memory_of(int buffer) const {
  const auto& buffers = outline_.kernel().buffers;
  if (!is_any_aliased_ || buffers[static_cast<std::size_t>(buffer)].per_worker)
    return static_cast<std::size_t>(buffer);
  return static_cast<std::size_t>(std::ranges::find(buffers, false, &BufferParam::per_worker) -
                                  buffers.begin());
}

}  // namespace gnomon
