// What clients are answered: what the writers of each version write is read back, and what other
// servers leave out is no error.
#include "protocol/a2a/answer_reading.hpp"
#include "protocol/a2a/codec_agent_card.hpp"
#include "protocol/a2a/errc_wire.hpp"
#include "protocol/a2a/wire_codec.hpp"
#include "tests/protocol/codec_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::test;
using wire::a2a_binding;
using wire::a2a_version;
using wire::wire_format;

namespace {

struct format_row {
  wire_format format;
  const wire_codec* codec;
};

const std::vector<format_row>& all_formats() {
  static const std::vector<format_row> rows{
      {{a2a_version::v1_0, a2a_binding::json_rpc}, &codec_1_0()},
      {{a2a_version::v1_0, a2a_binding::rest}, &codec_1_0()},
      {{a2a_version::v0_3, a2a_binding::json_rpc}, &codec_0_3()},
      {{a2a_version::v0_3, a2a_binding::rest}, &codec_0_3_rest()},
  };
  return rows;
}

task whole_task() {
  auto out = small_task(task_state::input_required);
  out.status.message = agent_says("which one?");
  artifact made;
  made.artifact_id = "a1";
  made.name = "report";
  made.parts = {text_part("words"), data_part(parsed(R"({"n": 1})")),
                part{raw_content{"\x01\x02"}, "image/png", "p.png", {}},
                part{url_content{"https://x.example/f"}, "text/plain", "f", {}}};
  out.artifacts.push_back(std::make_shared<const artifact>(std::move(made)));
  message said;
  said.message_id = "m0";
  said.from = role::user;
  said.parts = {text_part("go")};
  out.history.push_back(std::make_shared<const message>(std::move(said)));
  out.metadata = parsed(R"({"k": "v"})").as_object();
  return out;
}

void check_same(const task& read, const task& written) {
  CHECK(read.id == written.id);
  CHECK(read.context == written.context);
  CHECK(read.status.state == written.status.state);
  CHECK(read.status.at == written.status.at);
  REQUIRE(read.status.message);
  CHECK(text_of(read.status.message->parts) == "which one?");
  CHECK(read.status.message->from == role::agent);
  REQUIRE(read.artifacts.size() == 1);
  CHECK(read.artifacts[0]->artifact_id == "a1");
  CHECK(read.artifacts[0]->name == "report");
  CHECK(read.artifacts[0]->parts == written.artifacts[0]->parts);
  REQUIRE(read.history.size() == 1);
  CHECK(read.history[0]->from == role::user);
  CHECK(text_of(read.history[0]->parts) == "go");
  CHECK(read.metadata == written.metadata);
}

} // namespace

TEST_CASE("a task is read as it was written, in every version and binding",
          "[protocol][a2a][client]") {
  const auto written = whole_task();
  for (const auto& row : all_formats()) {
    const auto text = text_from([&](json_writer& out) { row.codec->write_task(out, written, {}); });
    CAPTURE(text);
    const auto read = wire::read_task(parsed(text), row.format);
    REQUIRE(read.has_value());
    check_same(*read, written);
    const auto sent =
        text_from([&](json_writer& out) { row.codec->write_sent(out, written, {}, nullptr); });
    const auto answer = wire::read_answer(parsed(sent), row.format);
    REQUIRE(answer.has_value());
    check_same(std::get<task>(*answer), written);
    const auto shared = std::make_shared<const task>(written);
    const auto page = text_from([&](json_writer& out) {
      row.codec->write_task_list(out, std::vector<task_ptr>{shared}, "more", 1, 7,
                                 {.include_artifacts = true});
    });
    const auto list = wire::read_task_page(parsed(page), row.format).value();
    REQUIRE(list.tasks.size() == 1);
    check_same(list.tasks[0], written);
    CHECK(list.next_page_token == "more");
    CHECK(list.total == 7);
  }
}

TEST_CASE("the times of a task are read, and written once", "[protocol][a2a][client]") {
  auto written = whole_task();
  written.metadata["opt/v1/planId"] = "p";
  written.attempt = 2;
  written.ready_at = noon - std::chrono::seconds{60};
  const auto at = [&](int seconds) { return written.ready_at + std::chrono::seconds{seconds}; };
  written.details.edit().spans = {{task_phase::running, 1, at(1), at(3), "no"},
                                  {task_phase::backoff, 1, at(3), at(5), ""}};
  const auto shown = [](const task& one) {
    return text_from([&](json_writer& out) { codec_1_0().write_task(out, one, {}); });
  };
  const auto text = shown(written);
  CAPTURE(text);
  const auto read =
      wire::read_task(parsed(text), {a2a_version::v1_0, a2a_binding::json_rpc}).value();
  CHECK(read.ready_at == written.ready_at);
  REQUIRE(read.details);
  CHECK(read.details->spans == written.details->spans);
  const auto again = shown(read);
  const auto first = again.find("readyAt");
  CHECK(first != std::string::npos);
  CHECK(again.find("readyAt", first + 1) == std::string::npos);
  CHECK(again.find("spans") == again.rfind("spans"));
}

