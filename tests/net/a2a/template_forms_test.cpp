// A template that is named or fits, but lacks a value, asks for it: over the wire, in both versions
// (docs/planner.md, "Templates").
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string>

using namespace troupe;
using namespace troupe::testing;
using Catch::Matchers::Contains;

namespace {

constexpr const char* opt_1_0 =
    "A2A-Version: 1.0\r\nA2A-Extensions: https://github.com/zeroasterisk/a2a-opt/v1\r\n";
constexpr const char* opt_0_3 = "A2A-Extensions: https://github.com/zeroasterisk/a2a-opt/v1\r\n";

struct wire_form_bed : net_bed {
  wire_form_bed() : net_bed({}, "puppet") {}

  [[nodiscard]] std::string open_input(const std::string& objective) const {
    std::string id;
    REQUIRE(comes_true([&] {
      const auto open = result_of("inputs/list", R"({"objectiveId":")" + objective + "\"}");
      id = at(open, "/inputs/0/id");
      return id != "(none)";
    }));
    return id;
  }
  [[nodiscard]] boost::json::value objective(const std::string& id) const {
    return result_of("objectives/get", R"({"id":")" + id + "\"}").at("objective");
  }
  void check_blog(const std::string& id) const {
    REQUIRE(comes_true([&] { return at(objective(id), "/plans/3/name") == "Review"; }));
    const auto now = objective(id);
    CHECK(at(now, "/name") == "Write cats blog post");
    CHECK(at(now, "/plans/0/name") == "Parameters");
    CHECK(at(now, "/plans/1/name") == "Research");
    CHECK(at(now, "/plans/1/tasks/0/description") == "Search for recent papers about cats");
    CHECK(at(now, "/plans/2/name") == "Writing");
    REQUIRE(comes_true([&] { return at(objective(id), "/plans/1/status") == "working"; }));
  }
};

} // namespace

TEST_CASE("C1_blog: a blog post without a topic asks for it, and the answer of 1.0 makes its plans",
          "[net][opt][planned]") {
  const wire_form_bed bed;
  const auto sent = bed.call(
      rpc("SendMessage",
          R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"A blog post"}],)"
          R"("metadata":{"opt/v1/template":"blog-post"}}})"),
      opt_1_0);
  INFO(boost::json::serialize(sent));
  const auto root = at(sent, "/result/task/id");
  const auto id = at(sent, "/result/task/contextId");
  CHECK(at(sent, "/result/task/status/state") == "TASK_STATE_INPUT_REQUIRED");
  CHECK_THAT(at(sent, "/result/task/status/message/parts/0/text"),
             Contains("topic (What the post is about)"));
  const auto input = bed.open_input(id);
  const auto shown = bed.result_of("inputs/get", R"({"id":")" + input + "\"}").at("input");
  CHECK(at(shown, "/kind") == "form");
  CHECK(at(shown, "/schema/properties/topic/description") == "What the post is about");
  SECTION("as a message to the root task") {
    const auto answered =
        bed.call(rpc("SendMessage", R"({"message":{"messageId":"n","role":"ROLE_USER","taskId":")"
                                        + root + R"(","parts":[{"data":{"topic":"cats"}}]},)"
                                        + R"("configuration":{"returnImmediately":true}})"),
                 opt_1_0);
    INFO(boost::json::serialize(answered));
    CHECK(at(answered, "/error") == "(none)");
    bed.check_blog(id);
  }
  SECTION("as inputs/answer") {
    const auto wrong =
        bed.error_of("inputs/answer", R"({"id":")" + input + R"(","value":{"subject":"cats"}})");
    CHECK(at(wrong, "/data/0/reason") == "INVALID_ANSWER");
    static_cast<void>(
        bed.result_of("inputs/answer", R"({"id":")" + input + R"(","value":{"topic":"cats"}})"));
    bed.check_blog(id);
  }
}

TEST_CASE("C1_blog: the same in 0.3, answered by a text of JSON", "[net][opt][planned]") {
  const wire_form_bed bed;
  const auto sent = bed.call(
      rpc("message/send",
          R"({"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"A blog post"}],)"
          R"("metadata":{"opt/v1/template":"blog-post"}}})"),
      opt_0_3);
  INFO(boost::json::serialize(sent));
  const auto root = at(sent, "/result/id");
  const auto id = at(sent, "/result/contextId");
  static_cast<void>(bed.open_input(id));
  REQUIRE(comes_true([&] {
    return at(bed.call(rpc("tasks/get", R"({"id":")" + root + "\"}"), opt_0_3),
              "/result/status/state")
           == "input-required";
  }));
  const auto answered = bed.call(
      rpc("message/send", R"({"message":{"messageId":"n","role":"user","taskId":")" + root
                              + R"(","parts":[{"kind":"text","text":"{\"topic\": \"cats\"}"}]},)"
                                R"("configuration":{"blocking":false}})"),
      opt_0_3);
  CHECK(at(answered, "/error") == "(none)");
  bed.check_blog(id);
}

TEST_CASE("C4_party: a value that no party has is refused, or no template fits it",
          "[net][opt][planned]") {
  const wire_form_bed bed;
  const auto refused = bed.call(
      rpc("SendMessage",
          R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"A party"}],"metadata":)"
          R"({"opt/v1/template":"birthday-party","opt/v1/params":{"guests":-5}}}})"),
      opt_1_0);
  INFO(boost::json::serialize(refused));
  CHECK(at(refused, "/error/code") == "-32602");
  CHECK_THAT(at(refused, "/error/message"), Contains("at least 1"));
}
