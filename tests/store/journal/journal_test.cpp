// The journal on a simulated disk: each test says what the disk does, and in which order.
#include "store/journal/journal.hpp"
#include "tests/store/journal/simulated_disk.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_time.hpp"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace troupe;
using namespace troupe::journal;

namespace {

constexpr std::uint64_t some_id = 0xfeed;

journal_options small() {
  journal_options out;
  out.segment_bytes_min = 8192;
  out.segment_bytes_max = 32768;
  out.batch_bytes_max = 4096;
  out.ahead_bytes = 2048;
  return out;
}

/// A journal, its disk and its clock.
struct bed {
  explicit bed(std::uint64_t seed = 1, journal_options how = small()) : disk(seed), options(how) {}

  result<void> open() {
    opened = {};
    auto made = open_journal(disk, time, some_id, options);
    if (!made)
      return made.error();
    opened = std::move(*made);
    return {};
  }
  void reopen() {
    const auto made = open();
    INFO((made ? std::string{} : made.error().message));
    REQUIRE(made.has_value());
  }
  journal::journal& it() { return *opened.opened; }

  void settle() {
    for (int turns = 0; it().turn(); ++turns)
      REQUIRE(turns < 100'000);
  }
  /// Appends groups one by one, each acknowledged before the next.
  void append_each(const std::vector<std::string>& groups) {
    for (const auto& each : groups) {
      append(each);
      settle();
    }
  }
  void append(std::string group) {
    it().append(std::move(group), [this](auto at) { acknowledged.push_back(at); });
  }

  std::vector<std::string> read_all(std::size_t page_bytes = 1000) {
    std::vector<std::string> out;
    journal_cursor cursor{it().first()};
    for (bool more = true; more;) {
      std::optional<result<group_page>> page;
      it().read(cursor, page_bytes, [&](result<group_page> got) { page = std::move(got); });
      settle();
      REQUIRE(page);
      INFO((*page ? std::string{} : page->error().message));
      REQUIRE(page->has_value());
      for (auto& each : (*page)->groups) {
        REQUIRE(each.at == it().first() + out.size());
        out.push_back(std::move(each.bytes));
      }
      cursor = (*page)->cursor;
      more = !(*page)->groups.empty();
    }
    return out;
  }

  std::size_t calls(disk_call kind) const {
    return static_cast<std::size_t>(std::ranges::count(disk.log, kind, &logged_call::kind));
  }

  simulated_disk disk;
  testing::hand_time time;
  journal_options options;
  opened_journal opened;
  std::vector<journal::position> acknowledged;
};

std::vector<std::string> some_groups(std::size_t count, std::size_t bytes = 300) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back("group " + std::to_string(i) + ' ' + std::string(bytes * (i % 3), 'a'));
  return out;
}

std::error_code from_errno(int number) {
  return {number, std::generic_category()};
}

} // namespace

TEST_CASE("A journal gives back what was appended, in order, also after a restart", "[journal]") {
  bed b;
  b.reopen();
  CHECK(b.it().last() == 0);
  CHECK(b.read_all().empty());
  const auto groups = some_groups(200);
  b.append_each(groups);
  CHECK(b.it().last() == 200);
  CHECK(b.it().status().segments > 3);
  for (const std::size_t page : {1, 500, 1'000'000})
    CHECK(b.read_all(page) == groups);
  bool is_closed = false;
  b.it().close([&](bool is_safe) { is_closed = is_safe; });
  b.settle();
  CHECK(is_closed);
  b.disk.end_process();
  b.reopen();
  CHECK(b.opened.repaired.empty());
  CHECK(b.read_all() == groups);
}

