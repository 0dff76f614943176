// The line on a terminal about something that takes long.
#include "apps/terminal/progress_line.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_time.hpp"

#include <string>

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