TEST_CASE("times of a task that are none are passed over", "[protocol][a2a][client]") {
  const auto read = wire::read_task(
      parsed(R"({"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"},
        "metadata": {"troupe/v1/spans": [3, {"phase": "dancing"}, {"phase": "running", "attempt": 0},
          {"phase": "running", "attempt": 1, "startedAt": "2026-03-01T09:30:00Z", "endedAt": "soon"}]}})"),
      {a2a_version::v1_0, a2a_binding::json_rpc});
  REQUIRE(read.has_value());
  CHECK_FALSE(read->details);
}

TEST_CASE("events of a stream are read as they were written, in every version and binding",
          "[protocol][a2a][client]") {
  artifact made;
  made.artifact_id = "a1";
  made.parts = {text_part("more")};
  const auto shared = std::make_shared<const artifact>(made);
  for (const auto& row : all_formats()) {
    const auto event_text = [&](const event& one) {
      return text_from([&](json_writer& out) {
        CHECK(row.codec->write_event(out, small_change(), one, {.last = true, .cursor = "3.0"}));
      });
    };
    const auto moved = wire::read_answer(
        parsed(event_text(task_moved{task_state::failed, 1, agent_says("no")})), row.format);
    REQUIRE(moved.has_value());
    const auto& status = std::get<wire::status_update>(*moved);
    CHECK(status.task.str() == "t1");
    CHECK(status.context == "c1");
    CHECK(status.status.state == task_state::failed);
    CHECK(text_of(status.status.message->parts) == "no");
    CHECK(status.is_last == (row.format.version == a2a_version::v0_3));
    CHECK(status.metadata.at("troupe/v1/cursor") == "3.0");
    const auto output =
        wire::read_answer(parsed(event_text(task_artifact{shared, true, true})), row.format);
    REQUIRE(output.has_value());
    const auto& update = std::get<wire::artifact_update>(*output);
    CHECK(update.append);
    CHECK(update.is_last);
    CHECK(text_of(update.artifact.parts) == "more");
    const auto answered = text_from(
        [&](json_writer& out) { row.codec->write_answer(out, *agent_says("hi"), false); });
    CHECK(text_of(std::get<message>(wire::read_answer(parsed(answered), row.format).value()).parts)
          == "hi");
  }
}

TEST_CASE("a push configuration comes through in every version and binding",
          "[protocol][a2a][client]") {
  push_config config;
  config.id = "p1";
  config.task = task_id{"t1"};
  config.url = "https://hooks.example.org/a";
  config.token = "words";
  config.authentication = push_authentication{"Bearer", "secret"};
  const auto check_config = [&](const push_config& read) {
    CHECK(read.id == config.id);
    CHECK(read.task == config.task);
    CHECK(read.url == config.url);
    CHECK(read.token == config.token);
    CHECK(read.authentication == config.authentication);
  };
  for (const auto& row : all_formats()) {
    CAPTURE(to_string(row.format.version), to_string(row.format.binding));
    const auto created = row.codec->read_create_push(
        boost::json::value(wire::write_create_push(config, row.format)));
    REQUIRE(created.has_value());
    check_config(created->config);
    const auto listed =
        row.codec->read_list_push(boost::json::value(wire::write_list_push("t1", "", row.format)));
    REQUIRE(listed.has_value());
    CHECK(listed->task.str() == "t1");
    const auto deleted = row.codec->read_delete_push(
        boost::json::value(wire::write_named_push("t1", "p1", row.format)));
    REQUIRE(deleted.has_value());
    CHECK(deleted->task.str() == "t1");
    CHECK(deleted->id == "p1");

    const auto one = text_from([&](json_writer& out) { row.codec->write_push(out, config); });
    const auto read = wire::read_push_config(parsed(one), row.format);
    REQUIRE(read.has_value());
    check_config(*read);
    const std::vector<push_config> both{config, config};
    const auto all =
        text_from([&](json_writer& out) { row.codec->write_push_list(out, both, "more"); });
    const auto page = wire::read_push_page(parsed(all), row.format);
    REQUIRE(page.has_value());
    REQUIRE(page->configs.size() == 2);
    check_config(page->configs.back());
  }
  CHECK(wire::read_push_config(parsed(R"({"id":"p1"})"), {}).error().message.find("answer.url")
        != std::string::npos);
}