TEST_CASE("No segment is missing if the power fails in a start that removes what is not needed",
          "[journal]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    bed b(seed);
    b.reopen();
    b.append_each(some_groups(100));
    b.it().forget(90);
    // The process ends between the new name of the manifest and the sync of names.
    bool is_renamed = false;
    b.disk.refuse = [&](disk_call kind, const std::string&) {
      is_renamed = is_renamed || kind == disk_call::rename;
      return is_renamed && kind != disk_call::rename ? from_errno(EIO) : std::error_code{};
    };
    for (int turns = 0; !is_renamed && turns < 1000; ++turns)
      b.it().turn();
    REQUIRE(is_renamed);
    b.disk.end_process();
    b.opened = {};
    bool is_removed = false;
    b.disk.refuse = [&](disk_call kind, const std::string&) {
      is_removed = is_removed || kind == disk_call::remove;
      return is_removed && kind != disk_call::remove ? from_errno(EIO) : std::error_code{};
    };
    CHECK(b.open().has_error());
    b.disk.lose_power();
    b.disk.refuse = nullptr;
    b.reopen();
    CHECK(b.it().last() == 100);
  }
}

TEST_CASE("Groups that wait are made safe together, in the order of appending", "[journal]") {
  bed b;
  b.reopen();
  b.settle();
  const auto before = b.calls(disk_call::sync);
  for (const auto& each : some_groups(12, 100))
    b.append(each);
  CHECK(b.it().status().waiting_groups == 12);
  b.settle();
  CHECK(b.calls(disk_call::sync) == before + 1);
  CHECK(b.acknowledged.size() == 12);
  CHECK(std::ranges::is_sorted(b.acknowledged));
}

TEST_CASE("No group is acknowledged before its sync has ended", "[journal]") {
  bed b;
  b.reopen();
  bool is_synced = false;
  b.append("a group");
  b.disk.refuse = [&](disk_call kind, const std::string& file) {
    if (kind == disk_call::sync && file.starts_with("segment"))
      is_synced = true;
    return std::error_code{};
  };
  while (b.acknowledged.empty()) {
    REQUIRE(b.it().turn());
    if (!b.acknowledged.empty())
      CHECK(is_synced);
  }
}

TEST_CASE("The next groups are on their way when the last ones are acknowledged", "[journal]") {
  bed b;
  b.reopen();
  b.settle();
  std::size_t under_way = 0;
  b.it().append("first", [&](auto) { under_way = b.disk.calls_under_way(); });
  b.it().turn(); // "first" is under way.
  b.it().append("second", nullptr);
  b.settle();
  CHECK(under_way == 3); // The file `safe` is written, "second" is written and synced.
  CHECK(b.read_all() == std::vector<std::string>{"first", "second"});
}

