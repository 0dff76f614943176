// The requests that docs/objectives.md and docs/questions.md print, sent as they stand and in their
// order: JSON-RPC, and lines of curl.
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <fstream>
#include <optional>
#include <utility>

using namespace troupe;
using namespace troupe::testing;
namespace json = boost::json;

namespace {

/// A line of `curl`, as a shell takes it.
struct curl_line {
  std::string verb = "GET";
  std::string path;
  std::string headers; ///< Each with its end of line.
  std::string body;
};

std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> out;
  bool is_quoted = false;
  bool is_in_word = false;
  for (const char each : line) {
    if (!is_quoted && each == ' ') {
      is_in_word = false;
      continue;
    }
    if (!std::exchange(is_in_word, true))
      out.emplace_back();
    if (each == '\'')
      is_quoted = !is_quoted;
    else
      out.back() += each;
  }
  return out;
}

curl_line read_curl(const std::string& line) {
  constexpr std::string_view server = "http://127.0.0.1:8080";
  curl_line out;
  const auto words = shell_words(line);
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-s")
      continue;
    if (words[i].starts_with(server)) {
      out.path = words[i].substr(server.size());
      continue;
    }
    REQUIRE(i + 1 < words.size());
    if (words[i] == "-X")
      out.verb = words[++i];
    else if (words[i] == "-H")
      out.headers += words[++i] + "\r\n";
    else if (words[i] == "-d")
      out.body = words[++i];
    else
      FAIL("curl is printed with " << words[i]);
  }
  if (!out.body.empty() && out.verb == "GET")
    out.verb = "POST";
  return out;
}

/// A request as a page prints it: of JSON-RPC, or a line of curl.
struct printed_request {
  json::object rpc;
  std::optional<curl_line> curl;
};

/// In their order.
std::vector<printed_request> printed_on(const std::string& name) {
  std::ifstream file(source_dir() + "/docs/" + name);
  std::vector<printed_request> out;
  std::string block;
  bool is_json = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("curl "))
      out.push_back({{}, read_curl(line)});
    if (std::exchange(is_json, line == "```json" || (is_json && line != "```"))) {
      if (is_json) {
        block += line + "\n";
      } else if (auto request = json::parse(std::exchange(block, "")).as_object();
                 request.contains("method")) {
        out.push_back({std::move(request), std::nullopt});
      }
    }
  }
  return out;
}

/// Those of JSON-RPC.
std::vector<json::object> printed_requests(const std::string& name) {
  std::vector<json::object> out;
  for (auto& each : printed_on(name))
    if (!each.curl)
      out.push_back(std::move(each.rpc));
  return out;
}

} // namespace

TEST_CASE("every request that the page on objectives prints is answered as it says",
          "[net][opt][docs]") {
  const temporary_directory directory;
  const net_bed bed(
      {}, "echo",
      open_rocksdb_store({.directory = directory.path().string(), .durability = durability::async})
          .value());
  const auto all = printed_on("objectives.md");
  const auto requests = printed_requests("objectives.md");
  REQUIRE(requests.size() == 20);
  CHECK(all.size() == 24);
  const auto status = [&] {
    return at(bed.result_of("objectives/get", R"({"id":"trip"})"), "/objective/status");
  };
  std::size_t sent = 0;
  for (const auto& [request, curl] : all) {
    if (curl) {
      CAPTURE(curl->verb, curl->path);
      const auto answer = bed.connect().request(curl->verb, curl->path, curl->body, curl->headers);
      INFO(answer.body);
      CHECK(answer.status == 200);
      CHECK(at(json::parse(answer.body), "/error") == "(none)");
      continue;
    }
    const auto text = json::serialize(request);
    CAPTURE(text);
    const auto answer = bed.call(text, "");
    if (++sent == requests.size()) {
      CHECK(at(answer, "/error/code") == "-32602");
      continue;
    }
    REQUIRE(at(answer, "/error") == "(none)");
    if (request.at("method") == "objectives/list")
      CHECK(at(answer, "/result/objectives/0/id") == "trip");
    if (request.at("method") == "plans/list")
      CHECK(at(answer, "/result/totalSize") == "2");
    if (request.at("method") == "plans/addTasks")
      CHECK(at(bed.result_of("plans/get", R"({"id":"trip.p1"})"), "/plan/tasks/1/dependencies")
            == R"(["trip.p1.t0.r1"])");
    if (at(request, "/params/tasks/1/name") == "Raincoat") {
      CHECK(at(answer, "/result/plan/tasks/1/dependencies") == "[]");
      CHECK(at(answer, "/result/plan/tasks/2/dependencies") == R"(["trip.p1.t1"])");
    }
    if (request.at("method") == "objectives/modify")
      CHECK(json::serialize(answer.at("result")) == R"({"objectiveId":"trip","revision":7})");
    if (request.at("method") == "plans/modify") {
      CHECK(at(answer, "/result/added") == R"(["trip.p0.t2","trip.p0.t3"])");
      CHECK(at(answer, "/result/skipped") == R"(["trip.p0.t1.r1"])");
    }
    if (request.at("method") == "objectives/update" && at(request, "/params/status") != "working")
      CHECK(at(answer, "/result/objective/status") == at(request, "/params/status"));
    if (request.at("method") == "objectives/update" && at(request, "/params/status") == "working")
      REQUIRE(comes_true([&] { return status() == "blocked"; })); // It asks.
  }
  const auto end = bed.result_of("objectives/get", R"({"id":"trip","includeTasks":true})");
  CHECK(at(end, "/objective/name") == "Trip to Oslo, second try");
  CHECK(at(end, "/objective/plans/0/tasks/0/id") == "trip.p0.t0");
  CHECK(at(end, "/objective/plans/0/tasks/1/id") == "trip.p0.t1.r1");
  CHECK(at(end, "/objective/plans/1/tasks/0/id") == "trip.p1.t0.r1");
}

