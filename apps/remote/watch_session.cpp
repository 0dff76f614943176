#include "apps/remote/watch_session.hpp"

#include "apps/remote/missed_changes.hpp"
#include "apps/remote/remote_records.hpp"
#include "apps/run/result_files.hpp"
#include "apps/run/run_report.hpp"
#include "apps/run/run_timing.hpp"
#include "apps/run/timing_files.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/fold/waiting.hpp"
#include "protocol/json/quoted.hpp"
#include <troupe/protocol/time_source.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto watch_frame_interval = 100ms;
constexpr auto watch_look_interval = 1s;
/// A tree shows artifacts of so many lines; the rest is left to `--output`.
constexpr std::size_t watch_result_lines_max = 40;
/// The lists of tasks from which the tree has how long tasks took that had ended before. They come
/// one after another while it is drawn; of a larger objective it leaves out the rest.
constexpr std::uint32_t times_page_tasks_max = 100;
constexpr std::size_t times_pages_max = 200;

} // namespace

std::vector<open_question> shown_questions::take_new(const std::vector<open_question>& open) {
  std::vector<open_question> out;
  std::set<key> now;
  for (const auto& each : open) {
    const key one{each.task.str(), each.prompt};
    now.insert(one);
    const auto [at, is_new] = shown_.try_emplace(one, shown_question{each.number, false});
    if (is_new || (at->second.number != each.number && !at->second.may_come_back))
      out.push_back(each);
    if (at->second.number != each.number)
      at->second = {each.number, false};
  }
  std::erase_if(shown_, [&](const auto& each) {
    return !each.second.may_come_back && !now.contains(each.first);
  });
  return out;
}

void shown_questions::on_break() {
  for (auto& [one, about] : shown_)
    about.may_come_back = true;
}

watch_session::watch_session(const server_link& on, std::string id, const watch_choice& choice,
                             stop_signals& signals, run_screen& screen, input_choice input)
    : on_(on), id_(std::move(id)), choice_(choice), signals_(signals), screen_(screen),
      input_(input), feed_(on_, id_, in_) {}

result<int> watch_session::follow() {
  feed_.start();
  while (!over()) {
    wait();
    mind_signals();
    for (const auto& each : in_->take())
      each();
    take_news();
    mind_questions();
    read_input();
    refresh();
  }
  return end();
}

bool watch_session::over() const {
  return failed_ || ending_ != ending::none || (!model_.id().empty() && is_settled(model_.state()));
}

result<int> watch_session::end() {
  if (choice_.starts && !has_begun_)
    complain("the objective " + id_ + " is there, and has not begun; "
             + on_.command("resume " + id_) + " lets it begin");
  if (failed_)
    return *failed_;
  const auto now = system_time().now();
  if (ending_ == ending::left) {
    screen_.finish(model_, {}, now);
    complain("the objective goes on; to watch it again: " + on_.command("watch " + id_));
    complain("to end it: " + on_.command("cancel " + id_));
    return exit_canceled;
  }
  if (ending_ == ending::needs_input) {
    read_times(model_, records_of(on_, objective_id(id_)), model_.view());
    screen_.finish(model_, {}, now);
    return exit_needs_input;
  }
  const auto view = read_objective_of(on_, id_);
  const auto records = records_of(on_, objective_id(id_));
  run_ending shown;
  bool is_written = view.has_value();
  if (!view)
    complain(on_.name + ": how it ended cannot be read: " + view.error().message);
  std::string timing;
  const bool is_told = !choice_.json && !choice_.quiet;
  if (view)
    read_times(model_, records, *view);
  if (view && (is_told || choice_.timing.any())) {
    const auto times = read_timing(records, *view, model_.began());
    is_written = write_timing_files(choice_.timing, times, view->name);
    if (is_told)
      timing = timing_text(times);
  }
  if (view && !choice_.json) {
    shown = read_ending(
        records, *view,
        choice_.output.value_or(choice_.quiet ? output_choice::failed : output_choice::results),
        choice_.output || ::isatty(STDOUT_FILENO) != 1 ? ending_limits::none() : ending_limits{});
    shown.timing = std::move(timing);
    shown.show_command += on_.flag;
  }
  if (view && !choice_.output_directory.empty()) {
    const auto done = write_results(choice_.output_directory, records, *view,
                                    choice_.output.value_or(output_choice::results));
    if (!done)
      complain(done.error().message);
    is_written = is_written && done;
  }
  screen_.finish(model_, shown, now);
  for (const auto& line : unread_lines(shown.unread))
    complain(on_.name + ": " + line);
  if (model_.state() == objective_state::failed && !choice_.json) {
    const bool has_log =
        std::ranges::any_of(shown.failures, [](const auto& each) { return !each.lines.empty(); });
    if (has_log)
      complain("all that its programs wrote: " + on_.command("logs " + id_));
    complain("to do again what failed: " + on_.command("retry " + id_)
             + "; once the plan is mended: " + on_.command("retry " + id_ + " FILE"));
  }
  if (model_.state() == objective_state::completed)
    return exit_code_of(exit_ok, is_written && shown.unread.empty());
  return model_.state() == objective_state::canceled ? exit_canceled : exit_failed;
}

