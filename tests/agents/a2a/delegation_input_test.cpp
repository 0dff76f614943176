// The input of the agent `a2a`, the requests that it becomes, and the paths that they take.
#include "agents/a2a/a2a_agent.hpp"
#include "agents/a2a/delegation_input.hpp"
#include "protocol/a2a/request_path.hpp"
#include "tests/agents/fake_port.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/serialize.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

delegation_options options_with_support() {
  delegation_options options;
  a2a::target to;
  to.url = "http://127.0.0.1:9/";
  options.targets.push_back({"support", to});
  options.targets.push_back({"broken", make_error(errc::unavailable, "no such variable")});
  options.server_id = [] { return std::string("server-a"); };
  return options;
}

a2a_agent agent_with_support() {
  return a2a_agent(options_with_support());
}

} // namespace

TEST_CASE("the input of a delegation is checked before anything runs", "[agents][a2a]") {
  const auto agent = agent_with_support();
  const auto [input, expected] = GENERATE(table<std::string, std::string>({
      {R"({"target": "support", "text": "x", "data": [1], "metadata": {"a": 1}})", "fine"},
      {R"({"url": "https://agents.example.org/"})", "fine"},
      {R"({"target": "support", "text": "${tasks.a.artifacts[0].text}"})", "fine"},
      {R"({"text": "x"})",
       R"(/target: is missing; must be the alias of a target, or give a "url")"},
      {R"({"target": "support", "url": "https://a/"})", R"(/target: and "url" exclude each other)"},
      {R"({"target": "suport"})", R"(/target: names no target: "suport"; did you mean "support"?)"},
      {R"({"target": "broken"})", ": no such variable"},
      {R"({"target": "${tasks.a.artifacts[0].text}"})",
       "/target: takes no reference to another task"},
      {R"({"url": "https://${tasks.a.artifacts[0].text}/"})",
       "/url: takes no reference to another task"},
      {R"({"target": "support", "metadata": 1})", "/metadata: must be an object"},
      {R"({"target": "support", "whenUnsure": "never"})",
       R"(/whenUnsure: must be "fail", "resend" or "ask")"},
  }));
  CHECK(verdict(agent, input) == expected);
}

TEST_CASE("a task that names no target goes to the default one", "[agents][a2a]") {
  auto options = options_with_support();
  options.default_target = "support";
  const a2a_agent agent(std::move(options));
  CHECK(verdict(agent, R"({})") == "fine");
  CHECK(verdict(agent, R"({"text": "x"})") == "fine");
  CHECK(verdict(agent, R"({"target": "suport"})")
        == R"(/target: names no target: "suport"; did you mean "support"?)");
}

TEST_CASE("the request of a lone task goes on as its client made it", "[agents][a2a]") {
  auto order = order_with("{}");
  order.name.clear();
  order.dependencies.clear();
  auto request = std::make_shared<message>();
  request->parts = {text_part("two pictures"), data_part(boost::json::object{{"size", 2}})};
  request->metadata = {{"tone", "calm"}, {"troupe/v1/path", {"somebody"}}, {"troupe/v1/x", 1}};
  order.messages = {request, user_says("blue ones")};
  request->extensions = {"urn:tone"};
  delegation_note ids;
  ids.target = "support";
  const auto sent = first_request(order, {}, ids, {"server-a"}).message;
  CHECK(sent.parts == request->parts);
  CHECK(boost::json::serialize(sent.metadata)
        == R"({"tone":"calm","troupe/v1/path":["server-a"]})");
  CHECK(sent.extensions == request->extensions);
  CHECK(messages_in_request(order) == 1); // The other one follows on its own.
}

TEST_CASE("a later message has the metadata that its client gave it", "[agents][a2a]") {
  message said = *user_says("blue ones");
  said.metadata = {{"tone", "calm"}, {"troupe/v1/x", 1}, {"opt/v1/inputId", "of our task"}};
  said.extensions = {"urn:tone"};
  delegation_note ids;
  ids.task = "r1";
  ids.input = "r1.question-1";
  const auto sent = further_message(said, ids, nullptr).message;
  CHECK(boost::json::serialize(sent.metadata)
        == R"({"tone":"calm","opt/v1/inputId":"r1.question-1"})");
  CHECK(sent.extensions == said.extensions);
}

TEST_CASE("a lone task without a default target is rejected, and says which setting is missing",
          "[agents][a2a]") {
  auto agent = agent_with_support();
  auto order = order_with("{}");
  order.messages = {user_says("hello")};
  const auto begun = agent.start(shared(order), nullptr);
  const auto* rejected = std::get_if<report_rejected>(&begun);
  REQUIRE(rejected != nullptr);
  CHECK(rejected->reason == "this server hands no messages on: agents.a2a-target is not set");
}

TEST_CASE("a request has the input, the artifacts of the dependencies, and the path",
          "[agents][a2a]") {
  auto order = order_with(R"({"target": "support", "text": "sum it up", "metadata": {"a": 1}})");
  order.dependencies.push_back(
      {task_id{"d"},
       "d",
       "d",
       {std::make_shared<const artifact>(text_artifact("log", "the log"))}});
  const auto input = read_delegation_input(order.input.resolve(), input_stage::resolved).value();
  delegation_note ids;
  ids.message = "m1";
  ids.context = "c1";
  const auto request = first_request(order, input, ids, {"server-a", "server-b"});
  CHECK_FALSE(request.waits);
  CHECK(request.message.message_id == "m1");
  CHECK(request.message.context_id == "c1");
  CHECK(text_of(request.message.parts) == "sum it up\nthe log");
  CHECK(boost::json::serialize(request.message.metadata)
        == R"({"a":1,"troupe/v1/path":["server-a","server-b"]})");
  ids.task = "r1";
  const auto answer = further_message(*user_says("yes"), ids, nullptr);
  CHECK(answer.message.task_id == "r1");
  CHECK(answer.message.context_id == "c1");
  CHECK(answer.message.message_id == "m1");
}

TEST_CASE("a request refers to the tasks that did its dependencies at the same target",
          "[agents][a2a]") {
  auto order = order_with(R"({"target": "support", "text": "sum it up"})");
  const auto made_by = [](const std::string& by) {
    auto out = text_artifact("log", "x");
    out.metadata = object(R"({"troupe/v1/remote":)" + by + "}");
    return std::make_shared<const artifact>(std::move(out));
  };
  const auto here = made_by(R"({"target":"support","task":"r1"})");
  order.dependencies.push_back({task_id{"d"}, "d", "d", {here, here}});
  order.dependencies.push_back(
      {task_id{"e"}, "e", "e", {made_by(R"({"target":"billing","task":"r2"})"), made_by("1")}});
  const auto input = read_delegation_input(order.input.resolve(), input_stage::resolved).value();
  delegation_note ids;
  ids.target = "support";
  ids.message = "m1";
  CHECK(first_request(order, input, ids, {}).message.reference_task_ids
        == std::vector<std::string>{"r1"});
}

TEST_CASE("a deadline goes along, and is the same when the request is sent again",
          "[agents][a2a]") {
  const auto order = order_with(R"({"target": "support", "text": "x"})");
  const auto input = read_delegation_input(order.input.resolve(), input_stage::resolved).value();
  delegation_note ids;
  ids.message = "m1";
  ids.context = "c1";
  CHECK_FALSE(deadline_in(first_request(order, input, ids, {}).message.metadata).has_value());
  ids.deadline = timestamp{std::chrono::hours{24}};
  const auto again = read_note(write_note(ids)).value();
  CHECK(again == ids);
  CHECK(deadline_in(first_request(order, input, again, {}).message.metadata) == ids.deadline);
  CHECK_FALSE(deadline_in(object(R"({"troupe/v1/deadline": "soon"})")).has_value());
}

TEST_CASE("a request that came back, or has come too far, begins nothing", "[agents][a2a]") {
  auto agent = agent_with_support();
  CHECK(agent.admit({"server-b"}, {}).has_value());
  const auto back = agent.admit({"server-a", "server-b"}, {});
  REQUIRE_FALSE(back.has_value());
  CHECK(back.error().code == errc::invalid_request);
  CHECK(back.error().message
        == "the task came through this server before: server-a -> server-b -> server-a");
  CHECK_FALSE(agent.admit(std::vector<std::string>(8, "x"), {}).has_value());
  CHECK(agent.admit(std::vector<std::string>(7, "x"), {}).has_value());
}

TEST_CASE("a task that comes back, or has come too far, is rejected with its path",
          "[agents][a2a]") {
  auto agent = agent_with_support();
  auto order = order_with(R"({"target": "support"})");
  order.path = {"server-a", "server-b"};
  const auto port = std::make_shared<fake_port>();
  const auto started = agent.start(shared(order), port);
  REQUIRE(std::holds_alternative<report_rejected>(started));
  CHECK(std::get<report_rejected>(started).reason
        == "the task came through this server before: server-a -> server-b -> server-a");
  CHECK(extended_path({"x"}, "y", 2).value() == std::vector<std::string>{"x", "y"});
  CHECK(extended_path({"x", "y"}, "z", 2).error().message
        == "the task would go through more than 2 servers: x -> y -> z");
}

TEST_CASE("an answer is handed on as it is, for the question that is known, or in kagent's words",
          "[agents][a2a]") {
  delegation_note ids;
  ids.message = "m1";
  ids.context = "c1";
  ids.task = "r1";
  SECTION("as it is") {
    ids.input = "r1.question-2";
    const auto sent = further_message(*user_says("yes"), ids, nullptr).message;
    CHECK(text_of(sent.parts) == "yes");
    CHECK(boost::json::serialize(sent.metadata) == R"({"opt/v1/inputId":"r1.question-2"})");
  }
  SECTION("in kagent's words") {
    message asking;
    asking.metadata =
        object(R"({"https://kagent.dev/extensions/hitl/v1":{"type":"ask_user_request","id":"k1",)"
               R"("questions":[{"question":"Sure?","choices":["Yes","No"],"multiple":false}]}})");
    const auto asked = hitl::read_request(asking).value().value();
    const auto sent = further_message(*user_says("yes"), ids, &asked).message;
    CHECK(boost::json::serialize(sent.metadata.at(hitl::uri))
          == R"({"type":"ask_user_response","id":"k1","answers":[{"answer":["Yes"]}]})");
    CHECK(sent.task_id == "r1");
    CHECK(sent.message_id == "m1");
    CHECK(sent.extensions == std::vector<std::string>{std::string(hitl::uri)});
  }
}

TEST_CASE("a path goes along in a tracestate, in front of what others wrote", "[agents][a2a]") {
  CHECK(with_path("", {"a"}) == "troupe=a");
  CHECK(with_path("x=1, troupe=old ,y=2", {"a", "b:c"}) == "troupe=a:b%3ac,x=1,y=2");
  CHECK(path_in_tracestate("x=1, troupe=a:b%3ac , y=2") == std::vector<std::string>{"a", "b:c"});
  CHECK(path_in_tracestate("x=troupe=a").empty());
  CHECK(path_in_tracestate("troupe=%").front() == "%");
  CHECK(with_path("x=1", {}) == "x=1");
  const std::string long_id(250, 'i');
  CHECK(with_path("", {long_id, "b"}).size() <= 263); // the last ones
  CHECK(path_in_tracestate(with_path("", {"aaaaaaaaaa", long_id}))
        == std::vector<std::string>{long_id});
  CHECK(request_path(object(R"({"troupe/v1/path": ["a"]})"), "troupe=b")
        == std::vector<std::string>{"a"});
  CHECK(request_path({}, "troupe=b") == std::vector<std::string>{"b"});
}

TEST_CASE("a trace that this server has made counts as a hop while its delegation is under way",
          "[agents][a2a]") {
  auto agent = agent_with_support();
  delegation_note note;
  note.key = "key-12345678abcdefgh";
  note.message = "msg-ABCDEFGH87654321";
  const auto trace = traceparent_of(note);
  CHECK(trace == "00-61626364656667683837363534333231-3837363534333231-00");
  CHECK(agent.admit({}, trace).has_value());
  const auto traces = std::make_shared<own_traces>();
  {
    const auto one = traces->add(trace_id_in(trace));
    const auto again = traces->add(trace_id_in(trace));
    CHECK(traces->has(trace_id_in(trace)));
  }
  CHECK_FALSE(traces->has(trace_id_in(trace)));
  CHECK(came_back("server-a", {"server-b"}).message
        == "the task came through this server before, as its trace says: server-a -> ... -> "
           "server-b -> server-a");
}

TEST_CASE("a path is read as far as it is one", "[agents][a2a]") {
  CHECK(path_in({}).empty());
  CHECK(path_in(object(R"({"troupe/v1/path": "a"})")).empty());
  CHECK(path_in(object(R"({"troupe/v1/path": ["a", 7, "b"]})"))
        == std::vector<std::string>{"a", "b"});
}
