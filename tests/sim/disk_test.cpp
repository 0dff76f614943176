// The disk of a world: slow calls, calls that fail, a disk without room, changed bits, death.
#include "store/journal/frame.hpp"
#include "tests/support/catch.hpp"

#include <bit>
#include <cerrno>
#include <set>
#include <string>
#include <vector>

#include "sim/disk.hpp"
#include "sim/world.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::sim;

namespace {

/// Lets time pass until the disk has nothing to do.
void settle(world& in, disk& files) {
  files.wait_for_calls(false);
  for (;;) {
    while (files.turn()) {
    }
    const auto due = in.to_come.next_due();
    if (!due)
      return;
    in.clock.pass(std::max(*due - in.now(), nanoseconds{0}));
    while (in.to_come.turn(in.now())) {
    }
  }
}

journal::file_id open(world& in, disk& files, const std::string& name) {
  journal::file_id out{};
  files.open(name, journal::open_mode::emptied,
             [&](std::error_code, journal::file_id file) { out = file; });
  settle(in, files);
  return out;
}

std::error_code write(world& in, disk& files, journal::file_id file, const std::string& bytes) {
  std::error_code out;
  files.write(file, 0, bytes, [&](std::error_code failed) { out = failed; });
  settle(in, files);
  return out;
}

std::error_code sync(world& in, disk& files, journal::file_id file) {
  std::error_code out;
  files.sync(file, [&](std::error_code failed) { out = failed; });
  settle(in, files);
  return out;
}

std::string read(world& in, disk& files, const std::string& name) {
  std::string out;
  files.open(name, journal::open_mode::reading, [&](std::error_code failed, journal::file_id file) {
    if (!failed)
      files.read(file, 0, 1'000'000,
                 [&](std::error_code, std::string bytes) { out = std::move(bytes); });
  });
  settle(in, files);
  return out;
}

} // namespace

TEST_CASE("a sync of a world's disk takes as long as was drawn, and time waits for it", "[sim]") {
  settings how;
  how.sync_max = 0ms;
  how.slow_syncs = 1;
  how.slow_sync_max = 10s;
  world in(how);
  disk files(in);
  const auto file = open(in, files, "segment-1");
  const auto before = in.now();
  CHECK_FALSE(sync(in, files, file));
  CHECK(in.now() > before);
  CHECK(in.now() <= before + 10s);
}

TEST_CASE("calls of a world's disk fail as often as was drawn, and never when it is calm",
          "[sim]") {
  settings how;
  how.disk_errors = 1;
  world in(how);
  disk files(in);
  in.is_calm = true;
  const auto file = open(in, files, "segment-1");
  in.is_calm = false;
  CHECK(write(in, files, file, "bytes"));
  CHECK(sync(in, files, file).value() == EIO);
  in.is_calm = true;
  CHECK_FALSE(write(in, files, file, "bytes"));
}

TEST_CASE("a disk that is full takes nothing more until it has room again", "[sim]") {
  world in(settings{});
  disk files(in);
  const auto file = open(in, files, "segment-1");
  files.fill(3);
  CHECK(write(in, files, file, "four").value() == ENOSPC);
  files.empty();
  CHECK_FALSE(write(in, files, file, "four"));
  CHECK(in.story.situations().contains("the disk has room again"));
}

TEST_CASE("a process that has died writes nothing more", "[sim]") {
  world in(settings{});
  disk files(in);
  const auto file = open(in, files, "segment-1");
  CHECK_FALSE(write(in, files, file, "before"));
  files.die();
  CHECK(write(in, files, file, "after!"));
  files.after_death(false);
  CHECK(read(in, files, "segment-1") == "before");
}

TEST_CASE("a process dies in its recovery after so many calls", "[sim]") {
  world in(settings{});
  disk files(in);
  const auto file = open(in, files, "segment-1");
  files.die_in_recovery(2);
  CHECK_FALSE(sync(in, files, file));
  CHECK_FALSE(sync(in, files, file));
  CHECK_FALSE(files.is_dead());
  CHECK(sync(in, files, file).value() == EIO);
  CHECK(files.is_dead());
  files.after_death(false);
  CHECK_FALSE(files.is_dead());
}

TEST_CASE("damage changes one bit of a segment, and is taken back", "[sim]") {
  world in(settings{});
  disk files(in);
  dice chance = in.stream("damage");
  CHECK_FALSE(files.damage(chance));
  std::vector<std::string> contents;
  for (const std::string name : {"segment-1", "segment-2"}) {
    const auto file = open(in, files, name);
    contents.emplace_back(journal::segment_header_bytes + 64, name.back());
    REQUIRE_FALSE(write(in, files, file, contents.back()));
  }
  std::set<std::string> damaged;
  for (int i = 0; i < 50; ++i) {
    REQUIRE(files.damage(chance));
    int bits = 0;
    for (std::size_t which = 0; which < contents.size(); ++which) {
      const auto name = "segment-" + std::to_string(which + 1);
      const auto now = read(in, files, name);
      REQUIRE(now.size() == contents[which].size());
      for (std::size_t at = 0; at < now.size(); ++at)
        if (const auto differs = static_cast<unsigned char>(now[at] ^ contents[which][at])) {
          bits += std::popcount(differs);
          damaged.insert(name);
          CHECK(at >= journal::segment_header_bytes);
        }
    }
    REQUIRE(bits == 1);
    files.mend();
    REQUIRE(read(in, files, "segment-1") == contents[0]);
    REQUIRE(read(in, files, "segment-2") == contents[1]);
  }
  CHECK(damaged.size() == 2);
}
