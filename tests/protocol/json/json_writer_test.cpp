#include "protocol/json/json_writer.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cmath>
#include <limits>
#include <random>

using namespace troupe;

namespace {

std::string json_text_of(std::string_view text) {
  std::string out;
  json_writer{out}.string(text);
  return out;
}

std::string written(double value) {
  std::string out;
  json_writer{out}.number(value);
  return out;
}

std::string written(const boost::json::value& tree) {
  std::string out;
  json_writer{out}.value(tree);
  return out;
}

} // namespace

TEST_CASE("the writer puts commas where they belong", "[protocol][json_writer]") {
  std::string out;
  json_writer json{out};
  json.begin_object().key("a").begin_array().end_array().key("b").begin_array();
  json.number(std::int64_t{-1})
      .number(std::uint64_t{2})
      .begin_object()
      .end_object()
      .begin_array()
      .null()
      .end_array();
  json.boolean(true).boolean(false).string("x").raw("[7]").end_array();
  json.member("c", "d")
      .optional_member("e", "")
      .optional_member("f", "g")
      .key("h")
      .begin_object()
      .member("i", "j");
  json.end_object().key("k").null().end_object();
  CHECK(
      out
      == R"({"a":[],"b":[-1,2,{},[null],true,false,"x",[7]],"c":"d","f":"g","h":{"i":"j"},"k":null})");
}

TEST_CASE("a writer appends to what is there already", "[protocol][json_writer]") {
  std::string out = "data: ";
  json_writer{out}.begin_object().end_object();
  CHECK(out == "data: {}");
}

TEST_CASE("strings escape what RFC 8259 demands and the line breaks that SSE readers see",
          "[protocol][json_writer]") {
  CHECK(json_text_of("") == R"("")");
  CHECK(json_text_of("plain text of more than eight bytes")
        == R"("plain text of more than eight bytes")");
  CHECK(json_text_of("a\"b\\c/d") == R"("a\"b\\c/d")");
  CHECK(json_text_of("\n\r\t\b\f") == R"("\n\r\t\b\f")");
  CHECK(json_text_of(std::string_view{"\0\x01\x0f\x10\x1f\x7f", 6})
        == "\"\\u0000\\u0001\\u000f\\u0010\\u001f\x7f\"");
  CHECK(json_text_of("\xc2\x85\xe2\x80\xa8\xe2\x80\xa9") == R"("\u0085\u2028\u2029")");
  CHECK(json_text_of("\xc2\xa0 \xe2\x82\xac \xe2\x80\xaa \xf0\x9f\x8e\xad")
        == "\"\xc2\xa0 \xe2\x82\xac \xe2\x80\xaa \xf0\x9f\x8e\xad\"");
  CHECK(json_text_of("12345678\"2345678\n") == R"("12345678\"2345678\n")");
}

TEST_CASE("every byte position of a word is looked at", "[protocol][json_writer]") {
  for (std::size_t length = 1; length < 20; ++length)
    for (std::size_t at = 0; at < length; ++at)
      for (const char special : {'"', '\\', '\n', '\x01', '\x1f', '\0'}) {
        std::string text(length, 'x');
        text[at] = special;
        const auto json = json_text_of(text);
        REQUIRE(boost::json::parse(json).as_string() == text);
        REQUIRE(json.size() > length + 2);
      }
}

TEST_CASE("random Unicode text reads back as it was", "[protocol][json_writer]") {
  std::mt19937 random{20240601};
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    const auto length = random() % 40;
    for (std::size_t i = 0; i < length; ++i) {
      const auto pick = random() % 8;
      std::uint32_t c = pick < 4    ? random() % 0x80
                        : pick == 4 ? 0x80 + random() % 0x100
                                    : 0x2000 + random() % 0x100;
      if (pick == 7)
        c = 0x10000 + random() % 0x1000;
      if (c < 0x80) {
        text.push_back(static_cast<char>(c));
      } else if (c < 0x800) {
        text.push_back(static_cast<char>(0xc0 | (c >> 6)));
        text.push_back(static_cast<char>(0x80 | (c & 0x3f)));
      } else if (c < 0x10000) {
        text.push_back(static_cast<char>(0xe0 | (c >> 12)));
        text.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3f)));
        text.push_back(static_cast<char>(0x80 | (c & 0x3f)));
      } else {
        text.push_back(static_cast<char>(0xf0 | (c >> 18)));
        text.push_back(static_cast<char>(0x80 | ((c >> 12) & 0x3f)));
        text.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3f)));
        text.push_back(static_cast<char>(0x80 | (c & 0x3f)));
      }
    }
    const auto json = json_text_of(text);
    REQUIRE(boost::json::parse(json).as_string() == text);
    for (const auto* line_break : {"\n", "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"})
      REQUIRE(json.find(line_break) == std::string::npos);
  }
}

TEST_CASE("text cut in the middle of a character is copied, never read past its end",
          "[protocol][json_writer]") {
  CHECK(json_text_of("\xc2") == "\"\xc2\"");
  CHECK(json_text_of("\xe2") == "\"\xe2\"");
  CHECK(json_text_of("\xe2\x80") == "\"\xe2\x80\"");
}

TEST_CASE("numbers are written in their shortest form", "[protocol][json_writer]") {
  CHECK(written(0.0) == "0");
  CHECK(written(-0.0) == "0");
  CHECK(written(5.0) == "5");
  CHECK(written(100000.0) == "100000");
  CHECK(written(-3.0) == "-3");
  CHECK(written(9007199254740992.0) == "9007199254740992");
  CHECK(written(0.1) == "0.1");
  CHECK(written(-2.5) == "-2.5");
  CHECK(written(1e300) == "1e+300");
  CHECK(written(5e-324) == "5e-324");
  CHECK(written(std::numeric_limits<double>::infinity()) == "null");
  CHECK(written(std::nan("")) == "null");
  std::string out;
  json_writer{out}
      .begin_array()
      .number(std::numeric_limits<std::int64_t>::min())
      .number(std::numeric_limits<std::uint64_t>::max())
      .number(std::uint32_t{7})
      .end_array();
  CHECK(out == "[-9223372036854775808,18446744073709551615,7]");
}

TEST_CASE("random doubles read back as they were", "[protocol][json_writer]") {
  std::mt19937_64 random{3};
  for (int i = 0; i < 5'000; ++i) {
    const auto value = std::ldexp(std::uniform_real_distribution<double>{-1, 1}(random),
                                  static_cast<int>(random() % 200) - 100);
    REQUIRE(std::stod(written(value)) == value);
  }
}

TEST_CASE("a tree is written as Boost.JSON would write it", "[protocol][json_writer]") {
  const auto tree = boost::json::parse(
      R"({"a":[1,-2,18446744073709551615,true,false,null,"x\ny",{}],"b\"c":{"d":[[],[[]]],"":25},"e":"\u20ac"})");
  CHECK(written(tree) == boost::json::serialize(tree));
  CHECK(boost::json::parse(written(tree)) == tree);
}

TEST_CASE("a key from outside is escaped", "[protocol][json_writer]") {
  std::string out;
  json_writer{out}
      .begin_object()
      .escaped_key("a\"\n")
      .boolean(true)
      .escaped_key("b")
      .null()
      .end_object();
  CHECK(out == R"({"a\"\n":true,"b":null})");
}
