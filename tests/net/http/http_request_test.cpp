#include "net/http/http_request.hpp"
#include "tests/support/catch.hpp"
#include <troupe/net/limits.hpp>

#include <boost/asio/buffer.hpp>

using namespace troupe::net;

namespace {

/// Parses `text` in pieces of `step` bytes, as a slow connection would bring it.
bool parse(http_request& out, const std::string& text, std::size_t step,
           std::uint32_t header_max = header_bytes_max) {
  request_parser parser(out);
  parser.eager(true);
  parser.header_limit(header_max);
  std::string waiting;
  for (std::size_t begin = 0; begin < text.size() && !parser.is_done(); begin += step) {
    waiting += text.substr(begin, step);
    boost::system::error_code ec;
    waiting.erase(0, parser.put(boost::asio::buffer(waiting), ec));
    if (ec && ec != boost::beast::http::error::need_more)
      return false;
  }
  return parser.is_done();
}

} // namespace

TEST_CASE("a long header does not stay with the request, and a short one keeps its memory",
          "[net][http][memory]") {
  http_request request;
  const auto parse_with = [&](std::size_t bytes) {
    return parse(request,
                 "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: " + std::string(bytes, 'x')
                     + "\r\n\r\n",
                 100'000, 65'536);
  };
  REQUIRE(parse_with(20'000));
  CHECK(request.header_bytes() >= 20'000);
  request.clear();
  CHECK(request.header_bytes() == 0);
  REQUIRE(parse_with(500));
  request.clear();
  CHECK(request.header_bytes() >= 500);
  CHECK(request.header_bytes() <= kept_header_bytes_max);
  request.clear_all();
  CHECK(request.header_bytes() == 0);
}

TEST_CASE("a request is the same in any pieces", "[net][http]") {
  const std::string text = "POST /a?A2A-Version=1.0&x=y HTTP/1.1\r\nHost: h\r\n"
                           "Content-Type: application/json\r\n"
                           "a2a-version: 0.3\r\n"
                           "A2A-Extensions: one\r\n"
                           "X-A2A-Extensions: two, three\r\n"
                           "TraceParent: 00-aa\r\n"
                           "tracestate: one=1\r\n"
                           "tracestate: two=2\r\n"
                           "If-None-Match: \"x\"\r\n"
                           "If-None-Match: \"y\"\r\n"
                           "Expect: 100-Continue\r\n"
                           "Transfer-Encoding: chunked\r\n\r\n"
                           "5;ext=1\r\nhello\r\n6\r\n world\r\n0\r\nContent-Type: trailer\r\n\r\n";
  const auto step = GENERATE(std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{1000});
  http_request request;
  REQUIRE(parse(request, text, step));
  CHECK(request.method == boost::beast::http::verb::post);
  CHECK(request.path() == "/a");
  CHECK(request.query("A2A-Version") == "1.0");
  CHECK(request.query("x") == "y");
  CHECK(request.query("y").empty());
  CHECK(request.query() == "A2A-Version=1.0&x=y");
  CHECK(request.content_type == "application/json");
  CHECK(request.a2a_version == "0.3");
  CHECK(request.a2a_extensions == "one,two, three");
  CHECK(request.traceparent == "00-aa");
  CHECK(request.tracestate == "one=1,two=2");
  CHECK(request.if_none_match == "\"x\",\"y\"");
  CHECK(request.expects_continue);
  CHECK(request.body == "hello world");
  request.clear();
  CHECK(request.body.empty());
  CHECK(request.a2a_extensions.empty());
  CHECK_FALSE(request.expects_continue);
}

TEST_CASE("an empty chunked body may come byte by byte", "[net][http]") {
  http_request request;
  CHECK(parse(request, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
              1));
  CHECK(request.body.empty());
}

TEST_CASE("there is one way to say chunked, and HTTP/1.0 needs no Host", "[net][http]") {
  http_request request;
  CHECK(parse(
      request,
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \t Chunked \t\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      1));
  CHECK(request.body == "{}");
  CHECK(parse(request, "GET / HTTP/1.0\r\n\r\n", 1));
  CHECK(parse(request, "GET / HTTP/1.1\r\nHost:\r\n\r\n", 1));
}

TEST_CASE("chunk extensions and trailer are bounded together, however many they are",
          "[net][http]") {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto with = [](int lines, std::string_view line) {
    std::string out;
    for (int i = 0; i < lines; ++i)
      out += line;
    return out;
  };
  http_request request;
  CHECK(parse(request,
              head + with(1000, "1;a=b\r\nx\r\n") + "0\r\n" + with(100, "X: y\r\n") + "\r\n",
              1000));
  CHECK_FALSE(
      parse(request, head + with(header_bytes_max / 4 + 1, "1;a=b\r\nx\r\n") + "0\r\n\r\n", 1000));
  CHECK_FALSE(
      parse(request, head + "0\r\n" + with(header_bytes_max / 2 + 1, "X: y\r\n") + "\r\n", 1000));
}

TEST_CASE("the path is found in every form of a target", "[net][http]") {
  http_request request;
  const auto path_of = [&](const char* target) {
    request.target = target;
    return std::string(request.path());
  };
  CHECK(path_of("/") == "/");
  CHECK(path_of("/?a=b") == "/");
  CHECK(path_of("/x/y?z") == "/x/y");
  CHECK(path_of("http://host:1/x?y=1") == "/x");
  CHECK(path_of("http://host") == "/");
  CHECK(path_of("http://host?x=/y") == "/");
  CHECK(path_of("*") == "*");
}

TEST_CASE("a request that could be read in two ways is refused", "[net][http]") {
  const auto text = GENERATE(values<std::string>({
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: "
      "chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -3\r\n\r\nabc",
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3x\r\n\r\nabc",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, identity\r\nContent-Length: "
      "2\r\n\r\n{}",
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nTransfer-Encoding: identity\r\n\r\n{}",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
      "chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
      "identity\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\r\n\r\n",
      "POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET  / HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET / HTTP/9.9\r\nHost: h\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nBad Header: x\r\n\r\n",
      "GET /\x01 HTTP/1.1\r\nHost: h\r\n\r\n",
      "\x16\x03\x01\x02\x01\x01\xfc\x03\x03\r\n\r\n",
  }));
  CAPTURE(text);
  http_request request;
  CHECK_FALSE(parse(request, text, text.size()));
}

TEST_CASE("a list's items come one by one, trimmed, and may be empty", "[net][http]") {
  std::string_view list = " one ,two,\t, three";
  CHECK(take_list_item(list) == "one");
  CHECK(take_list_item(list) == "two");
  CHECK(take_list_item(list).empty());
  CHECK(take_list_item(list) == "three");
  CHECK(list.empty());
}