TEST_CASE("A group that is larger than a segment gets one of its own", "[journal]") {
  bed b;
  b.reopen();
  const std::vector<std::string> groups{"small", std::string(100'000, 'x'), "small again"};
  b.append_each(groups);
  CHECK(b.read_all() == groups);
  b.disk.end_process();
  b.reopen();
  CHECK(b.read_all() == groups);
}

TEST_CASE("A long group takes its room once, and the memory for it is given back", "[journal]") {
  bed b;
  b.reopen();
  constexpr std::size_t bytes = std::size_t{16} << 20;
  std::size_t most = 0;
  b.it().append(std::string(bytes, 'x'), nullptr);
  while (b.it().turn())
    most = std::max(most, b.it().status().buffer_bytes);
  b.settle();
  CHECK(most > bytes);
  CHECK(most < bytes + bytes / 4);
  CHECK(b.it().status().buffer_bytes < bytes / 4);
  b.append_each({"short"});
  CHECK(b.it().status().buffer_bytes < bytes / 4);
}

TEST_CASE("Bytes that a failed sync may have lost are written again elsewhere", "[journal]") {
  bed b;
  b.reopen();
  b.append_each({"before"});
  bool refuses = true;
  b.disk.refuse = [&](disk_call kind, const std::string& file) {
    const bool is_it = kind == disk_call::sync && file.starts_with("segment") && refuses;
    if (is_it)
      refuses = false;
    return is_it ? from_errno(EIO) : std::error_code{};
  };
  b.append("doubtful");
  b.settle();
  CHECK(b.acknowledged.size() == 1);
  CHECK(b.it().status().problem.find("Input/output error") != std::string::npos);
  b.time.pass(b.options.retry_interval);
  b.settle();
  CHECK(b.acknowledged.size() == 2);
  CHECK(b.it().status().problem.empty());
  for (int i = 0; i < 8; ++i) {
    b.disk.lose_power();
    b.reopen();
    CHECK(b.read_all() == std::vector<std::string>{"before", "doubtful"});
  }
}

TEST_CASE("A full disk keeps groups waiting, the status says so, and writing continues when there "
          "is room",
          "[journal]") {
  bed b;
  b.reopen();
  b.disk.capacity = 60'000;
  std::vector<std::string> groups;
  for (int i = 0; b.it().status().problem.empty(); ++i) {
    REQUIRE(i < 1000);
    groups.push_back(std::string(500, static_cast<char>('a' + i % 26)));
    b.append(groups.back());
    b.settle();
  }
  CHECK(b.it().status().problem.find("Make room") != std::string::npos);
  CHECK(b.acknowledged.size() == groups.size() - 1);
  CHECK(b.read_all().size() == groups.size() - 1);
  for (int episode = 0; episode < 50; ++episode) {
    b.disk.capacity += 10'000; // A small segment and a manifest.
    b.time.pass(b.options.retry_interval);
    b.settle();
    CHECK(b.acknowledged.size() == groups.size());
    for (int i = 0; b.it().status().problem.empty(); ++i) {
      REQUIRE(i < 1000);
      groups.push_back(std::string(500, static_cast<char>('a' + i % 26)));
      b.append(groups.back());
      b.settle();
    }
  }
  b.disk.capacity *= 2;
  b.time.pass(b.options.retry_interval);
  b.settle();
  b.disk.lose_power();
  b.reopen();
  CHECK(b.read_all() == groups);
}

TEST_CASE("Segments that are not needed are removed, and pinned ones stay", "[journal]") {
  bed b;
  b.reopen();
  b.append_each(some_groups(200));
  const auto all = b.it().status().segments;
  auto pin = b.it().pin(90);
  b.it().forget(150);
  b.settle();
  const auto first = b.it().first();
  CHECK(first > 1);
  CHECK(first <= 90);
  CHECK(b.it().status().segments < all);
  pin.reset();
  b.settle();
  CHECK(b.it().first() > first);
  CHECK(b.it().first() <= 150);
  std::optional<result<group_page>> page;
  b.it().read({1}, 100, [&](result<group_page> got) { page = std::move(got); });
  REQUIRE(page);
  REQUIRE(page->has_error());
  CHECK(page->error().code == errc::invalid_params);
  const auto kept = b.read_all();
  b.disk.lose_power();
  b.reopen();
  CHECK(b.read_all() == kept);
}

TEST_CASE("With any fault of the disk, all acknowledged groups are there after each restart",
          "[journal]") {
  const auto seed = GENERATE(range(1, 300));
  std::mt19937_64 dice{static_cast<std::uint64_t>(seed)};
  const auto chance = [&](std::uint64_t of) { return dice() % of == 0; };
  auto options = small();
  options.is_sync = seed % 4 != 0;
  bed b{static_cast<std::uint64_t>(seed), options};
  std::vector<std::string> appended;
  std::size_t kept = 0; ///< So many of them must be there after the next start.
  CAPTURE(seed);
  for (int life = 0; life < 6; ++life) {
    b.reopen();
    const auto found = b.read_all(1 + dice() % 5000);
    REQUIRE(found.size() >= kept);
    REQUIRE(found.size() <= appended.size());
    appended.resize(found.size());
    REQUIRE(found == appended);
    kept = found.size();
    b.disk.refuse = [&](disk_call, const std::string&) {
      return chance(40) ? from_errno(chance(2) ? EIO : ENOSPC) : std::error_code{};
    };
    const auto steps = dice() % 300;
    for (std::uint64_t step = 0; step < steps; ++step) {
      if (chance(3)) {
        appended.push_back(std::to_string(appended.size()) + std::string(dice() % 3000, 'x'));
        b.it().append(appended.back(), [&kept](auto at) {
          REQUIRE(at == kept + 1);
          kept = at;
        });
      }
      if (chance(10))
        b.time.pass(std::chrono::milliseconds(dice() % 500));
      b.it().turn();
    }
    b.disk.refuse = nullptr;
    if (chance(3)) {
      b.disk.end_process();
    } else {
      b.disk.lose_power();
      if (!options.is_sync)
        kept = 0; // As documented: only what is older than an interval must be there.
    }
  }
}

TEST_CASE("After damage all acknowledged groups are there, or the start is refused", "[journal]") {
  bed b;
  b.reopen();
  const auto groups = some_groups(60, 200);
  b.append_each(groups);
  const bool is_closed = GENERATE(true, false);
  if (is_closed) {
    b.it().close(nullptr);
    b.settle();
  }
  b.disk.end_process();
  std::map<std::string, std::string> files;
  for (const auto& name : b.disk.names())
    files[name] = b.disk.content(name);
  std::mt19937_64 dice{7};
  std::map<std::string, std::size_t> refused;
  for (const auto& [name, content] : files)
    for (const char* const kind : {"flip", "zero", "copy", "cut", "remove"})
      for (int place = 0; place < 200; ++place) {
        for (const auto& each : b.disk.names())
          if (!files.contains(each))
            b.disk.erase(each);
        for (const auto& [other, bytes] : files)
          b.disk.restore(other, bytes);
        auto& damaged = b.disk.content(name);
        const auto at = dice() % damaged.size();
        const auto size = std::min<std::size_t>(damaged.size() - at, 1 + dice() % 4096);
        const std::string_view how{kind};
        if (how == "flip")
          damaged[at] = static_cast<char>(damaged[at] ^ (1 << dice() % 8));
        else if (how == "zero")
          damaged.replace(at, size, size, '\0');
        else if (how == "copy")
          damaged.replace(at, size, content, dice() % (content.size() - size + 1), size);
        else if (how == "cut")
          damaged.resize(at);
        else if (place == 0)
          b.disk.erase(name);
        else
          break;
        CAPTURE(name, kind, at, size);
        const auto before = b.disk.names();
        const auto made = b.open();
        if (made) {
          REQUIRE(b.read_all() == groups);
        } else {
          ++refused[kind];
          REQUIRE(made.error().code == errc::store_failed);
          REQUIRE(made.error().message.find('"' + name + '"') != std::string::npos);
          REQUIRE(b.disk.names() == before);
        }
        b.opened = {};
        b.disk.end_process();
      }
  for (const char* const kind : {"flip", "zero", "copy", "cut", "remove"})
    CHECK(refused[kind] > 0);
}

TEST_CASE("A start that fails or is cut off at any call loses nothing", "[journal]") {
  auto options = small();
  options.is_sync = GENERATE(true, false);
  const bool goes_on = GENERATE(true, false); // Or every later call is refused, too.
  bed b{3, options};
  b.reopen();
  const auto groups = some_groups(20, 100);
  b.append_each(groups);
  b.disk.end_process();
  b.disk.content("safe").clear(); // As after a power failure: how far groups are safe is not known.
  std::map<std::string, std::string> files;
  for (const auto& name : b.disk.names())
    files[name] = b.disk.content(name);
  std::size_t refused = 0;
  for (int at = 0; at < 60; ++at) {
    CAPTURE(at);
    for (const auto& each : b.disk.names())
      b.disk.erase(each);
    for (const auto& [name, bytes] : files)
      b.disk.restore(name, bytes);
    int calls = 0;
    b.disk.refuse = [&](disk_call, const std::string&) {
      const auto call = calls++;
      return call == at || (!goes_on && call > at) ? from_errno(EIO) : std::error_code{};
    };
    if (!b.open())
      ++refused;
    b.opened = {};
    b.disk.end_process();
    b.disk.refuse = nullptr;
    b.reopen();
    REQUIRE(b.read_all() == groups);
    b.opened = {};
    b.disk.end_process();
  }
  CHECK(refused > 10);
}

TEST_CASE("A full disk gets the room of segments that were forgotten", "[journal]") {
  bed b;
  b.reopen();
  b.append_each(some_groups(200));
  b.disk.capacity = 1; // From now on nothing grows.
  for (int i = 0; b.it().status().problem.empty(); ++i) {
    REQUIRE(i < 1000);
    b.append(std::string(500, 'x'));
    b.settle();
  }
  b.it().forget(b.it().last());
  b.disk.capacity = b.it().status().segment_bytes + 2000; // Room for a manifest, and no segment.
  b.time.pass(b.options.retry_interval);
  b.settle();
  CHECK(b.it().status().problem.empty());
  CHECK(b.it().status().waiting_groups == 0);
}

TEST_CASE("A disk without room for a manifest takes groups while their segment has room",
          "[journal]") {
  bed b;
  b.reopen();
  b.append_each(some_groups(200));
  const auto segments = b.it().status().segments;
  REQUIRE(segments > 3);
  b.disk.refuse = [](disk_call kind, const std::string& file) {
    return kind == disk_call::write && file == "manifest.new" ? from_errno(ENOSPC)
                                                              : std::error_code{};
  };
  b.it().forget(b.it().last());
  b.settle();
  CHECK(b.it().status().problem.empty());
  CHECK(b.it().wakes_at());
  b.append("has room");
  b.settle();
  CHECK(b.acknowledged.size() == 201);
  CHECK(b.it().status().segments == segments);
  // Without room in the segment, the next one is refused, and goes on by itself.
  for (int i = 0; b.it().status().problem.empty(); ++i) {
    REQUIRE(i < 1000);
    b.append(std::string(500, 'x'));
    b.settle();
  }
  b.disk.refuse = nullptr;
  b.time.pass(b.options.retry_interval);
  b.settle();
  CHECK(b.it().status().problem.empty());
  CHECK(b.it().status().waiting_groups == 0);
  CHECK(b.it().status().segments <= 2);
  CHECK_FALSE(b.it().wakes_at());
}

TEST_CASE("A start on a full disk says that it is to be started again", "[journal]") {
  bed b;
  b.disk.capacity = 100;
  const auto made = b.open();
  REQUIRE(made.has_error());
  CHECK(made.error().message.find("start again") != std::string::npos);
  CHECK(made.error().message.find("by itself") == std::string::npos);
}

TEST_CASE("A refused segment is tried again although forgetting is refused", "[journal]") {
  bed b;
  b.reopen();
  b.append_each(some_groups(200));
  b.disk.refuse = [](disk_call kind, const std::string&) {
    return kind == disk_call::allocate ? from_errno(ENOSPC) : std::error_code{};
  };
  for (int i = 0; b.it().status().problem.empty(); ++i) {
    REQUIRE(i < 1000);
    b.append(std::string(500, 'x'));
    b.settle();
  }
  b.it().forget(b.it().last());
  bool is_manifest_refused = true; // Once: when the journal forgets.
  b.disk.refuse = [&](disk_call kind, const std::string& file) {
    return kind == disk_call::write && file == "manifest.new"
                   && std::exchange(is_manifest_refused, false)
               ? from_errno(ENOSPC)
               : std::error_code{};
  };
  b.time.pass(b.options.retry_interval);
  b.settle();
  CHECK_FALSE(is_manifest_refused);
  CHECK(b.it().status().problem.empty());
  CHECK(b.it().status().waiting_groups == 0);
}

TEST_CASE("A journal that closes while the disk refuses says that not all is safe", "[journal]") {
  bed b;
  b.reopen();
  b.disk.refuse = [](disk_call kind, const std::string&) {
    return kind == disk_call::write ? from_errno(EIO) : std::error_code{};
  };
  b.append("never safe");
  b.settle();
  std::optional<bool> safe;
  b.it().close([&](bool is_safe) { safe = is_safe; });
  b.settle();
  CHECK(safe == false);
}

TEST_CASE("Without a manifest, a first segment that has groups is damage", "[journal]") {
  bed b;
  b.reopen();
  b.append_each(some_groups(3));
  b.disk.end_process();
  b.disk.erase("manifest");
  b.disk.content("segment-00000001")[20] ^= 1;
  const auto names = b.disk.names();
  const auto made = b.open();
  REQUIRE(made.has_error());
  CHECK(made.error().message.find("\"manifest\"") != std::string::npos);
  CHECK(b.disk.names() == names);
}
