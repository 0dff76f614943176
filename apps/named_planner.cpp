#include "apps/named_planner.hpp"

#include "actors/planning/planned_check.hpp"
#include "agents/llm/model_planner.hpp"
#include "apps/model_setup.hpp"
#include "apps/plan/plan_file.hpp"
#include "apps/remote/targets.hpp"
#include "apps/settings/config_file.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"
#include "protocol/text/text.hpp"
#include <troupe/actors/limits.hpp>

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

namespace troupe {

namespace {

class waiting_port final : public planner_port {
public:
  void report(planner_report reported) override {
    if (!has_come_.exchange(true))
      report_.set_value(std::move(reported));
  }
  [[nodiscard]] std::future<planner_report> coming() { return report_.get_future(); }

private:
  std::promise<planner_report> report_;
  std::atomic<bool> has_come_{false};
};

error unknown_planner(const std::string& name, const std::vector<std::string>& models,
                      const std::string& config_file) {
  std::vector<std::string> known{"templates", "grammar"};
  known.insert(known.end(), models.begin(), models.end());
  const std::vector<std::string_view> names(known.begin(), known.end());
  return make_error(errc::invalid_params,
                    "--planner: there is no planner " + troupe::quoted(shown(name)) + "; known are "
                        + listed_names(known) + did_you_mean(name, names)
                        + (models.empty()
                               ? "; " + (config_file.empty() ? "a configuration file" : config_file)
                                     + " names no model ([models.NAME])"
                               : std::string{}));
}

/// What a server would check with the same agents.
planned_rules rules_for(const named_model& model) {
  agent_registry agents;
  register_own_agents(agents);
  return planned_rules::of(agents, model.agents);
}

planner_report report_of(const named_model& model, const planner::planning_request& request,
                         const planned_rules& rules) {
  auto order = std::make_shared<planning_order>();
  order->text = request.text;
  order->suggested_name = request.suggested_name;
  order->agents = model.agents;
  order->questions_left = planner_questions_max;
  order->check_plan = [rules](const objective_spec& plan) { return rules.check(plan); };
  const auto port = std::make_shared<waiting_port>();
  auto coming = port->coming();
  auto begun = model.planner->plan(order, port);
  if (std::holds_alternative<planner_run_ptr>(begun)) {
    if (coming.wait_for(model.budget) == std::future_status::ready)
      return coming.get();
    return report_no_plan{"the model " + model.name + " has not answered within "
                          + std::to_string(model.budget.count() / 1000) + " s"};
  }
  return std::visit(
      [](auto& each) -> planner_report {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, planner_run_ptr>)
          return report_no_plan{};
        else
          return std::move(each);
      },
      begun);
}

} // namespace

result<named_planner> planner_named(const std::string& name) {
  if (name.empty())
    return named_planner{true, true};
  if (name == "templates" || name == "grammar")
    return named_planner{name == "templates", name == "grammar"};
  const auto config_file = own_config_path();
  std::error_code failed;
  const bool is_there = !config_file.empty() && std::filesystem::exists(config_file, failed);
  if (!is_there)
    return unknown_planner(name, {}, config_file);
  const auto config = read_config_file(config_file);
  if (!config)
    return config.error();
  auto client = open_models(*config);
  if (!client)
    return client.error();
  if (!*client || (*client)->find(name) == nullptr)
    return unknown_planner(name, *client ? (*client)->names() : std::vector<std::string>{},
                           config_file);
  serve_settings settings;
  if (auto read = read_config(settings, config->text, config->name); !read)
    return read.error();
  const auto& planning = settings.executor.planning;
  return named_planner{false, false,
                       named_model{name, std::make_shared<model_planner>(*client, name),
                                   planning.agents, planning.budget}};
}

void ask_model(const named_model& model, const planner::planning_request& request,
               planner::verdict& made) {
  const auto rules = rules_for(model);
  auto report = report_of(model, request, rules);
  auto* plan = std::get_if<report_plan>(&report);
  if (const auto ok = plan != nullptr ? rules.check(plan->objective) : result<void>{}; !ok) {
    made.outcome = planner::decision::plain_task;
    made.reasons.push_back("the model " + model.name
                           + " makes a plan that cannot run: " + ok.error().message);
  } else if (plan != nullptr) {
    made.outcome = planner::decision::objective;
    made.assumptions = std::move(plan->assumptions);
    made.objective = std::move(plan->objective);
    if (made.objective->name.empty())
      made.objective->name = planner::name_of_text(request.text);
    made.reasons.push_back("the model " + model.name + " makes a plan");
  } else if (const auto* answer = std::get_if<report_answer>(&report)) {
    made.outcome = planner::decision::direct_answer;
    made.reasons.push_back("the model " + model.name + " answers: " + answer->text);
  } else if (const auto* asked = std::get_if<report_planner_question>(&report)) {
    made.reasons.push_back("the model " + model.name + " asks: " + asked->prompt);
  } else {
    const auto* none = std::get_if<report_no_plan>(&report);
    made.outcome = planner::decision::plain_task;
    made.reasons.push_back(none ? none->reason : "the model " + model.name + " makes no plan");
  }
}

} // namespace troupe
