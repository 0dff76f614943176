// Cancels that are not settled survive the process.
#include "agents/a2a/cancel_outbox.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <filesystem>
#include <fstream>
#include <string>

using namespace troupe;
using namespace troupe::testing;

namespace {

delegation_note note_of(const std::string& message, const std::string& task = {}) {
  delegation_note out;
  out.target = "support";
  out.message = message;
  out.context = "c";
  out.task = task;
  return out;
}

} // namespace

TEST_CASE("a cancel is found again by the next process, unless it is settled", "[agents][a2a]") {
  const temporary_directory where;
  const auto path = (where.path() / "cancels").string();
  {
    cancel_outbox one(path);
    CHECK(one.pending().empty());
    one.add(note_of("m1"));
    one.add(note_of("m2", "t2"));
    one.add(note_of("m1", "t1")); // its id is known now
    one.remove(note_of("m2"));
    one.sync();
    one.sync();
  }
  std::ofstream(path, std::ios::app) << R"({"cancel":"{\"del)"; // killed while it wrote
  cancel_outbox next(path);
  REQUIRE(next.pending().size() == 1);
  CHECK(next.pending()[0] == note_of("m1", "t1"));
  next.remove(note_of("m1"));
  CHECK(next.pending().empty());
  CHECK(cancel_outbox(path).pending().empty());
}

TEST_CASE("what is written behind a line that was cut off is found again", "[agents][a2a]") {
  const temporary_directory where;
  const auto path = (where.path() / "cancels").string();
  cancel_outbox(path).add(note_of("m1"));
  std::ofstream(path, std::ios::app) << R"({"cancel":"{\"del)"; // killed while it wrote
  cancel_outbox(path).add(note_of("m2"));
  CHECK(cancel_outbox(path).pending().size() == 2);
}

TEST_CASE("cancels that are not settled are not written again with each other one",
          "[agents][a2a]") {
  const temporary_directory where;
  const auto path = where.path() / "cancels";
  cancel_outbox box(path.string());
  for (std::size_t i = 0; i < outbox_lines_max; ++i)
    box.add(note_of("m" + std::to_string(i)));
  box.remove(note_of("m0"));
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);)
    last = line;
  CHECK(last == R"({"settled":"m0"})"); // behind the others
  CHECK(cancel_outbox(path.string()).pending().size() == outbox_lines_max - 1);
}

TEST_CASE("a process that is killed while it writes the file of cancels anew loses none",
          "[agents][a2a]") {
  const temporary_directory where;
  const auto path = where.path() / "cancels";
  cancel_outbox box(path.string());
  box.add(note_of("kept"));
  for (std::size_t i = 0; i + 1 < outbox_lines_max / 2; ++i) {
    box.add(note_of("m"));
    box.remove(note_of("m"));
  }
  box.add(note_of("m"));
  const auto before = where.path() / "before";
  std::filesystem::create_hard_link(path, before);
  box.remove(note_of("m"));
  // The old file stays as it was until the new one is whole, and takes its place.
  CHECK_FALSE(std::filesystem::equivalent(path, before));
  CHECK(cancel_outbox(before.string()).pending().size() == 2);
  CHECK(cancel_outbox(path.string()).pending().size() == 1);
}

TEST_CASE("the file of cancels does not grow for ever", "[agents][a2a]") {
  const temporary_directory where;
  const auto path = where.path() / "cancels";
  cancel_outbox box(path.string());
  box.add(note_of("kept"));
  for (std::size_t i = 0; i < outbox_lines_max; ++i) {
    box.add(note_of("m"));
    box.remove(note_of("m"));
  }
  std::ifstream file(path);
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line);)
    ++lines;
  CHECK(lines <= outbox_lines_max + 1);
  CHECK(cancel_outbox(path.string()).pending().size() == 1);
}

TEST_CASE("without a file cancels are kept in memory", "[agents][a2a]") {
  cancel_outbox box("");
  box.add(note_of("m"));
  box.sync();
  CHECK(box.pending().size() == 1);
  box.remove(note_of("m"));
  CHECK(box.pending().empty());
}
