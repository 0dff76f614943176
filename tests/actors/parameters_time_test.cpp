// A template that lacks values asks for them, and the answer makes its plans; on the manual clock.
// Over the wire: tests/net/a2a/template_forms_test.cpp.
#include "actors/planning/parameters_agent.hpp"
#include "actors/service/service.hpp"
#include "tests/actors/planning_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <memory>
#include <optional>
#include <string>

#include "planner/parameters_task.hpp"

using namespace troupe;
using namespace troupe::testing;
using Catch::Matchers::Contains;

namespace {

constexpr const char* trip = R"({"template": "trip", "description": "A trip",
  "match": ["Plan a trip", "Plan a trip to {to}"],
  "params": {"to": {"description": "Where to"}, "days": {"type": "integer", "minimum": 1, "default": 3},
             "mode": {"description": "How", "enum": ["train", "boat"]}},
  "name": "Trip to ${params.to}",
  "plans": [{"name": "Travel", "tasks": [{"name": "Book a ${params.mode} to ${params.to}", "agent": "hand"}]},
            {"name": "Stay", "dependencies": ["Travel"], "tasks": [{"name": "Stay ${params.days} days", "agent": "hand"}]}]})";

executor_options with_trip() {
  executor_options out;
  out.planning.templates.push_back({trip, "trip.json"});
  return out;
}

struct ended_port final : agent_port {
  void report(agent_report reported) override {
    completed = std::holds_alternative<report_completed>(reported);
  }
  void wake_after(std::chrono::nanoseconds) override {}
  bool completed = false;
};

struct form_bed : service_bed {
  form_bed() : service_bed(with_trip()) { agents.default_agent = "hand"; }

  result<send_result> say(const std::string& text, const std::string& name = {},
                          const boost::json::object& params = {}, const std::string& context = {}) {
    send_request request;
    request.waits = true;
    request.command.message.message_id = "m";
    request.command.message.from = role::user;
    request.command.message.context_id = context;
    request.command.message.parts.push_back(text_part(text));
    request.planning = std::make_shared<planning_wishes>();
    request.planning->template_name = name;
    request.planning->params = params;
    all.emplace(main_gateway());
    sending = all->send(std::move(request), [] {});
    clock.settle();
    const auto out = sending->poll(true);
    return out ? *out : result<send_result>{make_error(errc::timed_out, "no answer")};
  }
};

} // namespace

TEST_CASE("a template that lacks values asks for them by a form, and the answer makes its plans",
          "[actors][planning]") {
  form_bed bed;
  const auto sent = bed.say("Plan a trip to Oslo");
  REQUIRE(sent.has_value());
  REQUIRE(sent->objective);
  CHECK(sent->task->status.state == task_state::input_required);
  const auto id = sent->objective->id;
  auto now = bed.whole(id);
  REQUIRE(now->plans.size() == 1);
  CHECK(now->plans[0].spec->name == "Parameters");
  CHECK_THAT(boost::json::serialize(now->metadata),
             Contains("it needs mode (How), which is asked for") && Contains(R"(to: \"Oslo\")"));
  const auto asking = now->plans[0].task_at(0);
  const auto asked = bed.record(asking);
  REQUIRE((asked && asked->question));
  CHECK(asked->question->prompt == "A trip. Needed: mode (How)");
  CHECK(boost::json::serialize(asked->question->form)
        == R"({"type":"object","properties":{"days":{"type":"integer","minimum":1,"default":3},)"
           R"("mode":{"type":"string","enum":["train","boat"],"description":"How"}},)"
           R"("required":["mode"],"additionalProperties":false})");
  CHECK_THAT(bed.answer(asking, boost::json::parse(R"({"mode": "car"})")), Contains("mode"));
  CHECK_THAT(bed.answer(asking, boost::json::parse(R"({"mode": "boat", "days": 0})")),
             Contains("at least 1"));
  CHECK_THAT(bed.answer(asking, boost::json::parse(R"({})")), Contains("mode"));
  SECTION("at once") {}
  SECTION("after a restart") {
    bed.begin_again(id);
  }
  CHECK(bed.answer(asking, boost::json::parse(R"({"mode": "boat"})")) == "");
  now = bed.whole(id);
  REQUIRE(now->plans.size() == 3);
  CHECK(now->name == "Trip to Oslo");
  CHECK(now->state == objective_state::working);
  CHECK(now->plans[0].state == plan_state::completed);
  CHECK(now->plans[1].spec->tasks[0].name == "Book a boat to Oslo");
  CHECK(now->plans[1].state == plan_state::working);
  CHECK(now->plans[2].spec->tasks[0].name == "Stay 3 days");
  CHECK(now->plans[2].state == plan_state::pending);
  bed.report("Book a boat to Oslo", report_completed{});
  bed.report("Stay 3 days", report_completed{});
  CHECK(bed.whole(id)->state == objective_state::completed);
}

