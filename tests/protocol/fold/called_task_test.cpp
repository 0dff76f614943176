// Called tasks and what models have used, in the views that are made of events.
#include "protocol/fold/apply.hpp"
#include "protocol/fold/last_tasks.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/model_usage.hpp>
#include <troupe/protocol/unshared.hpp>

#include <boost/json/parse.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// One plan of two tasks; the first has called the second.
objective_view with_called() {
  objective_view out;
  apply(out, about("o", 1, objective_created{make_objective("o", {2}), {}}));
  unshared(out.plans.edit(0).spec).tasks.edit(1).caller = 0;
  return out;
}

change of_task(std::uint32_t task, event one) {
  change out;
  out.context = "o";
  out.task = {task_id{"o.p0.t" + std::to_string(task)}, false, 0, task};
  out.events.push_back(std::move(one));
  return out;
}

message_ptr about_call(role from, std::string metadata) {
  auto out = std::make_shared<message>();
  out->from = from;
  out->metadata[model_usage_key] = boost::json::parse(metadata);
  return out;
}

boost::json::value shown(const objective_view& view) {
  std::string out;
  json_writer to(out);
  opt::write(to, view, true, true);
  return boost::json::parse(out);
}

} // namespace

TEST_CASE("a called task that does not complete is lost to nobody", "[protocol][fold]") {
  const auto to = GENERATE(task_state::failed, task_state::canceled, task_state::rejected);
  auto view = with_called();
  SECTION("it had begun") {
    apply(view, of_task(1, task_moved{to, 1, nullptr}));
  }
  SECTION("it had not begun") {
    apply(view, about("o", 2, tasks_withdrawn{0, {1}, to, "not needed"}));
  }
  CHECK(is_satisfied(view.plans[0].tasks[1]));
  const auto task = shown(view).at("plans").at(0).at("tasks").at(1);
  CHECK(task.at("status").as_string()
        == std::string(to_string(to))); // and not as one that was skipped
  CHECK(task.at("calledBy") == "o.p0.t0");
  apply(view, of_task(0, task_moved{to, 1, nullptr}));
  CHECK(is_lost(view.plans[0].tasks[0])); // which nobody has called
}

TEST_CASE("what a called task has made is no result of its objective", "[protocol][fold]") {
  auto view = with_called();
  for (std::size_t t = 0; t < 2; ++t) {
    view.plans.edit(0).tasks.edit(t).state = task_state::completed;
    view.plans.edit(0).tasks.edit(t).has_artifacts = true;
  }
  const auto found = last_tasks(view, std::vector<plan_relations>(1), 10);
  CHECK(found.first == std::vector{task_id{"o.p0.t0"}});
}

TEST_CASE("what models have used is summed up for a task and for its objective",
          "[protocol][fold]") {
  const auto first = about_call(
      role::agent,
      R"({"promptTokens":10,"answerTokens":5,"milliseconds":1500,"cost":0.25,"estimated":true})");
  const auto second = about_call(role::agent, R"({"promptTokens":1,"answerTokens":-3,"cost":"x"})");
  const auto by_user = about_call(role::user, R"({"promptTokens":1000})");
  task record;
  auto view = with_called();
  for (const auto& said : {first, second, by_user}) {
    const auto one = of_task(0, task_message{said});
    apply(record, one);
    apply(view, one);
  }
  const model_usage sum{2, 11, 5, 1500, 250'000, true};
  CHECK(record.details->usage == sum);
  CHECK(view.usage == sum);
  CHECK(shown(view).at("modelUsage")
        == boost::json::parse(R"({"calls":2,"promptTokens":11,"answerTokens":5,"seconds":1.5,)"
                              R"("cost":0.25,"estimated":true})"));
  CHECK_FALSE(shown(with_called()).as_object().contains("modelUsage"));
}
