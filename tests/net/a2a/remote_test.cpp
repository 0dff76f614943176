// The A2A client against a whole server: both versions, both bindings, and connections that break.
#include "client/a2a/remote.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/answer_in_time.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/push_receiver.hpp"
#include "tests/support/relay.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <atomic>
#include <future>
#include <thread>

using namespace troupe;
using namespace troupe::testing;
using a2a::remote;
using wire::a2a_binding;
using wire::a2a_version;

namespace {

struct format_row {
  a2a_version version;
  a2a_binding binding;
};

constexpr auto formats = std::to_array<format_row>({
    {a2a_version::v1_0, a2a_binding::json_rpc},
    {a2a_version::v1_0, a2a_binding::rest},
    {a2a_version::v0_3, a2a_binding::json_rpc},
    {a2a_version::v0_3, a2a_binding::rest},
});

std::unique_ptr<remote> client_of(const std::string& url, format_row format = formats[0]) {
  a2a::target to;
  to.url = url;
  to.version = format.version;
  to.binding = format.binding;
  return remote::open(to).value();
}

std::string url_of(const net_bed& bed) {
  return "http://127.0.0.1:" + std::to_string(bed.port);
}

wire::sending says(const std::string& text, const std::string& task = {}) {
  wire::sending out;
  out.message.message_id = "m-" + text;
  out.message.from = role::user;
  out.message.parts = {text_part(text)};
  out.message.task_id = task;
  return out;
}

struct seen {
  std::string task;
  std::vector<std::string> states;
  std::string text; ///< Of its artifacts.
  std::optional<error> failed;
};

seen read_all(remote::tasks& from) {
  seen out;
  for (;;) {
    const auto next = from.next();
    if (!next)
      out.failed = next.error();
    if (!next || !*next)
      return out;
    if (const auto* whole = std::get_if<task>(&**next)) {
      out.task = whole->id.str();
      out.states.emplace_back(to_string(whole->status.state));
      out.text.clear();
      for (const auto& each : whole->artifacts)
        out.text += text_of(each->parts);
    } else if (const auto* moved = std::get_if<wire::status_update>(&**next)) {
      out.states.emplace_back(to_string(moved->status.state));
    } else if (const auto* made = std::get_if<wire::artifact_update>(&**next)) {
      out.text += text_of(made->artifact.parts);
    }
  }
}

/// Reads on a thread of its own.
std::future<seen> reading(std::shared_ptr<remote::tasks> from) {
  return std::async(std::launch::async, [from] { return read_all(*from); });
}

} // namespace

TEST_CASE("the client sends, reads, lists and cancels in every version and binding",
          "[net][client]") {
  const net_bed bed;
  for (const auto& format : formats) {
    const auto client = client_of(url_of(bed), format);
    CHECK(client->where()->format == wire::wire_format{format.version, format.binding});
    const auto answered = client->send(says("hello"));
    REQUIRE(answered.has_value());
    const auto& made = std::get<task>(*answered);
    CHECK(made.status.state == task_state::completed);
    REQUIRE(made.artifacts.size() == 1);
    CHECK(text_of(made.artifacts[0]->parts) == "hello");
    CHECK(client->get_task(made.id.str())->context == made.context);
    wire::task_filter filter;
    filter.context = made.context;
    filter.state = task_state::completed;
    filter.include_artifacts = true;
    const auto page = client->list_tasks(filter).value();
    REQUIRE(page.tasks.size() == 1);
    CHECK(page.tasks[0].id == made.id);
    CHECK(page.tasks[0].artifacts.size() == 1);
    CHECK(client->cancel_task(made.id.str()).error().code == errc::task_not_cancelable);
    CHECK(client->get_task("nothing").error().code == errc::task_not_found);
  }
}

TEST_CASE("the client reads the extended card and one push configuration in every version and "
          "binding",
          "[net][client]") {
  server_options options;
  options.card.extended.tokens = {"friend"};
  options.card.extended.description = "For friends.";
  options.push.address = {.allow_http = true, .allow_private = true, .allow_hosts = {}};
  const net_bed bed(options);
  for (const auto& format : formats) {
    a2a::target to;
    to.url = url_of(bed);
    to.version = format.version;
    to.binding = format.binding;
    to.authentication.bearer = "friend";
    const auto client = remote::open(to).value();
    CHECK(client->extended_card().value().description == "For friends.");
    CHECK(client_of(url_of(bed), format)->extended_card().error().code == errc::unauthenticated);
    const auto made = client->send(says("hello")).value();
    push_config wanted;
    wanted.task = std::get<task>(made).id;
    wanted.id = "p";
    wanted.url = "http://127.0.0.1:9/hook";
    REQUIRE(client->create_push(wanted).has_value());
    const auto kept = client->get_push(wanted.task.str(), "p");
    REQUIRE(kept.has_value());
    CHECK(kept->url == wanted.url);
    CHECK(kept->task == wanted.task);
    CHECK_FALSE(client->get_push(wanted.task.str(), "q").has_value());
  }
}

TEST_CASE("the client streams a task to its end in every version and binding", "[net][client]") {
  const net_bed bed;
  for (const auto& format : formats) {
    const auto client = client_of(url_of(bed), format);
    const auto stream = client->send_streaming(says("hello")).value();
    const auto events = read_all(*stream);
    CHECK_FALSE(events.failed.has_value());
    CHECK(events.text == "hello");
    CHECK(events.states.back() == "completed");
  }
}

