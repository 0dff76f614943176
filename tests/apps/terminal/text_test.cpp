#include "apps/terminal/text.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;

TEST_CASE("a cleaned line cannot drive the terminal", "[apps][text]") {
  CHECK(clean_line("a\x1b[31mb\x07") == "a[31mb");
  CHECK(clean_line("one\ntwo\tthree\r") == "one two three");
  CHECK(clean_line("\xc2\x9b"
                   "5m")
        == "5m"); // C1 CSI
  CHECK(clean_line("ab\xe2\x80\xae"
                   "cd")
        == "abcd"); // U+202E right-to-left override
  CHECK(clean_line("caf\xc3\xa9") == "caf\xc3\xa9");
}

TEST_CASE("bytes that are not UTF-8 become replacement characters, one each", "[apps][text]") {
  const std::string r = "\xef\xbf\xbd";
  CHECK(clean_line("a\xff"
                   "b")
        == "a" + r + "b");
  CHECK(clean_line("\xc3") == r);
  CHECK(clean_line("\xe2\x82") == r + r);
  CHECK(clean_line("\xc0\xaf") == r + r);         // overlong
  CHECK(clean_line("\xed\xa0\x80") == r + r + r); // surrogate
  CHECK(clean_line("\xf4\x90\x80\x80") == r + r + r + r);
}

TEST_CASE("a word that a shell would take apart is put in quotes", "[apps][text]") {
  CHECK(shell_word("plans/night.yaml") == "plans/night.yaml");
  CHECK(shell_word("http://desk.example:8080/a") == "http://desk.example:8080/a");
  CHECK(shell_word("http://desk.example/?a=1&b=2") == "'http://desk.example/?a=1&b=2'");
  CHECK(shell_word("my plans/it's.yaml") == "'my plans/it'\\''s.yaml'");
  CHECK(shell_word("") == "''");
}

TEST_CASE("width counts columns, not bytes", "[apps][text]") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("é") == 1);
  CHECK(display_width("e\xcc\x81") == 1); // e and a combining accent
  CHECK(display_width("日本語") == 6);
  CHECK(display_width("🚀") == 2);
  CHECK(display_width("✔○█░…") == 5);
  CHECK(display_width("👍🏽") == 2); // an emoji and the modifier of its skin tone
  CHECK(display_width("נָ") == 1);        // a Hebrew letter and a point
  CHECK(display_width("a\xe2\x80\x8b"
                      "b")
        == 2);                     // U+200B zero width space
  CHECK(display_width("ｆ") == 2); // a full-width letter
  CHECK(display_width("") == 0);
}

TEST_CASE("cutting never splits a character and never exceeds the columns", "[apps][text]") {
  CHECK(cut_to("hello", 5, "…") == "hello");
  CHECK(cut_to("hello!", 5, "…") == "hell…");
  CHECK(cut_to("日本語", 4, "…") == "日…");
  CHECK(cut_to("日本語", 5, "…") == "日本…");
  CHECK(cut_to("日本", 1, "…") == "…");
  CHECK(cut_to("abc", 0, "…").empty());
  CHECK(cut_to("abcdef", 2, "...") == "ab");
  CHECK(fit_to("ab", 4, "…") == "ab  ");
  CHECK(fit_to("日本語", 4, "…") == "日… ");
  const std::string mixed = "aé日🚀e\xcc\x81z";
  for (std::size_t columns = 0; columns < 12; ++columns)
    CHECK(display_width(fit_to(mixed, columns, "…")) == columns);
}