TEST_CASE("what servers leave out is no error, but an id and a state must be there",
          "[protocol][a2a][client]") {
  const wire_format now{};
  const auto bare =
      wire::read_answer(parsed(R"({"id":"t","status":{"state":"TASK_STATE_WORKING"},"artifacts":[)"
                               R"({"artifactId":"a","parts":[]}]})"),
                        now);
  REQUIRE(bare.has_value());
  CHECK(std::get<task>(*bare).artifacts[0]->parts.empty());
  CHECK(std::get<task>(*bare).status.at == timestamp{});
  const auto error_of = [&](std::string_view text) {
    return wire::read_answer(parsed(text), now).error();
  };
  CHECK(error_of(R"({"task":{"status":{"state":"TASK_STATE_WORKING"}}})").code
        == errc::invalid_agent_response);
  CHECK(error_of(R"({"task":{"id":"t","status":{"state":"DONE"}}})")
            .message.find("answer.task.status.state")
        != std::string::npos);
  CHECK(error_of(R"({"task":{"id":"t"}})").message.find("answer.task.status") != std::string::npos);
  CHECK(error_of(R"({"hello":1})").message.find("expected a task, a message") != std::string::npos);
  CHECK(error_of("[]").code == errc::invalid_agent_response);
}

TEST_CASE("every error is read back from every binding of 1.0 with its code",
          "[protocol][a2a][client]") {
  for (std::uint8_t i = 1; i < errc_end; ++i) {
    const auto code = static_cast<errc>(i);
    const error written{code, "why; do this", "", {}};
    const auto rpc = text_from([&](json_writer& out) { write_jsonrpc_error(out, written, noon); });
    CHECK(wire::read_rpc_error(parsed(rpc)).code == code);
    const auto rest = text_from([&](json_writer& out) { write_rest_error(out, written, noon); });
    const auto read = wire::read_rest_error(wire_of(code).http, parsed(rest));
    CHECK(read.code == code);
    CHECK(read.message.find("why; do this") != std::string::npos);
  }
}

TEST_CASE("an error of 0.3 is known by its number, and one without any by its status",
          "[protocol][a2a][client]") {
  CHECK(wire::read_rpc_error(parsed(R"({"code":-32001,"message":"gone"})")).code
        == errc::task_not_found);
  CHECK(wire::read_rpc_error(parsed(R"({"code":-32603,"message":"bad"})")).code == errc::internal);
  CHECK(wire::read_rpc_error(parsed(R"({"code":7})")).code == errc::internal);
  CHECK(wire::read_rpc_error(parsed("3")).code == errc::internal);
  CHECK(wire::read_rest_error(404, parsed(R"({"code":-32001,"message":"gone"})")).code
        == errc::task_not_found);
  CHECK(wire::read_rest_error(429, parsed("null")).code == errc::overloaded);
}

TEST_CASE("a card is read in every shape in which it is written", "[protocol][a2a][client]") {
  agent_card card;
  card.name = "Helper";
  card.description = "Helps.";
  card.version = "2";
  card.interfaces = {{"https://h/", "JSONRPC", "1.0", "t"},
                     {"https://h/", "JSONRPC", "0.3", ""},
                     {"https://h/", "HTTP+JSON", "0.3", ""}};
  card.provider = agent_provider{"Us", "https://us.example"};
  card.capabilities.streaming = true;
  card.capabilities.extensions = {{"urn:x", "X", true, {}}};
  card.security_schemes = {{"key", "", api_key_scheme{"header", "X-Key"}},
                           {"token", "", http_auth_scheme{"Bearer", ""}}};
  card.skills = {{"s", "Skill", "Does.", {"tag"}, {"example"}, {}, {}, {}}};
  for (const auto shape : {card_shape::pure_1_0, card_shape::pure_0_3, card_shape::superset}) {
    const auto read = read_agent_card(card_to_json(card, shape)).value();
    CHECK(read.name == "Helper");
    CHECK(read.capabilities.streaming == true);
    REQUIRE(read.capabilities.extensions.size() == 1);
    CHECK(read.capabilities.extensions[0].required);
    REQUIRE(read.skills.size() == 1);
    CHECK(read.skills[0].examples == std::vector<std::string>{"example"});
    REQUIRE(read.security_schemes.size() == 2);
    CHECK(std::get<api_key_scheme>(read.security_schemes[0].kind).name == "X-Key");
    CHECK(std::get<http_auth_scheme>(read.security_schemes[1].kind).scheme == "Bearer");
    CHECK(read.interfaces.front().binding == "JSONRPC");
    CHECK(read.interfaces.front().tenant == (shape == card_shape::pure_0_3 ? "" : "t"));
    CHECK(read.interfaces.back().protocol_version.starts_with(
        shape == card_shape::pure_0_3 ? "0.3.0" : "0.3"));
    CHECK(read.interfaces.size() == (shape == card_shape::pure_0_3 ? 2 : 3));
  }
  CHECK(read_agent_card(parsed(R"({"name":"x"})")).error().message
        == "card.supportedInterfaces: missing or empty");
  CHECK(read_agent_card(parsed(R"({"url":"https://h"})")).error().message == "card.name: missing");
}