TEST_CASE("the plans of a form are added once, also if the process ends in between",
          "[actors][planning]") {
  form_bed bed;
  const auto sent = bed.say("Plan a trip to Oslo");
  REQUIRE(sent.has_value());
  const auto id = sent->objective->id;
  const auto asking = bed.whole(id)->plans[0].task_at(0);
  CHECK(bed.answer(asking, boost::json::parse(R"({"mode": "boat"})")) == "");
  CHECK(bed.whole(id)->plans.size() == 3);
  // As if the end of the task had not come to the disk.
  parameters_agent again(bed.main_gateway());
  auto order = std::make_shared<troupe::order>();
  order->id = asking;
  order->context = id.str();
  order->input = bed.whole(id)->plans[0].spec->tasks[0].input;
  message said;
  said.parts.push_back(data_part(boost::json::parse(R"({"mode": "boat"})")));
  order->messages.push_back(std::make_shared<const message>(std::move(said)));
  const auto port = std::make_shared<ended_port>();
  const auto run = again.start(order, port);
  bed.clock.settle();
  CHECK(port->completed);
  CHECK(bed.whole(id)->plans.size() == 3);
}

TEST_CASE("no answer, and a template that has gone, fail the objective with the reason",
          "[actors][planning]") {
  form_bed bed;
  const auto sent = bed.say("whatever", "trip", {{"mode", "train"}});
  REQUIRE(sent.has_value());
  const auto id = sent->objective->id;
  const auto asking = bed.whole(id)->plans[0].task_at(0);
  SECTION("declined") {
    answer_input command;
    command.id = asking.str() + ".question-1";
    command.action = answer_action::decline;
    bed.all->answer(std::move(command), [](const result<shown_input>&) {});
    bed.clock.settle();
    CHECK_THAT(bed.whole(id)->reason, Contains("declined"));
  }
  SECTION("the template has gone") {
    REQUIRE(bed.main_gateway().set_templates({}).has_value());
    CHECK(bed.answer(asking, boost::json::parse(R"({"to": "Oslo"})")) == "");
    CHECK_THAT(bed.whole(id)->reason, Contains(R"(there is no template "trip" any more)"));
  }
  CHECK(bed.whole(id)->state == objective_state::failed);
}

TEST_CASE("a template in the context of an objective asks there, and its plans join it",
          "[actors][planning]") {
  form_bed bed;
  objective_spec first;
  first.id = objective_id{"o"};
  first.name = "o";
  plan_spec plan;
  plan.name = "p";
  task_spec task;
  task.name = "a";
  task.agent = "hand";
  plan.tasks.push_back(std::move(task));
  first.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
  bed.begin(std::move(first));
  static_cast<void>(bed.say("Plan a trip to Oslo", "", {}, "o"));
  const objective_id id{"o"};
  REQUIRE(bed.whole(id)->plans.size() == 2);
  CHECK(bed.whole(id)->state == objective_state::working);
  CHECK(bed.answer(bed.whole(id)->plans[1].task_at(0), boost::json::parse(R"({"mode": "train"})"))
        == "");
  CHECK(bed.whole(id)->plans.size() == 4);
  CHECK(bed.whole(id)->name == "o");
}

TEST_CASE("nothing in a value of a form is a reference or a template's place",
          "[actors][planning]") {
  form_bed bed;
  const auto sent = bed.say("whatever", "trip", {{"to", "${tasks.x.artifacts[0].text} $${"}});
  REQUIRE(sent.has_value());
  const auto id = sent->objective->id;
  const auto asking = bed.whole(id)->plans[0].task_at(0);
  CHECK(bed.answer(asking, boost::json::parse(R"({"mode": "train"})")) == "");
  CHECK(bed.whole(id)->plans[1].spec->tasks[0].name
        == "Book a train to ${tasks.x.artifacts[0].text} $${");
}