TEST_CASE("durations are short at every size", "[apps][text]") {
  using std::chrono::milliseconds;
  CHECK(format_duration(milliseconds{0}) == "0.00s");
  CHECK(format_duration(milliseconds{-5}) == "0.00s");
  CHECK(format_duration(milliseconds{120}) == "0.12s");
  CHECK(format_duration(milliseconds{9'994}) == "9.99s");
  CHECK(format_duration(milliseconds{9'995}) == "10.0s");
  CHECK(format_duration(milliseconds{59'949}) == "59.9s");
  CHECK(format_duration(milliseconds{59'990}) == "1m00s");
  CHECK(format_duration(milliseconds{187'000}) == "3m07s");
  CHECK(format_duration(milliseconds{7'500'000}) == "2h05m");
  CHECK(format_duration(milliseconds{356'400'000}) == "4d03h");
}

TEST_CASE("the first locale variable that is set decides about UTF-8", "[apps][text]") {
  CHECK(is_utf8_locale(nullptr, nullptr, "en_US.UTF-8"));
  CHECK(is_utf8_locale("", "C.utf8", "C"));
  CHECK_FALSE(is_utf8_locale("C", nullptr, "en_US.UTF-8"));
  CHECK_FALSE(is_utf8_locale(nullptr, nullptr, nullptr));
}

TEST_CASE("colours appear on a terminal that allows them, or when asked for", "[apps][text]") {
  const auto automatic = [](bool is_terminal, colour_variables variables) {
    return use_colour(colour_choice::automatic, is_terminal, variables);
  };
  CHECK(automatic(true, {nullptr, nullptr, "xterm"}));
  CHECK(automatic(true, {"", nullptr, "xterm"}));
  CHECK_FALSE(automatic(true, {"1", nullptr, "xterm"}));
  CHECK_FALSE(automatic(true, {nullptr, nullptr, "dumb"}));
  CHECK_FALSE(automatic(true, {nullptr, nullptr, nullptr}));
  CHECK_FALSE(automatic(false, {nullptr, nullptr, "xterm"}));
  CHECK(automatic(false, {nullptr, "1", nullptr}));
  CHECK_FALSE(automatic(false, {nullptr, "0", "xterm"}));
  CHECK_FALSE(automatic(false, {"1", "1", "xterm"}));
  CHECK(use_colour(colour_choice::always, false, {"1", nullptr, nullptr}));
  CHECK_FALSE(use_colour(colour_choice::never, true, {nullptr, "1", "xterm"}));
}

TEST_CASE("a rendered line closes its colours and is cut with an ellipsis", "[apps][text]") {
  const std::vector<span> line{{"ab", style::red}, {"cdef", style::plain}, {"", style::bold}};
  CHECK(render_line(line, 10, false, "…") == "abcdef");
  CHECK(render_line(line, 10, true, "…") == "\x1b[31mab\x1b[0mcdef");
  CHECK(render_line(line, 5, false, "…") == "abcd…");
  CHECK(render_line(line, 3, false, "…") == "ab…");
  CHECK(render_line(line, 2, true, "…") == "\x1b[31ma\x1b[0m…");
  CHECK(render_line(line, 1, false, "…") == "…");
  CHECK(render_line(line, 0, true, "…").empty());
  CHECK(render_line({{"a  ", style::plain}}, 10, false, "…") == "a");
}

TEST_CASE("right-to-left words are isolated from what stands beside them", "[apps][text]") {
  const std::string shalom = "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d";          // four letters of Hebrew
  const std::string marhaba = "\xd9\x85\xd8\xb1\xd8\xad\xd8\xa8\xd8\xa7"; // five of Arabic
  const std::string open = "\xe2\x81\xa8";
  const std::string close = "\xe2\x81\xa9";
  CHECK(render_line({{"+ "}, {" " + shalom + "  ", style::red}, {"50%"}}, 20, true, "")
        == "+ \x1b[31m " + open + shalom + close + "  \x1b[0m50%");
  CHECK(render_line({{marhaba + " a"}, {"  2/2"}}, 20, false, "")
        == open + marhaba + " a" + close + "  2/2");
  CHECK(display_width(open + shalom + close) == 4);
  CHECK(render_line({{shalom + shalom}}, 5, false, "~") == open + shalom + close + "~");
  CHECK(render_line({{"日本語"}}, 20, false, "") == "日本語");
}

TEST_CASE("the lines of a text have no newlines", "[apps][text]") {
  using lines = std::vector<std::string_view>;
  CHECK(lines_in("").empty());
  CHECK(lines_in("a\n\nb") == lines{"a", "", "b"});
  CHECK(lines_in("a\n") == lines{"a"});
}

TEST_CASE("a line that is too wide is broken at its blanks", "[apps][text]") {
  using lines = std::vector<std::string>;
  CHECK(wrapped("", 5) == lines{""});
  CHECK(wrapped("ab cd", 5) == lines{"ab cd"});
  CHECK(wrapped("ab cde fgh", 6) == lines{"ab cde", "fgh"});
  CHECK(wrapped("ab  cde", 5) == lines{"ab", "cde"});
  CHECK(wrapped("ab cd ef gh", 5, 2) == lines{"ab cd", "  ef", "  gh"});
  CHECK(wrapped("日本 語", 5) == lines{"日本", "語"});
  CHECK(wrapped("ab    ", 3) == lines{"ab    "}); // nothing goes on
}

TEST_CASE("a command between backquotes stays whole, or can be copied in pieces", "[apps][text]") {
  using lines = std::vector<std::string>;
  CHECK(wrapped("go on: `troupe run a`", 16, 2) == lines{"go on:", "  `troupe run a`"});
  CHECK(wrapped("`troupe a` lists them all", 16) == lines{"`troupe a` lists", "them all"});
  CHECK(wrapped("x: `troupe run file --resume --store memory` now", 20, 2)
        == lines{"x:", "  `troupe run file \\", "  --resume --store \\", "  memory` now"});
  CHECK(wrapped("`troupe run /a/very/long/path x`", 14)
        == lines{"`troupe run \\", "/a/very/long/path \\", "x`"});
  CHECK(wrapped("one ` is no command", 10) == lines{"one ` is", "no command"});
}

TEST_CASE("a word that is too wide stays whole, or is broken", "[apps][text]") {
  using lines = std::vector<std::string>;
  CHECK(wrapped("see /a/long/path there", 8) == lines{"see", "/a/long/path", "there"});
  CHECK(wrapped("/a/long/path", 8) == lines{"/a/long/path"});
  CHECK(wrapped("see /a/long/path", 8, 0, wide_word::breaks) == lines{"see", "/a/long/", "path"});
  CHECK(wrapped("日本語", 4, 0, wide_word::breaks) == lines{"日本", "語"});
  CHECK(wrapped("日", 1, 0, wide_word::breaks) == lines{"日"});
}

TEST_CASE("lines that go on are indented by two more columns", "[apps][text]") {
  CHECK(fit_lines("short\n  one two three\n", 9) == "short\n  one two\n    three\n");
  CHECK(fit_lines("as wide as it is\n", static_cast<std::size_t>(-1)) == "as wide as it is\n");
  CHECK(fit_lines("", 9).empty());
}
