#include "agents/command/program_output.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace troupe;

namespace {

using texts = std::vector<std::string>;

constexpr timestamp noon{std::chrono::hours{12}};

program_line line_of(std::string text) {
  return {noon, false, std::move(text)};
}

} // namespace

TEST_CASE("bytes become lines, however they are cut", "[agents][output]") {
  line_cutter lines;
  CHECK(lines.feed("on").empty());
  CHECK(lines.feed("e\n\ntw") == texts{"one", ""});
  CHECK(lines.feed("o\r\n") == texts{"two"});
  CHECK(lines.feed("10%\r50%\r100%\n") == texts{"100%"});
  CHECK(lines.feed("\x1b[31mred\xff\n") == texts{"\xef\xbf\xbd[31mred\xef\xbf\xbd"});
  CHECK(lines.feed("rest").empty());
  CHECK(lines.rest() == "rest");
  CHECK(lines.rest().empty());
}

TEST_CASE("a line without an end is broken", "[agents][output]") {
  line_cutter lines;
  const auto pieces = lines.feed(std::string(2 * program_line_bytes_max + 1, 'x'));
  REQUIRE(pieces.size() == 2);
  CHECK(pieces.front() == std::string(program_line_bytes_max, 'x'));
  CHECK(lines.rest() == "x");
}

TEST_CASE("of many lines the first and the last are kept", "[agents][output]") {
  bounded_lines lines(3 * (sizeof(program_line) + 1));
  texts first;
  for (const auto* text : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
    auto line = line_of(text);
    if (lines.is_first(line))
      first.push_back(line.text);
    else
      lines.keep(std::move(line));
  }
  CHECK(first == texts{"1", "2", "3"});
  texts last;
  for (const auto& line : lines.last())
    last.push_back(line.text);
  CHECK(last == texts{"6", "7", "8"});
  CHECK(lines.left_out_lines() == 2);
  CHECK(lines.left_out() == "... 2 lines (4 B) left out ...");
  CHECK(bounded_lines(100).left_out().empty());
}

TEST_CASE("much on one stream does not push out the last lines of the other", "[agents][output]") {
  const bool is_stderr = GENERATE(true, false);
  bounded_lines lines(8 * (sizeof(program_line) + 1));
  const auto say = [&](const char* text, bool on_stderr) {
    auto line = line_of(text);
    line.is_stderr = on_stderr;
    if (!lines.is_first(line))
      lines.keep(std::move(line));
  };
  for (int i = 0; i < 9; ++i)
    say("0", is_stderr); // The first ones.
  for (const auto* text : {"1", "2", "3"})
    say(text, !is_stderr);
  for (int i = 0; i < 100; ++i)
    say("x", is_stderr);
  say("y", is_stderr);
  std::string last;
  for (const auto& line : lines.last())
    last += line.text;
  CHECK(last == "23xxxxxy"); // A quarter is two lines.
  CHECK(lines.left_out_lines() == 97);
}

TEST_CASE("what is short stays together behind what is long", "[agents][output]") {
  bounded_lines lines(10 + sizeof(program_line));
  CHECK(lines.is_first(line_of("123456")));
  CHECK_FALSE(lines.is_first(line_of("1234567890")));
  CHECK_FALSE(lines.is_first(line_of("1"))); // else it would stand before the long one
}

TEST_CASE("the record has each line with its time and stream, and how it ended",
          "[agents][output]") {
  program_output written;
  CHECK_FALSE(written.take_rest(1, "exited with 3").has_value()); // It wrote nothing.
  CHECK(written.add(false, "a\nb", noon) == std::vector{line_of("a")});
  written.add(true, "oops\n", noon + std::chrono::milliseconds{5});
  CHECK(written.finish(noon + std::chrono::seconds{1}).size() == 1);
  const auto said = written.take_rest(2, "exited with 3")->message;
  CHECK(said.from == role::agent);
  CHECK(text_of(said.parts)
        == "1970-01-01T12:00:00.000Z stdout a\n"
           "1970-01-01T12:00:00.005Z stderr oops\n"
           "1970-01-01T12:00:01.000Z stdout b\n");
  CHECK(said.metadata.at(program_log_key)
        == boost::json::value({{"attempt", 2}, {"end", "exited with 3"}}));
  CHECK(logged_attempt(said) == 2);
  CHECK_FALSE(logged_attempt(message{}).has_value());
  CHECK(written.last_words() == ": oops");
}