TEST_CASE("a stream that is lost goes on where it broke, and misses and repeats nothing",
          "[net][client]") {
  for (const auto& format : formats) {
    relay between;
    server_options options;
    options.card.url = between.url() + "/";
    const temporary_directory where;
    const net_bed bed(
        options, "puppet",
        open_rocksdb_store({.directory = where.path().string(), .durability = durability::async})
            .value());
    between.lead_to(bed.port);
    const auto client = client_of(between.url(), format);
    std::atomic<int> lost = 0;
    std::atomic<int> resumed = 0;
    between.cut_after(R"("first ")"); // the card has the word, too
    const std::shared_ptr<remote::tasks> stream =
        client
            ->send_streaming(
                says("go"), [&](const error&, std::chrono::milliseconds) { ++lost; },
                [&] { ++resumed; })
            .value();
    auto whole = reading(stream);
    const auto port = bed.puppet->port(0);
    const auto say = [&](const std::string& text) {
      report_artifact chunk;
      chunk.artifact.artifact_id = "a";
      chunk.artifact.parts = {text_part(text)};
      chunk.append = true;
      port->report(std::move(chunk));
    };
    say("first ");
    REQUIRE(comes_true([&] { return lost > 0; }));
    say("second ");
    REQUIRE(comes_true([&] { return resumed > 0; }));
    say("third");
    port->report(report_completed{{}, ""});
    const auto events = answer_in_time(std::move(whole), "the end of the stream");
    CHECK_FALSE(events.failed.has_value());
    CHECK(events.text == "first second third");
    CHECK(events.states.back() == "completed");
    CHECK(between.cuts() == 1);
  }
}

TEST_CASE("a task that ended while its stream was lost is shown as it ended", "[net][client]") {
  for (const auto& format : formats) {
    relay between;
    server_options options;
    options.card.url = between.url() + "/";
    const net_bed bed(options, "puppet");
    between.lead_to(bed.port);
    const auto client = client_of(between.url(), format);
    std::atomic<int> lost = 0;
    between.cut_after(R"("first")"); // the card has the word, too
    const std::shared_ptr<remote::tasks> stream =
        client->send_streaming(says("go"), [&](const error&, std::chrono::milliseconds) { ++lost; })
            .value();
    auto whole = reading(stream);
    const auto port = bed.puppet->port(0);
    report_artifact chunk;
    chunk.artifact.artifact_id = "a";
    chunk.artifact.parts = {text_part("first")};
    between.lead_to(0);
    port->report(std::move(chunk));
    REQUIRE(comes_true([&] { return lost > 0; }));
    port->report(report_completed{{}, ""});
    const auto id = bed.puppet->asked(0)->id.str();
    REQUIRE(comes_true([&] {
      return at(bed.result_of("GetTask", R"({"id":")" + id + R"("})"), "/status/state")
             == "TASK_STATE_COMPLETED";
    }));
    between.lead_to(bed.port);
    const auto events = answer_in_time(std::move(whole), "the end of the stream");
    CHECK_FALSE(events.failed.has_value());
    CHECK(events.text == "first");
    CHECK(events.states.back() == "completed");
  }
}

TEST_CASE("an objective is followed from far away, over a break", "[net][client]") {
  relay between;
  server_options options;
  options.card.url = between.url() + "/";
  const net_bed bed(options);
  between.lead_to(bed.port);
  for (const auto& format : {formats[0], formats[3]}) {
    const auto client = client_of(between.url(), format);
    auto made = client->ask(
        a2a::operation::create_objective,
        boost::json::parse(R"({"name":"Trip","start":true,"plans":[{"name":"P","tasks":[)"
                           R"({"name":"ask","agent":"scripted","input":{"steps":[{"ask":"where?"},)"
                           R"({"complete":"there"}]}}]}]})")
            .as_object());
    REQUIRE(made.has_value());
    const auto id = at(*made, "/objective/id");
    between.cut_after("input-required");
    const auto events = client->follow(id);
    bool is_answered = false;
    std::string last;
    for (int i = 0; i < 50 && last != "completed"; ++i) {
      const auto next = events->next();
      INFO((next ? std::string{} : next.error().message));
      REQUIRE(next.has_value());
      REQUIRE(next->has_value());
      const auto text = boost::json::serialize(**next);
      if (!is_answered && text.find("input-required") != std::string::npos) {
        is_answered = true;
        boost::json::object answer;
        answer["id"] = id + ".p0.t0.question-1";
        answer["value"] = "north";
        REQUIRE(client->ask(a2a::operation::answer_input, std::move(answer)).has_value());
      }
      // A memory store keeps few changes: after the break it may show the objective as it is.
      if ((*next)->as_object().contains("objective"))
        last = at(**next, "/objective/status");
      if (const auto* change = (*next)->as_object().if_contains("change"))
        for (const auto& event : change->at("events").as_array())
          if (event.at("kind") == "objective" && event.as_object().contains("status"))
            last = std::string(event.at("status").as_string());
    }
    CHECK(last == "completed");
  }
}

TEST_CASE("what is no server, no agent or no card says so", "[net][client]") {
  const auto error_of = [](const std::string& url) { return client_of(url)->card().error(); };
  relay nothing; // Takes connections, and ends them.
  CHECK(error_of(nothing.url()).code == errc::unavailable);
  push_receiver web;
  web.script({answer_text(404), answer_text(404), answer_text(200, {}, "<html>"),
              answer_text(200, {}, "{}"), answer_text(401)});
  const auto url = "http://127.0.0.1:" + std::to_string(web.port());
  CHECK(error_of(url).code == errc::method_not_found);
  CHECK(error_of(url).code == errc::invalid_agent_response);
  CHECK(error_of(url).message.find("is no agent card: card.name: missing") != std::string::npos);
  CHECK(error_of(url).code == errc::unauthenticated);
}
