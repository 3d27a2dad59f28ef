// Shared variables: checks, snapshots, commits of all or nothing, updates in place, many threads.
#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/arrays/shared.h"
#include "runtime/error.h"

using namespace gnomon;

namespace {

double first(const Array& a) { return a.data<double>()[0]; }

}  // namespace

TEST_CASE("a shared variable keeps its dtype, rank and fixed extents") {
  Shared w("w", zeros({2, 3}), {-1, 3});
  CHECK(w.name() == "w");
  CHECK(w.rank() == 2);
  w.set(ones({5, 3}));
  CHECK(w.get().describe() == "f64[5, 3]");
  CHECK_THROWS_WITH_AS(w.set(ones({5, 4})), "shared: expected f64[any, 3] for w, found f64[5, 4]",
                       ValueError);
  CHECK_THROWS_AS(w.set(ones({5})), ValueError);
  CHECK_THROWS_AS(w.set(ones({5, 3}, float32)), TypeError);
  CHECK_THROWS_AS(Shared("v", zeros({2}), {3}), ValueError);
  CHECK_THROWS_AS(Shared().get(), ValueError);
  Shared other("x", Array(1.0));
  CHECK(other.id() > w.id());
}

TEST_CASE("the caller's array is copied unless it is given away") {
  Array mine = ones({2});
  Shared s("s", mine);
  mine.data<double>()[0] = 7;
  CHECK(first(s.get()) == 1);
  s.set(mine);
  mine.data<double>()[0] = 8;
  CHECK(first(s.get()) == 7);
  const void* data = mine.data();
  s.set(std::move(mine));
  CHECK(s.get().data() == data);
}

TEST_CASE("a commit replaces all values, a failure none") {
  Shared a("a", Array(1.0)), b("b", Array(2.0));
  const std::vector<SharedUse> uses = {{b, true}, {a, true}};
  {
    Transaction t(uses);
    *t.target(0, {}).data<double>() = 20;
    *t.target(1, {}).data<double>() = 10;
    CHECK(a.get().item<double>() == 1);
    t.commit();
    CHECK(a.get().item<double>() == 10);
    CHECK(b.get().item<double>() == 20);
  }
  try {
    Transaction t(uses);
    *t.target(0, {}).data<double>() = -1;
    throw std::runtime_error("a step fails");
  } catch (const std::runtime_error&) {
  }
  CHECK(a.get().item<double>() == 10);
  CHECK(b.get().item<double>() == 20);
}

TEST_CASE("a snapshot outlives the updates after it") {
  Shared s("s", full({4}, 1));
  const std::vector<SharedUse> uses = {{s, true, true}};
  const Array snapshot = s.get();
  for (int i = 2; i < 6; ++i) {
    Transaction t(uses);
    Array& next = t.target(0, {4});
    for (int j = 0; j < 4; ++j) next.data<double>()[j] = i;
    t.commit();
  }
  CHECK(snapshot.to_vector<double>() == std::vector<double>(4, 1));
  CHECK(s.get().to_vector<double>() == std::vector<double>(4, 5));
}

TEST_CASE("updates go back and forth between two buffers") {
  Shared s("s", full({1000}, 0));
  const std::vector<SharedUse> uses = {{s, true}};
  std::vector<const void*> places;
  for (int i = 0; i < 6; ++i) {
    Transaction t(uses);
    CHECK_FALSE(t.in_place(0));
    CHECK(t.target(0, {1000}).data() != t.value(0).data());
    places.push_back(static_cast<const Array&>(t.target(0, {1000})).data());
    t.commit();
  }
  CHECK(places[2] == places[4]);
  CHECK(places[3] == places[5]);
}

TEST_CASE("an update is in place only when nobody else holds the value") {
  Shared s("s", full({3}, 1));
  const std::vector<SharedUse> uses = {{s, true, true}};
  const void* data = s.get().data();
  {
    Transaction t(uses);
    REQUIRE(t.in_place(0));
    CHECK(t.target(0, {3}).data() == data);
    CHECK_THROWS_AS(t.target(0, {4}), InternalError);
    t.target(0, {3}).data<double>()[0] = 2;
    t.commit();
  }
  CHECK(first(s.get()) == 2);
  const Array held = s.get();
  Transaction t(uses);
  CHECK_FALSE(t.in_place(0));
  t.target(0, {3}).data<double>()[0] = 3;
  t.commit();
  CHECK(first(held) == 2);
  CHECK(first(s.get()) == 3);
}