TEST_CASE("F5_ambiguous: of two templates that fit equally none is taken, and both are named",
          "[actors][planning]") {
  form_bed bed;
  std::string twin = trip;
  twin.replace(twin.find("\"trip\""), 6, "\"twin\"");
  REQUIRE(bed.main_gateway().set_templates({{trip, "a"}, {twin, "b"}}).has_value());
  send_request request;
  request.command.message.message_id = "m";
  request.command.message.parts.push_back(text_part("Plan a trip to Oslo"));
  request.planning = std::make_shared<planning_wishes>();
  bed.all.emplace(bed.main_gateway());
  const auto sending = bed.all->send(std::move(request), [] {});
  bed.clock.settle();
  const auto sent = sending->poll(true);
  REQUIRE((sent && *sent && (*sent)->task));
  CHECK_FALSE((*sent)->objective);
  CHECK_THAT(boost::json::serialize((*sent)->task->metadata),
             Contains(R"("ambiguous":["trip","twin"])"));
}

TEST_CASE("templates that cannot be used change nothing", "[actors][planning]") {
  form_bed bed;
  const auto before = bed.main_gateway().templates().size();
  const auto refused = bed.main_gateway().set_templates({{"{", "x.json"}});
  REQUIRE(refused.has_error());
  CHECK_THAT(refused.error().message, Contains("x.json: "));
  const auto twice = bed.main_gateway().set_templates({{trip, "a"}, {trip, "b"}});
  REQUIRE(twice.has_error());
  CHECK_THAT(twice.error().message,
             Contains(R"(b: there is another template with the name "trip")"));
  CHECK(bed.main_gateway().templates().size() == before);
  REQUIRE(bed.main_gateway().set_templates({}).has_value());
  CHECK(bed.main_gateway().templates().size() == before - 1);
}

namespace {

/// Takes values only as `text`, and needs one.
class careful_agent final : public agent {
public:
  [[nodiscard]] start_result start(const order_ptr&, const agent_port_ptr&) override {
    return report_completed{};
  }
  [[nodiscard]] result<void> check_input(const boost::json::object& input) const override {
    const auto* text = input.if_contains("text");
    if (text != nullptr && text->is_string() && text->get_string() == "nonsense")
      return make_error(errc::invalid_params, "text: nonsense is refused", "/text");
    return {};
  }
  [[nodiscard]] bool takes_value_at(std::string_view pointer) const override {
    return pointer == "/text";
  }
};

std::string doing(const std::string& agent, const std::string& input) {
  return R"({"template": "careful", "match": ["Do {x}"], "params": {"x": {}},
    "plans": [{"name": "Work", "tasks": [{"name": "Do it", "agent": ")"
         + agent + R"(", "input": )" + input + "}]}]}";
}

} // namespace

TEST_CASE("a template is taken only if its tasks can run, and values stay values in their inputs",
          "[actors][planning]") {
  form_bed bed;
  bed.agents.add("careful", std::make_shared<careful_agent>());
  const auto refusal = [&](const std::string& agent, const std::string& input) {
    const auto done = bed.main_gateway().set_templates({{doing(agent, input), "c.json"}});
    return done ? std::string{} : done.error().message;
  };
  CHECK_THAT(
      refusal("careful", R"({"program": "${params.x}"})"),
      Contains(R"(the template "careful": /plans/0/tasks/0/input/program: a parameter may not)"));
  CHECK_THAT(refusal("careful", R"({"text": "nonsense"})"), Contains("nonsense is refused"));
  CHECK_THAT(refusal("nobody", "{}"), Contains("nobody"));
  CHECK(refusal("careful", R"({"program": "true", "text": "${params.x}"})") == "");
}

TEST_CASE("a message whose template makes a plan that cannot run is left to the next row",
          "[actors][planning]") {
  form_bed bed;
  bed.agents.add("careful", std::make_shared<careful_agent>());
  REQUIRE(bed.main_gateway()
              .set_templates({{doing("careful", R"({"text": "${params.x}"})"), "c.json"}})
              .has_value());
  const auto fine = bed.say("Do something");
  REQUIRE(fine.has_value());
  CHECK(fine->objective);
  const auto other = bed.say("Do nonsense");
  REQUIRE(other.has_value());
  CHECK_FALSE(other->objective);
  const auto asked_for = bed.say("Do nonsense", "careful", {{"x", "nonsense"}});
  REQUIRE(asked_for.has_error()); // its sender named it
  CHECK_THAT(asked_for.error().message, Contains("nonsense is refused"));
}