// -- one turn -------------------------------------------------------------------------------------

void watch_session::wait() {
  std::array<pollfd, 3> waits{pollfd{in_->descriptor(), POLLIN, 0},
                              pollfd{signals_.descriptor(), POLLIN, 0},
                              pollfd{asked_ != 0 ? input_.descriptor : -1, POLLIN, 0}};
  const std::chrono::milliseconds timeout =
      screen_.is_animated() ? watch_frame_interval : std::chrono::milliseconds(watch_look_interval);
  ::poll(waits.data(), waits.size(), static_cast<int>(timeout.count()));
}

void watch_session::mind_signals() {
  signals_.clear();
  if (signals_.take_continued() && input_.keys != nullptr) {
    input_.keys->renew();
    dirty_ = true;
  }
  if (signals_.stop_requested())
    ending_ = ending::left;
}

/// Says that it was made, and lets it begin.
void watch_session::begin_new(const objective_view& made) {
  auto spec = std::make_shared<objective_spec>();
  spec->id = made.id;
  spec->name = made.name;
  for (const auto& plan : made.plans)
    spec->plans.push_back(plan.spec);
  change created;
  created.context = made.id.str();
  created.at = made.created;
  created.events.emplace_back(objective_created{std::move(spec), {}});
  screen_.on_change(created, model_);
  has_begun_ = true;
  boost::json::object params;
  params["id"] = id_;
  params["status"] = "working";
  on_.client->ask_later(a2a::operation::update_objective, std::move(params),
                        [in = in_, this](result<boost::json::value> done) {
                          if (!done)
                            in->post([this, why = done.error()] { failed_ = why; });
                        });
}

void watch_session::take_news() {
  const auto batch = feed_.take();
  for (const auto& each : batch.notices)
    screen_.notice(each);
  if (!batch.notices.empty())
    shown_.on_break();
  for (const auto& step : batch.steps) {
    if (step.anew) { // Questions are counted anew.
      const bool is_first = model_.id().empty();
      const auto missed = is_first ? std::vector<change>{} : missed_changes(model_, *step.anew);
      model_.reset(*step.anew);
      if (is_first && choice_.starts)
        begin_new(*step.anew);
      if (screen_.is_animated() && !is_settled(model_.state()))
        ask_for_earlier_times(*step.anew);
      answered_.clear();
      shown_.on_break();
      for (const auto& each : missed)
        screen_.on_change(each, model_);
    }
    for (const auto& each : step.changes) {
      model_.apply(*each);
      screen_.on_change(*each, model_);
    }
  }
  dirty_ = dirty_ || !batch.steps.empty();
  times_held_up_ = batch.steps.empty() ? times_held_up_ : 0;
  if (batch.failed)
    failed_ = batch.failed;
}

// -- times of tasks that had ended before ---------------------------------------------------------

void watch_session::ask_for_earlier_times(const objective_view& view) {
  untimed_.clear();
  ++times_asked_;
  for (std::uint32_t p = 0; p < view.plans.size(); ++p)
    for (std::uint32_t t = 0; t < view.plans[p].tasks.size(); ++t)
      if (const auto& summary = view.plans[p].tasks[t];
          is_terminal(summary.state) && summary.attempt > 0)
        untimed_.emplace(view.plans[p].task_at(t).str(), std::pair{p, t});
  ask_for_times({}, times_pages_max);
}

void watch_session::ask_for_times(const std::string& page_token, std::size_t pages_left) {
  if (untimed_.empty() || pages_left == 0)
    return;
  const auto to = on_.client->where();
  if (!to)
    return; // The end reads them once more, and says what is wrong.
  wire::task_filter filter;
  filter.context = model_.id().str();
  filter.page_size = times_page_tasks_max;
  filter.page_token = page_token;
  filter.history_length = 0;
  on_.client->ask_later(a2a::operation::list_tasks, wire::write_task_filter(filter, to->format),
                        [in = in_, this, format = to->format, asked = times_asked_,
                         pages_left](result<boost::json::value> got) {
                          in->post([this, format, asked, pages_left, got = std::move(got)] {
                            if (!got || asked != times_asked_)
                              return;
                            if (const auto page = wire::read_task_page(*got, format)) {
                              take_times(*page);
                              ask_for_times(page->next_page_token,
                                            page->next_page_token.empty() ? 0 : pages_left - 1);
                            }
                          });
                        });
}