TEST_CASE("the first lines come into the record while the program runs", "[agents][output]") {
  program_output written;
  CHECK_FALSE(written.take_new(1, noon).has_value());
  written.add(false, "a\nb", noon);
  const auto first = written.take_new(1, noon)->message;
  CHECK(text_of(first.parts) == "1970-01-01T12:00:00.000Z stdout a\n");
  CHECK(first.metadata.at(program_log_key) == boost::json::value({{"attempt", 1}}));
  CHECK_FALSE(written.take_new(1, noon).has_value());
  CHECK_FALSE(written.take_rest(1, "").has_value());
  CHECK(
      text_of(written.take_rest(1, "exited with 3")->message.parts).empty()); // Only how it ended.
  written.finish(noon);
  CHECK(text_of(written.take_rest(1, "")->message.parts) == "1970-01-01T12:00:00.000Z stdout b\n");
}

TEST_CASE("a line of the record is read back", "[agents][output]") {
  const program_line line{noon, true, "stdout stderr  x"};
  CHECK(read_shown_line(shown_line(line)) == line);
  CHECK(read_shown_line(shown_line(line_of(""))) == line_of(""));
  for (const auto* other : {"", "x", "... 3 MB left out ...", "1970-01-01T12:00:00.000Z",
                            "1970-01-01T12:00:00.000Z out x", "12:00 stdout x"})
    CHECK_FALSE(read_shown_line(other).has_value());
}

TEST_CASE("the record of a program that writes much is bounded, from the middle",
          "[agents][output]") {
  program_output written;
  for (int i = 0; i < 100'000; ++i)
    written.add(i % 2 == 0, "line " + std::to_string(i) + "\n", noon);
  const auto text = text_of(written.take_rest(1, "")->message.parts);
  CHECK(text.size() < 2 * program_log_part_bytes_max);
  CHECK_THAT(text, StartsWith("1970-01-01T12:00:00.000Z stderr line 0\n"));
  CHECK_THAT(text, ContainsSubstring(" MB) left out ...\n"));
  CHECK_THAT(text, EndsWith("1970-01-01T12:00:00.000Z stdout line 99999\n"));
}

TEST_CASE("a failure says the last line of stderr, or else of stdout", "[agents][output]") {
  program_output quiet;
  CHECK(quiet.last_words().empty());
  quiet.add(false, "2 tests\n1 test failed\n", noon);
  CHECK(quiet.last_words() == ": 1 test failed");
  quiet.add(true, " \n", noon);
  CHECK(quiet.last_words() == ": 1 test failed");
  quiet.add(true, "where\n why \n\n", noon);
  CHECK(quiet.last_words() == ": why");
}

TEST_CASE("the newest lines come into the record while the program goes on", "[agents][output]") {
  using namespace std::chrono_literals;
  program_output written;
  const auto write_much = [&](char mark, timestamp at) {
    for (int i = 0; i < 1000; ++i)
      written.add(false, mark + std::string(99, '.') + std::to_string(i) + "\n", at);
  };
  write_much('a', noon);
  const auto first = text_of(written.take_new(1, noon)->message.parts);
  CHECK_THAT(first, StartsWith("1970-01-01T12:00:00.000Z stdout a."));
  CHECK_FALSE(written.take_new(1, noon + 1s).has_value()); // The excerpt is not due.
  CHECK(written.excerpt_due() == noon + excerpt_pause_min);
  const auto excerpt = text_of(written.take_new(1, noon + 2s)->message.parts);
  CHECK_THAT(excerpt, StartsWith("... "));
  CHECK_THAT(excerpt, ContainsSubstring(" left out ...\n"));
  CHECK_THAT(excerpt, EndsWith(".999\n"));
  CHECK(excerpt.size() < 2 * program_log_part_bytes_max);
  CHECK_FALSE(written.excerpt_due().has_value()); // There is nothing new.
  written.add(false, "b\n", noon + 60s);
  CHECK(text_of(written.take_new(1, noon + 60s)->message.parts)
        == "1970-01-01T12:01:00.000Z stdout b\n"); // Nothing is left out since.
  write_much('c', noon + 61s);
  CHECK(written.excerpt_due() == noon + 90s); // Half as long again as at the last one.
  const auto rest = text_of(written.take_rest(1, "")->message.parts);
  CHECK_THAT(rest, StartsWith("... "));
  CHECK_THAT(rest, EndsWith(".999\n"));
}

TEST_CASE("the excerpts of a program that writes for a day are few", "[agents][output]") {
  program_output written;
  int excerpts = 0;
  for (std::chrono::seconds at{0}; at < std::chrono::hours{24}; at += std::chrono::seconds{1}) {
    written.add(false, std::string(1000, 'x') + "\n", noon + at);
    excerpts += written.take_new(1, noon + at).has_value() ? 1 : 0;
  }
  CHECK(excerpts < 60); // Sixteen of them are of the first lines.
}
