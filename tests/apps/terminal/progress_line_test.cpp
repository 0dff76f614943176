// The line on a terminal about something that takes long.
#include "apps/open_store.hpp"
#include "apps/terminal/progress_line.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/temporary_directory.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/store/store.hpp>

#include <memory>
#include <string>
#include <utility>

#include <unistd.h>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// What a progress line writes.
struct written {
  ~written() {
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
  std::string take() {
    to.write("|"); // So that there is something to read.
    to.flush();
    char bytes[4096];
    const auto size = ::read(pipe[0], bytes, sizeof bytes);
    REQUIRE(size > 0);
    return {bytes, static_cast<std::size_t>(size) - 1};
  }

  int pipe[2]{};
  hand_time time{timestamp{std::chrono::milliseconds{0}}};
  output to{open()};

  int open() {
    REQUIRE(::pipe(pipe) == 0);
    return pipe[1];
  }
};

/// Each look at it is a second later than the one before.
struct hurried_time final : time_source {
  [[nodiscard]] timestamp now() const override { return {}; }
  [[nodiscard]] steady_point steady() const override {
    return steady_point{std::chrono::seconds{++looks}};
  }

  mutable int looks = 0;
};

/// The first change of a lone task.
troupe::change begun_alone(const std::string& id) {
  auto record = std::make_shared<troupe::task>();
  record->id = task_id{id};
  record->context = "c";
  record->agent = "echo";
  record->status.at = record->created = timestamp{std::chrono::milliseconds{1}};
  troupe::change out;
  out.context = record->context;
  out.task = {record->id, true, 0, 0};
  out.at = record->created;
  out.events.emplace_back(task_created{std::move(record)});
  return out;
}

} // namespace

TEST_CASE("progress is shown after a second, at most ten times a second, and cleared",
          "[apps][progress]") {
  written out;
  {
    progress_line line{out.to, true, out.time};
    line.show("1 row read");
    CHECK(out.take().empty());
    out.time.pass(progress_delay);
    line.show("2 rows read");
    CHECK(out.take() == "\r2 rows read\x1b[K");
    line.show("3 rows read");
    CHECK(out.take().empty());
    out.time.pass(progress_interval);
    line.show("4 rows\nread");
    CHECK(out.take() == "\r4 rows read\x1b[K");
    line.clear();
    CHECK(out.take() == "\r\x1b[K");
    line.clear();
    CHECK(out.take().empty());
    out.time.pass(progress_interval);
    line.show("5");
    out.take();
  }
  CHECK(out.take() == "\r\x1b[K");
}

TEST_CASE("progress that was never shown, and one that is not on a terminal, write nothing",
          "[apps][progress]") {
  written out;
  {
    progress_line quick{out.to, true, out.time};
    quick.show("1");
    progress_line file{out.to, false, out.time};
    out.time.pass(progress_delay);
    file.show("2");
  }
  CHECK(out.take().empty());
}

TEST_CASE("a start that takes long says how many live streams it has read", "[apps][progress]") {
  const temporary_directory place;
  const store_choice choice{.directory = place / "data"};
  {
    const auto records = open_store(choice);
    REQUIRE(records.has_value());
    for (const std::string id : {"a", "b", "c"})
      (*records)->commit(begun_alone(id));
    (*records)->flush();
  }
  written out;
  {
    const hurried_time time;
    progress_line line{out.to, true, time};
    REQUIRE(open_store(choice, line).has_value());
  }
  const auto shown = out.take();
  CHECK_THAT(shown, ContainsSubstring("\rrecovering: 3 of 3 live streams"));
  CHECK_THAT(shown, EndsWith("\r\x1b[K"));
}
