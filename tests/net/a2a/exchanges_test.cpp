// Every kind of request that the specifications show by example, asked of the live server: A2A 1.0
// and 0.3, Objective-Plan-Task, Task Progress. The exchanges are data,
// tests/net/a2a/exchanges/*.json, with content of our own. Those of one file are one conversation.
//
//   {"example": where it stands, "request": "POST /path", "headers": {...}, "body": {...}, headers
//   absent: A2A-Version: 1.0
//    "status": 200, "answer": shape  or  "events": [shape...], "opens": n, opens: look at n events,
//    do not wait for the end "repeats": true, ask until the answer fits "keep": {"name":
//    "/pointer"}}                                                            ${name} in what
//    follows
//
// The shapes are those of tests/net/json_shape.hpp.
#include "tests/net/json_shape.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <fstream>
#include <iterator>
#include <map>

using namespace troupe;
using namespace troupe::testing;
namespace json = boost::json;

namespace {

using names = std::map<std::string, std::string>;

std::string filled(std::string text, const names& kept) {
  for (const auto& [name, value] : kept) {
    const auto mark = "${" + name + "}";
    for (auto at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

/// All events of the stream, or the first `opens` of them.
std::vector<json::value> events_of(http_client& client, std::size_t opens) {
  std::vector<json::value> out;
  while (opens == 0 || out.size() < opens) {
    const auto text = client.next_event();
    if (!text)
      break;
    out.push_back(json::parse(*text));
  }
  return out;
}

void exchange(const net_bed& bed, const json::object& row, names& kept) {
  const auto request = filled(std::string(row.at("request").as_string()), kept);
  const auto blank = request.find(' ');
  std::string headers;
  if (const auto* given = row.if_contains("headers")) {
    for (const auto& [name, value] : given->as_object())
      headers += std::string(name) + ": " + std::string(value.as_string()) + "\r\n";
  } else {
    headers = "A2A-Version: 1.0\r\n";
  }
  const auto body =
      row.contains("body") ? filled(json::serialize(row.at("body")), kept) : std::string{};
  const auto expected = [&](const char* member) {
    return json::parse(filled(json::serialize(row.at(member)), kept));
  };

  auto client = bed.connect();
  client.send(http_client::request_text(request.substr(0, blank), request.substr(blank + 1), body,
                                        headers));
  if (row.contains("events")) {
    REQUIRE(client.receive_head().header("content-type") == "text/event-stream");
    const auto* opens = row.if_contains("opens");
    const auto seen = events_of(client, opens != nullptr ? opens->to_number<std::size_t>() : 0);
    const json::value all(json::array(seen.begin(), seen.end()));
    INFO(json::serialize(all));
    if (const auto wrong = misfit(all, expected("events")); !wrong.empty())
      FAIL_CHECK(wrong);
    return;
  }
  auto answer = client.receive();
  if (row.contains("repeats"))
    static_cast<void>(comes_true([&] {
      const bool fits = misfit(json::parse(answer.body), expected("answer")).empty();
      if (!fits)
        answer = bed.connect().request(request.substr(0, blank), request.substr(blank + 1), body,
                                       headers);
      return fits;
    }));
  INFO(answer.status << " " << answer.body);
  CHECK(answer.status == (row.contains("status") ? row.at("status").as_int64() : 200));
  const auto found = json::parse(answer.body);
  if (const auto wrong = misfit(found, expected("answer")); !wrong.empty())
    FAIL_CHECK(wrong);
  if (const auto* keep = row.if_contains("keep"))
    for (const auto& [name, pointer] : keep->as_object())
      kept[std::string(name)] = at(found, std::string_view(pointer.as_string()));
}

json::array exchanges(const char* name) {
  const auto path = source_dir() + "/tests/net/a2a/exchanges/" + name;
  std::ifstream file(path, std::ios::binary);
  return json::parse(std::string(std::istreambuf_iterator<char>(file), {})).as_array();
}

} // namespace

TEST_CASE("requests of the specifications' examples are answered in the shape they show",
          "[net][exchanges]") {
  for (const auto* name : {"a2a_1_0.json", "a2a_0_3.json", "opt.json"}) {
    server_options options;
    options.card.extended.tokens = {"reader"};
    options.card.extended.description = "For readers.";
    options.push.address.allow_http = options.push.address.allow_private = true;
    const net_bed bed(options, "conformance");
    names kept;
    const auto rows = exchanges(name);
    REQUIRE(rows.size() > 10);
    for (const auto& row : rows) {
      const std::string example(row.at("example").as_string());
      CAPTURE(name, example);
      exchange(bed, row.as_object(), kept);
    }
  }
}

TEST_CASE("a shape fits what it describes and nothing else", "[net][exchanges]") {
  const auto fits = [](const char* value, const char* shape) {
    return misfit(json::parse(value), json::parse(shape));
  };
  CHECK(
      fits(R"({"a":1,"b":[2,{"c":"x"}]})", R"({"b":[2.0,{"c":"<string>","d":"<none>"}]})").empty());
  CHECK(fits(R"({"a":1})", R"({"b":"<string>"})") == "/b is absent");
  CHECK(fits(R"({"a":""})", R"({"a":"<string>"})") == "/a is not <string>");
  CHECK(fits(R"({"a":[1,2]})", R"({"a":[1]})") == "/a is no array of 1");
  CHECK(fits(R"({"a":1})", R"({"a":"<none>"})") == "/a should be absent");
  CHECK(fits(R"({"a":"z"})", R"({"a":"<x|y>"})") == "/a is not <x|y>");
  CHECK(fits(R"({"a":"y"})", R"({"a":"<x|y>"})").empty());
  CHECK(fits(R"({"a":"2026-01-02T03:04:05.678Z"})", R"({"a":"<time>"})").empty());
  CHECK(fits(R"([1])", R"([2])") == "/0 is not 2");
}
