#include "apps/runs/held_run.hpp"

#include "apps/local_flag.hpp"
#include "apps/plan/plan_file.hpp"
#include "apps/run/run_model.hpp"
#include "apps/runs/run_folder.hpp"
#include "apps/terminal/console.hpp"
#include <troupe/protocol/time_source.hpp>
#include <troupe/store/await.hpp>

#include <string>
#include <utility>

namespace troupe {

namespace {

/// As objectives and plans say it that are paused. Else opening one would record another reason.
constexpr const char* pause_reason = "paused by request";

/// Checks what its agent would do, and begins none of it. It has no limit, so that each task that
/// has begun has its actor.
class held_agent final : public agent {
public:
  explicit held_agent(agent_ptr who) : who_(std::move(who)) {}

  [[nodiscard]] start_result start(const order_ptr&, const agent_port_ptr&) override {
    return report_failed{"nothing of this run begins now", true}; // begins_nothing comes before
  }
  [[nodiscard]] bool begins_nothing() const override { return true; }
  /// What was running when the process ended is left to the next process.
  [[nodiscard]] restart_rule on_restart() const override { return restart_rule::next_attempt; }
  [[nodiscard]] result<void> check_input(const boost::json::object& input) const override {
    return who_->check_input(input);
  }
  [[nodiscard]] result<void> check_planned(const boost::json::object& input,
                                           const planned_check& other) const override {
    return who_->check_planned(input, other);
  }
  [[nodiscard]] result<void> check_handed_on(const boost::json::object& input,
                                             const planned_check& other) const override {
    return who_->check_handed_on(input, other);
  }
  [[nodiscard]] bool takes_value_at(std::string_view pointer) const override {
    return who_->takes_value_at(pointer);
  }
  [[nodiscard]] std::vector<std::string> output_modes() const override {
    return who_->output_modes();
  }
  [[nodiscard]] std::vector<std::string> input_modes() const override {
    return who_->input_modes();
  }
  [[nodiscard]] std::string description() const override { return who_->description(); }

private:
  const agent_ptr who_;
};

/// The run as one that was paused: no plan and no task begins by itself. Without limits, as its
/// agents. The record stays as it is. What is blocked there is blocked by the pause here, so that
/// no other reason is recorded. To look, that holds also for what works there. A change may skip
/// what works, and then the record has to have it blocked before.
objective_ptr paused_view(const objective_view& recorded, held_for purpose) {
  auto out = std::make_shared<objective_view>(recorded);
  out->paused = true;
  out->parallel_max = 0;
  const bool looks = purpose == held_for::looking;
  if (out->state == objective_state::blocked || (looks && out->state == objective_state::working)) {
    out->state = objective_state::blocked;
    out->reason = pause_reason;
  }
  for (std::uint32_t p = 0; p < out->plans.size(); ++p) {
    if (is_settled(out->plans[p].state))
      continue;
    auto& plan = out->plans.edit(p);
    plan.paused = true;
    if (plan.spec->parallel_max > 0) {
      auto unlimited = std::make_shared<plan_spec>(*plan.spec);
      unlimited->parallel_max = 0;
      plan.spec = std::move(unlimited);
    }
    if (plan.state == plan_state::blocked || (looks && plan.state == plan_state::working)) {
      plan.state = plan_state::blocked;
      plan.reason = pause_reason;
    }
  }
  return out;
}

error run_has_ended(const run_entry& entry, objective_state how) {
  const bool can_retry = how == objective_state::failed || how == objective_state::canceled;
  const std::string been = how == objective_state::canceled ? "been " : "";
  return make_error(
      errc::invalid_transition,
      "the run " + entry.id + " has " + been + std::string(to_string(how)) + "; "
          + (can_retry ? "`" + run_command_for("--retry", entry) + "` does again what is missing"
                       : "it stays as it is"));
}

} // namespace

result<void> check_held(const run_entry& entry) {
  if (entry.is_running)
    return make_error(errc::store_locked,
                      "the run " + entry.id
                          + " is running, and its process takes no changes from outside; `troupe "
                            "logs "
                          + entry.id + local_flag()
                          + " --follow` shows what its programs write. What is to be changed while "
                            "it runs belongs on a server (`troupe serve`, `troupe submit`)");
  if (entry.is_damaged)
    return make_error(errc::store_unreadable, "the run " + entry.id + " is damaged; `troupe rm"
                                                  + local_flag() + " " + entry.id + "` removes it");
  if (is_settled(entry.state))
    return run_has_ended(entry, entry.state);
  return {};
}

held_run::held_run(run_entry entry, run_record record)
    : entry_(std::move(entry)), record_(std::move(record)), opened_(system_time().now()) {
  agent_registry own;
  register_own_agents(own);
  for (const auto& name : own.names())
    agents_.add(name, std::make_shared<held_agent>(own.find(name)));
}

result<std::unique_ptr<held_run>> held_run::open(const run_entry& entry) {
  if (const auto fine = check_held(entry); !fine)
    return fine.error();
  auto record = open_record(entry);
  if (!record)
    return record.error();
  const auto& view = *record->view;
  if (is_settled(view.state))
    return run_has_ended(entry, view.state);
  if (view.closing)
    return make_error(errc::invalid_transition,
                      "the run " + entry.id + " was being canceled when its process ended; `"
                          + run_command_for("--resume", entry) + "` ends it");
  // What was live is taken out of the store, as before a run goes on.
  if (const auto left = record->records->recover(); !left)
    return left.error();
  return std::unique_ptr<held_run>(new held_run(entry, std::move(*record)));
}

result<service> held_run::start(held_for purpose) {
  gateway_.reset(); // It has written all when this returns.
  const auto now = await_objective(*record_.records, record_.view->id);
  if (!now)
    return now.error();
  executor_options options;
  options.objective_bytes_max = memory_budget::unlimited; // as of a run
  options.warn = [](const std::string& line) { complain(line); };
  gateway_.emplace(*record_.records, agents_, options);
  gateway_->start();
  recovered held;
  held.objectives.push_back(paused_view(**now, purpose));
  gateway_->resume(held);
  return service(*gateway_);
}

result<run_entry> held_run::close() {
  gateway_.reset();
  const auto now = await_objective(*record_.records, record_.view->id);
  if (!now)
    return now.error();
  if ((*now)->updated == record_.view->updated)
    return entry_;
  note_stopped(entry_, record_.view->updated, opened_);
  const auto before = entry_.state;
  run_model model;
  model.reset(**now);
  bring_up_to_date(entry_, model);
  // It is as it was left, but for questions that are gone.
  if (!is_settled(entry_.state))
    entry_.state = model.questions().empty() ? objective_state::working : before;
  if (is_settled(entry_.state) || entry_.ended != timestamp{})
    entry_.ended = system_time().now();
  if (const auto kept = keep_entry(entry_); !kept)
    return kept.error();
  return entry_;
}

} // namespace troupe
