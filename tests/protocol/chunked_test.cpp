#include "tests/support/catch.hpp"
#include <troupe/protocol/chunked.hpp>

#include <numeric>
#include <string>

using namespace troupe;

namespace {

chunked<int> counted(int count) {
  chunked<int> out;
  for (int i = 0; i < count; ++i)
    out.push_back(i);
  return out;
}

} // namespace

TEST_CASE("a sequence in chunks of any size has its elements in order", "[protocol][chunked]") {
  for (const int size : {0, 1, 63, 64, 65, 4095, 4096, 4097, 10'000}) {
    CAPTURE(size);
    const auto all = counted(size);
    CHECK(all.size() == static_cast<std::size_t>(size));
    std::vector<int> expected(static_cast<std::size_t>(size));
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(std::vector<int>(all.begin(), all.end()) == expected);
    CHECK(chunked<int>(expected) == all);
  }
}

TEST_CASE("a copy keeps what it had, and shares what stays the same", "[protocol][chunked]") {
  auto now = counted(100'000);
  const auto before = now;
  CHECK(now.chunks_shared_with(before) == now.chunks());
  now.edit(70'000) = -1;
  now.edit(70'001) = -2;
  CHECK(before[70'000] == 70'000);
  CHECK(now[70'000] == -1);
#if !defined(__SANITIZE_THREAD__)
  CHECK(now.chunks_shared_with(before) == now.chunks() - 2); // its leaf and the branch above
#endif
  now.push_back(5);
  CHECK(before.size() == 100'000);
  CHECK(now.back() == 5);
}

TEST_CASE("a sequence that was moved from is empty", "[protocol][chunked]") {
  auto from = counted(100);
  const auto to = std::move(from);
  CHECK(to.size() == 100);
  CHECK(from.empty()); // NOLINT(bugprone-use-after-move)
  from.push_back(1);
  CHECK(from.front() == 1);
}
