// Lists that lie in place while they are short: lengths, copies, moves, elements that stay put.
#include "runtime/small_vector.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

using namespace gnomon;

namespace {

using List = SmallVector<std::shared_ptr<int>, 3>;

List numbered_list(std::size_t size) {
  List list(size);
  for (std::size_t i = 0; i < size; ++i) list[i] = std::make_shared<int>(static_cast<int>(i));
  return list;
}

bool holds(const List& list, std::size_t size, long owners) {
  bool right = list.size() == size;
  int i = 0;
  for (const auto& x : list) right = right && *x == i++ && x.use_count() == owners;
  return right;
}

struct Fixed {
  Fixed() = default;
  Fixed(const Fixed&) = delete;
  Fixed& operator=(const Fixed&) = delete;
  int value = 7;
};

// Throws when so many have been made as may be.
struct Counted {
  static inline int alive = 0, left = 0;
  static void make() {
    if (left-- == 0) throw std::bad_alloc();
    ++alive;
  }
  Counted() { make(); }
  Counted(const Counted&) { make(); }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive; }
};

}  // namespace

TEST_CASE("short lists lie in place, longer ones do not") {
  for (const std::size_t size : {0, 1, 3, 4, 100}) {
    SmallVector<std::int64_t, 3> list(size);
    for (const std::int64_t x : std::span<std::int64_t>(list)) CHECK(x == 0);
    const auto at = reinterpret_cast<std::uintptr_t>(list.data());
    const auto begin = reinterpret_cast<std::uintptr_t>(&list);
    CHECK((at >= begin && at < begin + sizeof(list)) == (size <= 3));
  }
}

TEST_CASE("copies have elements of their own, and what was moved from is empty") {
  for (const std::size_t size : {0, 2, 3, 4, 9}) {
    List list = numbered_list(size);
    CHECK(holds(list, size, 1));
    List copy = list;
    CHECK(holds(copy, size, 2));
    List moved = std::move(list);
    CHECK(list.size() == 0);
    CHECK(holds(moved, size, 2));
    for (const std::size_t before : {0, 3, 5}) {
      List other = numbered_list(before);
      other = moved;
      CHECK(holds(other, size, 3));
      other = numbered_list(before);
      List& itself = other;
      other = std::move(itself);
      CHECK(holds(other, before, 1));
    }
    copy = List();
    CHECK(holds(moved, size, 1));
  }
}

TEST_CASE("elements may be of a type that cannot move") {
  for (const std::size_t size : {2, 5}) {
    SmallVector<Fixed, 3> list(size);
    for (const Fixed& x : list) CHECK(x.value == 7);
  }
}

TEST_CASE("elements that cannot be made are not destroyed") {
  using Few = SmallVector<Counted, 3>;
  for (const int size : {1, 3, 5}) {
    for (int made = 0; made < size; ++made) {
      Counted::left = made;
      CHECK_THROWS_AS(Few(static_cast<std::size_t>(size)), std::bad_alloc);
      CHECK(Counted::alive == 0);
    }
    Counted::left = size;
    const Few list(static_cast<std::size_t>(size));
    for (int made = 0; made < size; ++made) {
      Counted::left = made;
      CHECK_THROWS_AS(Few{list}, std::bad_alloc);
      CHECK(Counted::alive == size);
    }
  }
}
