#include "protocol/event_stream.hpp"

#include "tests/support/catch.hpp"

#include <vector>

using namespace troupe;

namespace {

/// All events of `text`, fed `step` bytes at a time.
std::vector<stream_event> events_of(std::string_view text, std::size_t step) {
  event_stream_reader reader;
  std::vector<stream_event> out;
  for (std::size_t at = 0; at < text.size(); at += step) {
    reader.feed(text.substr(at, step));
    while (auto one = reader.next())
      out.push_back(std::move(*one));
  }
  return out;
}

struct stream_row {
  std::string text;
  std::vector<stream_event> events;
};

} // namespace

TEST_CASE("events are read as the standard says, however the bytes are cut", "[protocol][event_stream]") {
  for (const auto& row : std::vector<stream_row>{
      {"data: a\n\n", {{"", "a", ""}}},
      {"data:a\n\n", {{"", "a", ""}}},
      {"data:  a\n\n", {{"", " a", ""}}},
      {"data\n\n", {{"", "", ""}}},
      {"data\ndata\n\n", {{"", "\n", ""}}},
      {"data: a\r\n\r\ndata: b\r\rdata: c\n\n", {{"", "a", ""}, {"", "b", ""}, {"", "c", ""}}},
      {"\xEF\xBB\xBF" "data: a\n\n", {{"", "a", ""}}},
      {": keep-alive\n\ndata: a\n\n: again\n\n", {{"", "a", ""}}},
      {"event: error\ndata: {}\n\ndata: b\n\n", {{"error", "{}", ""}, {"", "b", ""}}},
      {"event: lost\n\ndata: b\n\n", {{"", "b", ""}}},
      {"id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", {{"", "a", "7"}, {"", "b", "7"}, {"", "c", ""}}},
      {"data: one\ndata: two\n\n", {{"", "one\ntwo", ""}}},
      {"unknown: x\nDATA: y\n\n", {}},
      {"data: never ended\n", {}},
      {"\n\n\n", {}},
      {"", {}},
  }) {
    CAPTURE(row.text);
    for (std::size_t step = 1; step <= row.text.size() + 1; ++step)
      CHECK(events_of(row.text, step) == row.events);
  }
}

TEST_CASE("an event over the limit breaks the stream, many small ones do not", "[protocol][event_stream]") {
  event_stream_reader small(16);
  for (int i = 0; i < 100; ++i) {
    small.feed("data: 0123456\n\n");
    CHECK(small.next());
  }
  CHECK_FALSE(small.is_broken());
  small.feed("data: 01234567890123456789");
  CHECK_FALSE(small.next());
  CHECK(small.is_broken());
  small.feed("\n\ndata: a\n\n");
  CHECK_FALSE(small.next());

  event_stream_reader lines(16);
  lines.feed("data: 01234567\ndata: 01234567\ndata: 0\n\n");
  CHECK_FALSE(lines.next());
  CHECK(lines.is_broken());
}

TEST_CASE("a server may name the wait before a reconnection", "[protocol][event_stream]") {
  event_stream_reader reader;
  reader.feed("retry: soon\nretry: 15x\n\n");
  CHECK_FALSE(reader.next());
  CHECK_FALSE(reader.retry_after());
  reader.feed("retry: 1500\n\n");
  CHECK_FALSE(reader.next());
  CHECK(reader.retry_after() == 1500U);
}