void watch_session::take_times(const wire::task_page& page) {
  for (const auto& each : page.tasks) {
    const auto found = untimed_.find(each.id.str());
    if (found == untimed_.end())
      continue;
    const auto [p, t] = found->second;
    untimed_.erase(found);
    const auto& plans = model_.plans();
    if (p >= plans.size() || t >= plans[p].tasks.size() || !is_terminal(plans[p].tasks[t].state))
      continue; // It has begun again.
    const auto last = last_attempt_of(each);
    model_.measured(p, t, last.begin, last.end);
    dirty_ = true;
  }
}

void watch_session::refresh() {
  if (!screen_.is_animated() && !dirty_)
    return;
  dirty_ = false;
  std::optional<prompt_view> prompt;
  if (const auto* question = asked_ != 0 ? next_question() : nullptr)
    prompt = prompt_for(model_, *question, form_, editor_.text());
  screen_.refresh(model_, prompt, system_time().now());
}

// -- questions ------------------------------------------------------------------------------------

const open_question* watch_session::next_question() const {
  const auto found = std::ranges::find_if(
      model_.questions(), [&](const auto& each) { return !answered_.contains(each.number); });
  return found == model_.questions().end() ? nullptr : &*found;
}

void watch_session::mind_questions() {
  if (ending_ != ending::none)
    return;
  const auto* next = next_question();
  if (input_.descriptor < 0)
    for (const auto& each : shown_.take_new(model_.questions()))
      screen_.notice(place_of(model_, each.plan, each.index) + " asks "
                     + troupe::quoted(each.prompt)
                     + "; answer it with: " + on_.command("answer " + each.task.str() + " TEXT"));
  if (input_.descriptor < 0 && next != nullptr) {
    if (!choice_.waits && answered_.empty()) {
      if (model_.state() == objective_state::blocked)
        ending_ = ending::needs_input;
      else
        look_whether_held_up();
    }
    asked_ = 0;
    return;
  }
  const auto number = next == nullptr ? 0 : next->number;
  if (number != asked_ && number != 0) {
    editor_ = line_editor{};
    ask_for_form(*next);
    forget_typed(input_.descriptor);
  }
  dirty_ = dirty_ || number != asked_;
  asked_ = number;
}

/// No task works, and those that could begin wait for slots of agents of which tasks ask. A client
/// is not told how many slots an agent has.
bool watch_session::may_be_held_up() const {
  if (model_.counts().working > 0)
    return false;
  const auto& view = model_.view();
  std::set<std::string> asking; // agents
  std::set<std::string> wanted;
  for (std::uint32_t p = 0; p < view.plans.size(); ++p)
    for (std::uint32_t t = 0; t < view.plans[p].tasks.size(); ++t) {
      const auto waits = waiting_for(view, p, t);
      if (waits == waiting_reason::backoff)
        return false;
      if (waits == waiting_reason::question)
        asking.insert(view.plans[p].spec->tasks[t].agent);
      else if (waits == waiting_reason::slot)
        wanted.insert(view.plans[p].spec->tasks[t].agent);
    }
  return !wanted.empty() && std::ranges::includes(asking, wanted);
}

// Tasks of other objectives may have the slots, too. The server is asked twice, with a pause, so
// that a task that is just about to begin is not overlooked.
void watch_session::look_whether_held_up() {
  const auto now = system_time().now();
  if (now - looked_ < watch_look_interval)
    return;
  looked_ = now;
  const auto to = on_.client->where();
  if (!to || !may_be_held_up()) {
    times_held_up_ = 0;
    return;
  }
  wire::task_filter filter;
  filter.state = task_state::working;
  filter.page_size = 2; // The objective may have a task of its own, which works as long as it does.
  filter.history_length = 0;
  on_.client->ask_later(a2a::operation::list_tasks, wire::write_task_filter(filter, to->format),
                        [in = in_, this, format = to->format](result<boost::json::value> got) {
                          in->post([this, format, got = std::move(got)] {
                            const auto page = got ? wire::read_task_page(*got, format)
                                                  : result<wire::task_page>(got.error());
                            const bool is_held_up =
                                page && may_be_held_up()
                                && std::ranges::all_of(page->tasks, [&](const task& each) {
                                     return each.id == model_.view().root_task;
                                   });
                            times_held_up_ = is_held_up ? times_held_up_ + 1 : 0;
                            if (times_held_up_ == 2 && ending_ == ending::none)
                              ending_ = ending::needs_input;
                          });
                        });
}

