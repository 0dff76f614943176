// Random values of every protocol type, from a seed: what round-trip tests are fed with. Every
// member is sometimes empty and sometimes not. Doubles have few digits, so that any JSON parser
// reads them back exactly.
#pragma once

#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/task.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace troupe::test {

class random_values {
public:
  explicit random_values(std::uint32_t seed) : engine_(seed) {}

  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(engine_() % end); }
  bool coin() { return below(2) == 0; }

  std::string text() {
    static const std::vector<std::string> pieces{
        "a", "B7", " ", "\"", "\\", "\n",     "\t",       "\x01",
        "/", "{}", "ä", "€",  "🎭",  "\u2028", "\xc2\x85", "long run of plain text"};
    std::string out;
    for (auto n = below(5); n > 0; --n)
      out += pieces[below(static_cast<std::uint32_t>(pieces.size()))];
    return out;
  }
  std::string some_text() { return "x" + text(); }
  std::string bytes() {
    std::string out;
    for (auto n = below(9); n > 0; --n)
      out.push_back(static_cast<char>(below(256)));
    return out;
  }
  std::vector<std::string> texts() {
    return list<std::string>(3, [&] { return text(); });
  }
  timestamp time() {
    return timestamp{milliseconds{1'600'000'000'000 + std::int64_t{below(4'000'000'000)} * 100}};
  }
  double amount() { return below(4000) / 8.0; }

  boost::json::value tree(int depth = 3) {
    switch (below(depth > 0 ? 8 : 6)) {
      case 0: return nullptr;
      case 1: return coin();
      case 2: return -std::int64_t{below(1'000'000)};
      case 3: return 0xffffffffffffff00ULL + below(100);
      case 4: return below(100) + 0.125;
      case 5: return boost::json::value(text());
      case 6: {
        boost::json::array out;
        for (auto n = below(4); n > 0; --n)
          out.push_back(tree(depth - 1));
        return out;
      }
      default: return object(depth - 1);
    }
  }
  boost::json::object object(int depth = 2) {
    boost::json::object out;
    for (auto n = below(4); n > 0; --n)
      out[text()] = tree(depth);
    return out;
  }

  part any_part() {
    part out;
    switch (below(4)) {
      case 0: out.content = text_content{text()}; break;
      case 1: out.content = raw_content{bytes()}; break;
      case 2: out.content = url_content{text()}; break;
      default: out.content = data_content{tree()}; break;
    }
    out.media_type = text();
    out.filename = text();
    out.metadata = object();
    return out;
  }
  message any_message() {
    return {text(),
            static_cast<role>(below(3)),
            list<part>(4, [&] { return any_part(); }),
            text(),
            text(),
            texts(),
            texts(),
            object()};
  }
  message_ptr message_or_null() {
    return coin() ? nullptr : std::make_shared<const message>(any_message());
  }
  artifact any_artifact() {
    return {text(), text(), text(), list<part>(4, [&] { return any_part(); }), texts(), object()};
  }

  template<class T, class Make>
  std::optional<T> maybe(Make make) {
    return coin() ? std::nullopt : std::optional<T>{make()};
  }
  progress_report any_progress() {
    progress_report out;
    out.trackers = list<progress_tracker>(4, [&] {
      return progress_tracker{
          text(),
          maybe<double>([&] { return amount(); }),
          maybe<double>([&] { return amount(); }),
          text(),
          maybe<tracker_status>([&] { return static_cast<tracker_status>(below(3)); }),
          maybe<timestamp>([&] { return time(); }),
          maybe<timestamp>([&] { return time(); })};
    });
    if (coin())
      out.aggregate = progress_aggregate{maybe<double>([&] { return amount(); }),
                                         maybe<double>([&] { return amount(); }), text()};
    return out;
  }
  progress_ptr progress_or_null() {
    return coin() ? nullptr : std::make_shared<const progress_report>(any_progress());
  }

  task_spec any_task_spec(const plan_id& plan, std::size_t index) {
    task_spec out;
    out.id = coin() ? make_task_id(plan, index) : task_id{text()};
    out.key = text();
    out.name = text();
    out.description = text();
    out.agent = text();
    out.input = object();
    out.dependencies = texts();
    for (std::size_t i = 0; coin() && i < out.dependencies.size(); ++i)
      out.dependency_indexes.push_back(coin() ? below(10) : elsewhere);
    if (coin())
      out.retry = {below(5), milliseconds{below(5000)}, milliseconds{below(90'000)},
                   below(9) / 8.0};
    out.timeout = milliseconds{coin() ? 0 : below(100'000)};
    if (coin())
      out.deadline = time();
    out.deadline_after = milliseconds{coin() ? 0 : below(100'000)};
    out.priority = static_cast<std::int32_t>(below(5)) - 2;
    out.expected = milliseconds{coin() ? 0 : below(100'000)};
    out.is_removed = below(10) == 0;
    out.caller = below(10) == 0 ? below(3) : no_caller;
    out.metadata = object();
    return out;
  }
  plan_spec any_plan_spec(std::uint32_t tasks_min = 0) {
    plan_spec out;
    out.id = plan_id{text()};
    out.key = text();
    out.name = text();
    out.description = text();
    for (auto n = tasks_min + below(4); n > 0; --n)
      out.tasks.push_back(any_task_spec(out.id, out.tasks.size()));
    out.dependencies = texts();
    out.alternatives = texts();
    out.failure = coin() ? on_failure::fail_fast : on_failure::keep_going;
    out.parallel_max = coin() ? 0 : below(100);
    out.metadata = object();
    for (auto n = below(3); n > 0; --n)
      out.outside.push_back({below(4), below(10), below(100'000), task_id{text()}});
    make_urgent(out);
    return out;
  }
  trace_context any_trace() { return {text(), text(), texts()}; }
  plan_spec_ptr plan_ptr(std::uint32_t tasks_min = 0) {
    return std::make_shared<const plan_spec>(any_plan_spec(tasks_min));
  }
  objective_spec any_objective_spec() {
    objective_spec out;
    out.id = objective_id{text()};
    out.name = text();
    out.description = text();
    for (auto n = below(4); n > 0; --n)
      out.plans.push_back(plan_ptr());
    out.parallel_max = coin() ? 0 : below(100);
    out.metadata = object();
    out.references = message_or_null();
    make_urgent(out);
    return out;
  }
  /// An objective or a plan.
  template<class Of>
  void make_urgent(Of& of) {
    if (coin())
      of.deadline = time();
    of.deadline_after = milliseconds{coin() ? 0 : below(100'000)};
    of.priority = static_cast<std::int32_t>(below(201)) - 100;
  }

  task_state any_task_state() { return static_cast<task_state>(below(task_state_count)); }
  plan_state any_plan_state() { return static_cast<plan_state>(below(plan_state_count)); }
  objective_state any_objective_state() {
    return static_cast<objective_state>(below(objective_state_count));
  }

  closed_question any_closed_question() {
    return {.asked = any_question(),
            .state = static_cast<question_state>(below(4)),
            .at = time(),
            .by = text(),
            .message = text(),
            .action = static_cast<answer_action>(below(3)),
            .reason = text()};
  }

  question any_question() {
    question out;
    out.id = text();
    out.attempt = 1 + below(3);
    out.kind = coin() ? question_kind::auth : question_kind::input;
    out.prompt = text();
    out.key = text();
    out.form = object();
    out.data = object();
    if (coin())
      out.deadline = time();
    out.opened = time();
    if (coin())
      out.claim = input_claim{text(), time()};
    if (coin())
      out.remind_at = time();
    out.remind_after = milliseconds{below(9)};
    out.reminders = below(9);
    return out;
  }
  task_details any_details() {
    task_details out;
    out.accepted_output_modes = texts();
    out.trace = any_trace();
    out.taken_by = text();
    out.note = text();
    for (auto n = below(3); n > 0; --n)
      out.spans.push_back(
          {static_cast<task_phase>(below(task_phase_count)), below(4), time(), time(), text()});
    out.spans_dropped = below(3);
    out.usage = any_usage();
    return out;
  }
  /// Without an origin.
  task any_task() {
    task out;
    out.id = task_id{some_text()};
    out.context = text();
    out.owner = text();
    out.agent = text();
    out.attempt = below(4);
    out.failures = below(3);
    out.awaits_retry = coin();
    out.status = {any_task_state(), message_or_null(), time()};
    out.created = time();
    out.progress = progress_or_null();
    out.artifacts =
        list<artifact_ptr>(3, [&] { return std::make_shared<const artifact>(any_artifact()); });
    out.history =
        list<message_ptr>(3, [&] { return std::make_shared<const message>(any_message()); });
    out.metadata = object();
    out.questions = below(3);
    out.is_queued = coin();
    if (coin())
      out.question = any_question();
    if (coin())
      out.closed.edit().push_back(any_closed_question());
    out.ready_at = coin() ? out.created : time();
    out.since = coin() ? out.created : time();
    if (auto details = any_details(); details != task_details{})
      out.details = std::move(details);
    return out;
  }
  model_usage any_usage() {
    return coin() ? model_usage{}
                  : model_usage{below(9), below(1000), below(1000), below(1000), below(9), coin()};
  }
  objective_view any_objective_view() {
    objective_view out;
    out.id = objective_id{text()};
    out.owner = text();
    out.name = text();
    out.description = text();
    out.parallel_max = below(3);
    out.metadata = object();
    out.state = any_objective_state();
    out.reason = text();
    out.revision = below(1000);
    out.made_bytes = below(1000);
    out.usage = any_usage();
    out.created = time();
    out.updated = time();
    out.root_task = task_id{text()};
    out.trace = shared_trace(any_trace());
    out.references = message_or_null();
    for (auto n = below(4); n > 0; --n) {
      plan_view plan{plan_ptr(), any_plan_state(), text(), time(), time(), below(3), {}, {}};
      plan.skip_requested = coin();
      plan.began = coin() ? time() : timestamp{};
      while (plan.tasks.size() < plan.spec->tasks.size())
        plan.tasks.push_back(!plan.tasks.empty() && coin() ? plan.tasks.back() : any_slot());
      out.plans.push_back(std::move(plan));
    }
    for (auto n = below(3); n > 0; --n)
      out.pending_inputs.push_back(
          {.task = task_id{text()}, .prompt = text(), .since = time(), .question = text()});
    make_urgent(out);
    return out;
  }
  task_summary any_slot() {
    return task_summary{.state = any_task_state(),
                        .has_artifacts = coin(),
                        .is_skipped = coin(),
                        .attempt = static_cast<std::uint16_t>(below(5)),
                        .generation = below(2) * 65'534 + below(3)};
  }
  std::vector<std::uint32_t> indexes() {
    return list<std::uint32_t>(5, [&] { return below(1000); });
  }

  template<class T, class Make>
  std::vector<T> list(std::uint32_t end, Make make) {
    std::vector<T> out;
    for (auto n = below(end); n > 0; --n)
      out.push_back(make());
    return out;
  }

private:
  std::mt19937 engine_;
};

} // namespace troupe::test
