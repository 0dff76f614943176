#include "client/sse_reader.hpp"
#include "tests/support/catch.hpp"

#include <vector>

using namespace troupe;
using namespace troupe::net;

namespace {

std::vector<std::string> data_of(sse_reader& reader) {
  std::vector<std::string> out;
  while (const auto event = reader.take())
    out.push_back(event->id + "|" + event->data);
  return out;
}

} // namespace

TEST_CASE("events are read wherever the bytes are cut", "[client][sse]") {
  const std::string text = "\xEF\xBB\xBF: hello\r\nid: 1\r\ndata: one\r\ndata:two\r\n\r\n"
                           "event: x\ndata: {\"a\": 1}\n\nid: 2\n\rretry: 1500\rdata\r\r";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    sse_reader reader(1000);
    for (std::size_t at = 0; at < text.size(); at += piece)
      REQUIRE(reader.feed(std::string_view{text}.substr(at, piece)).has_value());
    CHECK(data_of(reader) == std::vector<std::string>{"1|one\ntwo", "1|{\"a\": 1}", "2|"});
    CHECK(reader.retry() == std::chrono::milliseconds{1500});
  }
}

TEST_CASE("an event without its end is none, and one without data is passed over",
          "[client][sse]") {
  sse_reader reader(1000);
  REQUIRE(reader.feed("id: 7\n\ndata: cut").has_value());
  CHECK(data_of(reader).empty());
  REQUIRE(reader.feed(" off\n\n").has_value());
  CHECK(data_of(reader) == std::vector<std::string>{"7|cut off"});
}

TEST_CASE("what a stream ends with may lack its empty line", "[client][sse]") {
  sse_reader reader(1000);
  REQUIRE(reader.feed("id: 7\n\n: bye\n\ndata: {\"a\":\ndata: 1}").has_value());
  CHECK(reader.is_within_event());
  CHECK_FALSE(reader.take());
  const auto rest = reader.take_rest();
  REQUIRE(rest);
  CHECK(rest->data == "{\"a\":\n1}");
  CHECK(rest->id == "7");
  sse_reader nothing(1000);
  REQUIRE(nothing.feed("data: a\n\nid: 8").has_value());
  CHECK(nothing.take()->data == "a");
  CHECK_FALSE(nothing.take_rest());
}

TEST_CASE("an event that the server calls an error is marked, and the next one is not",
          "[client][sse]") {
  sse_reader reader(1000);
  REQUIRE(
      reader.feed("event: error\ndata: a\n\ndata: b\n\nevent: error\n\ndata: c\n\n").has_value());
  CHECK(reader.take()->is_error);
  CHECK_FALSE(reader.take()->is_error);
  CHECK_FALSE(reader.take()->is_error); // one without data is none
}

TEST_CASE("an id that fits into no header is passed over", "[client][sse]") {
  sse_reader reader(10'000);
  REQUIRE(reader.feed("id: 7\ndata: a\n\n").has_value());
  const auto id = GENERATE(std::string("a\tb"), std::string("\xc3\xa4"),
                           std::string(event_id_bytes_max + 1, 'x'));
  REQUIRE(reader.feed("id: " + id + "\ndata: b\n\n").has_value());
  CHECK(data_of(reader) == std::vector<std::string>{"7|a", "7|b"});
}

TEST_CASE("an event that is too long is refused, in one line or in many", "[client][sse]") {
  sse_reader one_line(10);
  CHECK(one_line.feed("data: 123456").error().code == errc::too_large);
  sse_reader lines(10);
  REQUIRE(lines.feed("data:1234\n").has_value());
  CHECK(lines.feed("data:12").error().code == errc::too_large);
}

TEST_CASE("a comment without end holds no memory", "[client][sse]") {
  sse_reader reader(1000);
  for (int i = 0; i < 100; ++i)
    REQUIRE(reader.feed((i == 0 ? ":" : "") + std::string(999, 'x')).has_value());
  CHECK(reader.held_bytes() == 0);
  CHECK(reader.take_idle_bytes() == 99'901);
  CHECK(reader.unfinished_bytes() == 1);
  REQUIRE(reader.feed("\ndata: 1\n\n").has_value());
  CHECK(reader.unfinished_bytes() == 0);
  CHECK(data_of(reader) == std::vector<std::string>{"|1"});
}

TEST_CASE("bytes that are of no event are counted as idle", "[client][sse]") {
  sse_reader reader(1000);
  const auto idle = [&](const std::string& text) {
    REQUIRE(reader.feed(text).has_value());
    return reader.take_idle_bytes();
  };
  CHECK(idle(": hello\n\n") == 8);
  CHECK(idle("data: 1\n") == 0);
  CHECK(idle("data: 2\n\n") == 0);
  CHECK(idle("datax: 1\r\r") == 9);
  CHECK(idle("id: 1\nretry: 5\nx\n") == 14);
  CHECK(idle("\n\r\n\r") == 3);
  CHECK(idle("data") == 0); // may be of one
}