/// Changes do not say what a question leaves to choose.
void watch_session::ask_for_form(const open_question& question) {
  form_ = {};
  boost::json::object filter;
  filter["taskId"] = question.task.str();
  on_.client->ask_later(a2a::operation::list_inputs, std::move(filter),
                        [in = in_, this, number = question.number](auto done) {
                          if (done)
                            in->post([this, number, shown = *done] { take_form(number, shown); });
                        });
}

void watch_session::take_form(std::uint64_t question, const boost::json::value& inputs) {
  boost::system::error_code failed;
  const auto* schema = inputs.find_pointer("/inputs/0/schema", failed);
  if (question != asked_ || schema == nullptr || !schema->is_object())
    return;
  form_ = form_of(schema->get_object());
  dirty_ = true;
}

void watch_session::read_input() {
  if (asked_ == 0 || input_.descriptor < 0)
    return;
  pollfd ready{input_.descriptor, POLLIN, 0};
  if (::poll(&ready, 1, 0) <= 0)
    return;
  std::array<char, 4096> bytes;
  const auto got = ::read(input_.descriptor, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN))
    return;
  dirty_ = true;
  if (got <= 0) {
    input_.descriptor = -1;
    return;
  }
  const auto lines = editor_.feed({bytes.data(), static_cast<std::size_t>(got)});
  const auto* question = next_question();
  if (lines.empty() || question == nullptr)
    return;
  if (lines.front().end_of_input)
    input_.descriptor = -1;
  else if (!is_answer(form_, lines.front().text))
    screen_.notice(std::string(no_answer_words));
  else
    give_answer(*question, chosen_text(form_, lines.front().text));
  mind_questions(); // What was pasted behind this line is no answer to the next question.
}

void watch_session::give_answer(const open_question& question, std::string text) {
  const auto to = on_.client->where();
  if (!to)
    return screen_.notice("the answer was not sent: " + to.error().message);
  wire::sending request;
  request.message.message_id = thread_id_source().next("msg");
  request.message.from = role::user;
  request.message.task_id = question.task.str();
  request.message.parts.push_back(text_part(std::move(text)));
  request.waits = false;
  const auto number = question.number;
  answered_.insert(number);
  on_.client->ask_later(a2a::operation::send, wire::write_send(request, to->format),
                        [in = in_, this, number](result<boost::json::value> done) {
                          in->post([this, number, why = done ? error{} : done.error()] {
                            const bool came_late = why.code == errc::no_question
                                                   || why.code == errc::already_answered
                                                   || why.code == errc::input_expired
                                                   || why.code == errc::input_withdrawn;
                            if (why.code == errc::none || came_late)
                              return; // The changes say the rest.
                            screen_.notice("the answer was not taken: " + why.message);
                            answered_.erase(number);
                            dirty_ = true;
                          });
                        });
}

// -- the command ----------------------------------------------------------------------------------

int watch_objective(const server_link& on, const std::string& id, const watch_choice& choice) {
  output out(STDOUT_FILENO);
  const bool is_terminal_out = ::isatty(STDOUT_FILENO) == 1;
  const bool draws = is_terminal_out && can_draw(own_colour_variables().term);
  ending_options ending;
  ending.colour = stdout_colour(choice.colour);
  ending.lines_max = draws && !choice.output ? watch_result_lines_max : 0;
  std::unique_ptr<run_screen> screen;
  if (choice.json)
    screen = make_json_screen(out);
  else if (choice.quiet)
    screen = make_quiet_screen(out, ending);
  else if (draws)
    screen = make_tree_screen(
        out, {is_utf8_locale(std::getenv("LC_ALL"), std::getenv("LC_CTYPE"), std::getenv("LANG")),
              ending});
  else
    screen = make_lines_screen(out, ending);
  stop_signals signals;
  signals.before_forced_end(restore_terminal);
  const bool asks = !choice.no_input && !choice.json && ::isatty(STDIN_FILENO) == 1
                    && ::isatty(STDERR_FILENO) == 1;
  input_choice input{asks ? STDIN_FILENO : -1, nullptr};
  std::optional<key_input> keys;
  if (asks && screen->has_prompt()) {
    keys.emplace(STDIN_FILENO);
    input.keys = &*keys;
  }
  result<int> code = exit_failed;
  {
    watch_session session(on, id, choice, signals, *screen, input);
    code = session.follow();
  }
  screen = nullptr;
  if (!code && choice.json)
    say_json_error(code.error());
  if (!code)
    return on.refuse(code.error());
  return exit_code_of(*code, all_written(out));
}

} // namespace troupe
