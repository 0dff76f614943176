#include "tests/support/clock_bed.hpp"

#include "protocol/fold/apply.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/plan_state.hpp>
#include <troupe/protocol/task_state.hpp>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace troupe::testing {

namespace {

// An ordinary day, so that times look like times.
constexpr timestamp day{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};

std::string short_number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string seconds_since(timestamp from, timestamp at) {
  return short_number(std::chrono::duration<double>(at - from).count());
}

struct noop_agent final : agent {
  start_result start(const order_ptr&, const agent_port_ptr&) override {
    return report_completed{};
  }
};

struct failing_agent final : agent {
  start_result start(const order_ptr&, const agent_port_ptr&) override {
    return report_failed{"boom", true};
  }
};

} // namespace

// -- story ----------------------------------------------------------------------------------------

void story::on_change(const change_ptr& change) {
  const auto at = seconds_since(from_, change->at) + " ";
  for (const auto& one : change->events) {
    if (const auto* made = std::get_if<objective_created>(&one)) {
      plans_ = made->spec->plans;
      plan_states_.assign(plans_.size(), plan_state::pending);
    } else if (const auto* added = std::get_if<plan_added>(&one)) {
      plans_.push_back(added->spec);
      plan_states_.push_back(plan_state::pending);
    } else if (const auto* changed = std::get_if<plan_changed>(&one)) {
      plan_view shape;
      shape.spec = plans_[changed->plan];
      apply(shape, *change, *changed);
      plans_[changed->plan] = shape.spec;
    } else if (const auto* moved = std::get_if<task_moved>(&one)) {
      hold_to_table(change->task.id, moved->to);
      const auto attempt =
          moved->attempt > 1 ? " #" + std::to_string(moved->attempt) : std::string{};
      lines.push_back(at + task_name(change->task) + " " + std::string{to_string(moved->to)}
                      + attempt);
    } else if (const auto* news = std::get_if<task_progress>(&one)) {
      lines.push_back(at + task_name(change->task) + " "
                      + short_number(news->progress->aggregate->progress.value()) + "%");
    } else if (const auto* plan = std::get_if<plan_moved>(&one)) {
      auto& now = plan_states_[plan->plan];
      if (!next_state(now, plan->on))
        FAIL_CHECK("a plan that is " << to_string(now) << " got " << to_string(plan->on));
      now = plan->to();
      plan_lines.push_back(at + plans_[plan->plan]->name + " " + std::string{to_string(now)});
    } else if (const auto* whole = std::get_if<objective_moved>(&one)) {
      if (!next_state(objective_state_, whole->on))
        FAIL_CHECK("an objective that is " << to_string(objective_state_) << " got "
                                           << to_string(whole->on));
      objective_state_ = whole->to();
      plan_lines.push_back(at + "objective " + std::string{to_string(objective_state_)});
    }
  }
}

void story::hold_to_table(const task_id& id, task_state to) {
  auto& now = task_states_.try_emplace(id, task_state::submitted).first->second;
  // A question that an earlier process left open stays open in the next attempt.
  const bool keeps_question = now == to && is_interrupted(to);
  const auto leads_there = [&](const task_transition& row) {
    return row.from == now && row.to == to;
  };
  if (!keeps_question
      && !std::any_of(task_transitions.begin(), task_transitions.end(), leads_there))
    FAIL_CHECK("task " << id << " moved from " << to_string(now) << " to " << to_string(to));
  now = to;
}

std::string story::task_name(const task_address& of) const {
  return of.lone ? "task" : plans_[of.plan_index]->tasks[of.task_index].name;
}

// -- hand_agent -----------------------------------------------------------------------------------

struct hand_agent::run final : agent_run {
  run(hand_agent& owner, std::shared_ptr<attempt> which)
      : owner_(owner), which_(std::move(which)) {}
  ~run() override { which_->over = true; }
  void on_input(const message_ptr& message) override {
    owner_.heard.push_back(which_->name + ":" + text_of(message->parts));
  }
  void on_answer(const message_ptr& message) override {
    owner_.heard.push_back(which_->name + " answer:" + text_of(message->parts));
  }
  void on_room() override { owner_.heard.push_back(which_->name + " room"); }
  [[nodiscard]] std::optional<message> unreported() const override { return owner_.unsaid; }
  bool on_cancel() override {
    owner_.canceled.push_back(which_->name);
    return owner_.stops_at_once;
  }
  std::chrono::nanoseconds cancel_grace_min() const noexcept override { return owner_.grace_min; }
  hand_agent& owner_;
  std::shared_ptr<attempt> which_;
};

start_result hand_agent::start(const order_ptr& order, const agent_port_ptr& port) {
  attempts.push_back(std::make_shared<attempt>(
      attempt{order->name, order->attempt, clock_.elapsed(), port, order}));
  return std::make_unique<run>(*this, attempts.back());
}

hand_agent::attempt& hand_agent::of(const std::string& name) {
  const auto it = std::find_if(attempts.rbegin(), attempts.rend(),
                               [&](const auto& one) { return one->name == name; });
  if (it == attempts.rend())
    throw std::runtime_error("the agent was never asked to do \"" + name + "\"");
  return **it;
}