TEST_CASE("readers of a variable that is kept readable do not wait for updates") {
  Shared s("s", full({3}, 1));
  CHECK_FALSE(s.is_kept_readable());
  s.keep_readable();
  const std::vector<SharedUse> uses = {{s, true, true}}, reads = {{s, false}};
  Transaction update(uses);
  CHECK_FALSE(update.in_place(0));
  update.target(0, {3}).data<double>()[0] = 2;
  CHECK(first(s.get()) == 1);  // while the update goes on
  {
    Transaction read(reads);
    CHECK(first(read.value(0)) == 1);
  }
  update.commit();
  CHECK(first(s.get()) == 2);
}

TEST_CASE("a reader that had to wait is the only one") {
  Shared s("s", full({3}, 1));
  const std::vector<SharedUse> uses = {{s, true, true}};
  std::thread reader;
  {
    Transaction update(uses);
    REQUIRE(update.in_place(0));
    reader = std::thread([&] { CHECK(first(s.get()) == 2); });
    while (!s.is_kept_readable()) std::this_thread::yield();
    update.target(0, {3}).data<double>()[0] = 2;
    update.commit();
  }
  reader.join();
  Transaction next(uses);
  CHECK_FALSE(next.in_place(0));
  CHECK(first(s.get()) == 2);
}

TEST_CASE("a value taken for an update in place comes back without a commit") {
  Shared s("s", full({3}, 1));
  {
    const std::vector<SharedUse> uses = {{s, true, true}};
    Transaction t(uses);
    REQUIRE(t.in_place(0));
  }
  CHECK(first(s.get()) == 1);
}

TEST_CASE("an update may change extents and a variable that is only read has no target") {
  Shared s("s", full({3}, 1)), r("r", Array(5.0));
  const std::vector<SharedUse> uses = {{s, true}, {r, false}};
  Transaction t(uses);
  CHECK_THROWS_AS(t.target(1, {}), InternalError);
  t.replace(0, full({7}, t.value(1).item<double>()));
  t.commit();
  CHECK(s.get().describe() == "f64[7]");
  CHECK(first(s.get()) == 5);
}

TEST_CASE("concurrent transactions lose no update and show no half of one") {
  // Each transaction adds 1 to both; readers must always see them equal.
  Shared a("a", full({8}, 0)), b("b", full({8}, 0));
  constexpr int rounds = 300;
  std::atomic<bool> torn{false}, done{false};
  const auto add_one = [&](bool in_place, bool turned) {
    const std::vector<SharedUse> uses =
        turned ? std::vector<SharedUse>{{b, true, in_place}, {a, true}}
               : std::vector<SharedUse>{{a, true}, {b, true, in_place}};
    for (int i = 0; i < rounds; ++i) {
      Transaction t(uses);
      if (first(t.value(0)) != first(t.value(1))) torn = true;
      for (std::size_t u = 0; u < 2; ++u) {
        const double next = first(t.value(u)) + 1;
        double* to = t.target(u, {8}).data<double>();
        for (int j = 0; j < 8; ++j) to[j] = next;
      }
      t.commit();
    }
  };
  const auto read = [&] {
    const std::vector<SharedUse> uses = {{a}, {b}};
    while (!done) {
      const Transaction t(uses);
      if (!same_bits(t.value(0), t.value(1))) torn = true;
      for (double v : a.get().to_vector<double>())
        if (v < 0) torn = true;
    }
  };
  std::vector<std::thread> writers, readers;
  for (int t = 0; t < 6; ++t) writers.emplace_back(add_one, t % 2 == 0, t % 3 == 0);
  for (int t = 0; t < 2; ++t) readers.emplace_back(read);
  for (std::thread& t : writers) t.join();
  done = true;
  for (std::thread& t : readers) t.join();
  CHECK_FALSE(torn);
  CHECK(a.get().to_vector<double>() == std::vector<double>(8, 6 * rounds));
  CHECK(same_bits(a.get(), b.get()));
}
