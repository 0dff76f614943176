#include "net/version.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/progress.hpp>

using namespace troupe;
using namespace troupe::net;

TEST_CASE("a version is read from header or query, without its patch number", "[net][version]") {
  struct row {
    const char* header;
    const char* query;
    asked_version expected;
  };
  const auto one = GENERATE(values<row>({
      {"", "", asked_version::absent},          {"  ", "", asked_version::absent},
      {"1.0", "", asked_version::v1_0},         {" 1.0\t", "", asked_version::v1_0},
      {"1.0.7", "", asked_version::v1_0},       {"0.3", "", asked_version::v0_3},
      {"0.3.0", "", asked_version::v0_3},       {"", "1.0", asked_version::v1_0},
      {"0.3", "1.0", asked_version::v0_3},      {"1.1", "", asked_version::unknown},
      {"99.0", "", asked_version::unknown},     {"1", "", asked_version::unknown},
      {"1.", "", asked_version::unknown},       {".0", "", asked_version::unknown},
      {"1.0.", "", asked_version::unknown},     {"1.0.x", "", asked_version::unknown},
      {"1.0.1.2", "", asked_version::unknown},  {"01.0", "", asked_version::unknown},
      {"1.00", "", asked_version::unknown},     {"v1.0", "", asked_version::unknown},
      {"1.0, 0.3", "", asked_version::unknown},
  }));
  CAPTURE(one.header, one.query);
  CHECK(parse_version(one.header, one.query) == one.expected);
}

TEST_CASE("extensions are found in a list, unknown ones ignored, and echoed", "[net][version]") {
  const std::string opt_uri(opt::uri);
  const std::string progress(progress_uri);
  CHECK_FALSE(parse_extensions("").any());
  CHECK_FALSE(parse_extensions("https://example.com/other/v1," + opt_uri + "x").any());
  CHECK(parse_extensions(opt_uri).opt);
  const auto both = parse_extensions("urn:x,  " + progress + " , " + opt_uri + "," + opt_uri);
  CHECK(both.opt);
  CHECK(both.progress);

  std::string header;
  append_extensions_header(header, {}, asked_version::v1_0);
  CHECK(header.empty());
  append_extensions_header(header, both, asked_version::v1_0);
  CHECK(header == "A2A-Extensions: " + opt_uri + ", " + progress + "\r\n");
}

TEST_CASE("only printable text of a bounded size counts as a tracestate", "[net][version]") {
  CHECK(is_tracestate("vendor=1,other=2"));
  CHECK(is_tracestate(std::string(tracestate_bytes_max, 'a')));
  CHECK_FALSE(is_tracestate(""));
  CHECK_FALSE(is_tracestate(std::string(tracestate_bytes_max + 1, 'a')));
  CHECK_FALSE(is_tracestate("vendor=\xc3\xa9"));
  CHECK_FALSE(is_tracestate("a=1\n"));
}

TEST_CASE("only what has the form of a traceparent counts as one", "[net][version]") {
  const std::string good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  CHECK(is_traceparent(good));
  CHECK(is_traceparent("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-beef"));
  CHECK_FALSE(is_traceparent(""));
  CHECK_FALSE(is_traceparent(good.substr(1)));
  CHECK_FALSE(is_traceparent(good + "x"));
  CHECK_FALSE(is_traceparent("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"));
  CHECK_FALSE(is_traceparent("00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
  CHECK_FALSE(is_traceparent(good + "-" + std::string(1000, 'a')));
}