std::size_t hand_agent::running() const {
  return static_cast<std::size_t>(
      std::count_if(attempts.begin(), attempts.end(), [](const auto& one) { return !one->over; }));
}

// -- clock_bed ------------------------------------------------------------------------------------

clock_bed::clock_bed(executor_options options, std::optional<std::uint64_t> seed)
    : clock_bed(make_memory_store(), options, seed) {}

clock_bed::clock_bed(std::unique_ptr<store> with, executor_options options,
                     std::optional<std::uint64_t> seed)
    : clock(day, seed), hand(std::make_shared<hand_agent>(clock)),
      seen(std::make_shared<story>(day)), records_(std::move(with)), options_(options) {
  options_.by_hand = &clock;
  agents.default_agent = "noop";
  agents.add("noop", std::make_shared<noop_agent>());
  agents.add("boom", std::make_shared<failing_agent>());
  agents.add("hand", hand);
  // Everything runs on this thread, so this is whose dice are rolled.
  thread_id_source() = id_source{seed.value_or(1)};
}

gateway& clock_bed::main_gateway() {
  if (!gateway_) {
    gateway_ = std::make_unique<gateway>(*records_, agents, options_);
    gateway_->start();
  }
  return *gateway_;
}

objective_id clock_bed::begin(objective_spec spec, bool start) {
  create_objective command;
  command.spec = std::move(spec);
  command.start = start;
  const auto made = std::make_shared<std::optional<result<objective_ptr>>>();
  main_gateway().create(std::move(command), seen,
                        [made](result<objective_ptr> answer) { *made = std::move(answer); });
  clock.settle();
  if (!*made || !**made)
    throw std::runtime_error(*made ? "refused: " + (**made).error().message : "never answered");
  last_ = (***made)->id;
  return last_;
}

objective_ptr clock_bed::objective() const {
  return find_objective(*records_, last_);
}

task_ptr clock_bed::task(const std::string& name) const {
  const auto view = objective();
  for (const auto& plan : view->plans)
    for (std::uint32_t i = 0; i < plan.tasks.size(); ++i)
      if (plan.spec->tasks[i].name == name)
        return find_task(*records_, plan.task_at(i));
  return nullptr;
}

std::string clock_bed::text(const std::string& name) const {
  const auto record = task(name);
  return record && record->status.message ? text_of(record->status.message->parts) : std::string{};
}

std::string clock_bed::states(std::size_t plan) const {
  std::string out;
  for (const auto& slot : objective()->plans[plan].tasks)
    out += (out.empty() ? "" : " ") + std::string{summary_state(slot)};
  return out;
}

void clock_bed::report(const std::string& name, agent_report report) {
  hand->of(name).port->report(std::move(report));
  clock.settle();
}

void clock_bed::progress(const std::string& name, double value) {
  progress_report progress_report;
  progress_report.aggregate = progress_aggregate{value, 100.0, ""};
  report(name, report_progress{std::move(progress_report)});
}

std::shared_ptr<std::optional<result<task_ptr>>> clock_bed::cancel(const std::string& name) {
  auto answer = std::make_shared<std::optional<result<task_ptr>>>();
  main_gateway().cancel(cancel_task{{}, task(name)->id, {}},
                        [answer](result<task_ptr> value) { *answer = std::move(value); });
  clock.settle();
  return answer;
}

void clock_bed::move(objective_state to) {
  update_objective command;
  command.id = last_;
  command.state = to;
  const auto answer = std::make_shared<std::optional<result<objective_ptr>>>();
  main_gateway().update(command, [answer](result<objective_ptr> got) { *answer = std::move(got); });
  clock.settle();
  if (!*answer || !**answer)
    throw std::runtime_error(*answer ? "refused: " + (**answer).error().message : "never answered");
}

void clock_bed::move_plan(std::size_t plan, plan_state to) {
  update_plan command;
  command.id = objective()->plans[plan].spec->id;
  command.state = to;
  const auto answer = std::make_shared<std::optional<result<plan_id>>>();
  main_gateway().update(command, [answer](result<plan_id> got) { *answer = std::move(got); });
  clock.settle();
  if (!*answer || !**answer)
    throw std::runtime_error(*answer ? "refused: " + (**answer).error().message : "never answered");
}

void clock_bed::restart() {
  stop();
  recovered left;
  left.objectives.push_back(objective());
  main_gateway().resume(left);
  clock.settle();
}

void clock_bed::say(const std::string& name, const std::string& text) {
  send_message command;
  command.message.message_id = "m";
  command.message.from = role::user;
  command.message.parts.push_back(text_part(text));
  command.message.task_id = task(name)->id.str();
  const auto answer = std::make_shared<std::optional<result<sent>>>();
  main_gateway().send(std::move(command), nullptr,
                      [answer](result<sent> got) { *answer = std::move(got); });
  clock.settle();
  if (!*answer || !**answer)
    throw std::runtime_error(*answer ? "refused: " + (**answer).error().message : "never answered");
}

void clock_bed::pass(std::chrono::nanoseconds span) {
  clock.advance(span);
}

} // namespace troupe::testing