TEST_CASE("every request that the page on questions prints is answered as it says",
          "[net][opt][docs][question]") {
  const net_bed bed;
  const auto requests = printed_requests("questions.md");
  REQUIRE(requests.size() == 11);
  const auto open = [&] {
    return at(bed.result_of("inputs/list", R"({"objectiveId":"trip"})"), "/totalSize");
  };
  std::vector<json::value> answers;
  for (const auto& request : requests) {
    const auto text = json::serialize(request);
    CAPTURE(text);
    if (request.at("method") == "inputs/subscribe") {
      auto client = bed.connect();
      client.send(http_client::post_text(text, ""));
      CHECK(client.receive_head().status == 200);
      const auto first = client.next_piece();
      REQUIRE(first);
      CHECK(at(json::parse(first->substr(6)), "/result/inputs/totalSize") == "5");
      continue;
    }
    answers.push_back(bed.call(text, ""));
    CHECK((at(answers.back(), "/error") == "(none)") == (&request != &requests.back()));
    if (answers.size() == 1)
      REQUIRE(comes_true([&] { return open() == "5"; }));
    if (answers.size() == 7) // The train asks again.
      REQUIRE(comes_true([&] {
        return at(bed.result_of("inputs/list", R"({"taskId":"trip.p0.t1"})"), "/inputs/0/id")
               == "trip.p0.t1.question-2";
      }));
  }
  CHECK(at(answers[1], "/result/totalSize") == "5");
  CHECK(at(answers[2], "/result/input/prompt") == "By the sea or in the centre?");
  CHECK(at(answers[2], "/result/input/kind") == "question");
  CHECK(at(answers[3], "/result/input/answer/by") == "anna");
  CHECK(at(answers[3], "/result/input/answer/value") == "by the sea");
  CHECK(at(answers[4], "/result/input/answer/action") == "decline");
  CHECK(at(answers[5], "/result/id") == "trip.p0.t1");
  CHECK(at(answers[6], "/result/id") == "trip.p0.t3");
  CHECK(at(bed.result_of("inputs/get", R"({"id":"trip.p0.t4.question-1"})"),
           "/input/answer/value/adults")
        == "2");
  CHECK(at(answers[7], "/result/input/claim/by") == "anna");
  CHECK(at(answers[8], "/result/input/claim") == "(none)");
  CHECK_THAT(at(answers[9], "/error/message"), Catch::Matchers::Contains("ALREADY_ANSWERED"));
  REQUIRE(comes_true([&] {
    return at(bed.result_of("GetTask", R"({"id":"trip.p0.t2"})"), "/status/state")
           == "TASK_STATE_FAILED";
  }));
}
