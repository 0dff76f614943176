#include "apps/run/run_session.hpp"

#include "apps/options.hpp"
#include "apps/run/run_mending.hpp"
#include "apps/run/run_report.hpp"
#include "apps/terminal/shown_name.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/fold/waiting.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/given_answers.hpp"
#include <troupe/store/await.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto frame_interval = 100ms;
constexpr auto run_look_interval = 1s; ///< Between two looks at what the store says of its disk.
/// Between two entries of how far the run is, so that a process that dies leaves what is true.
constexpr auto run_keep_interval = 250ms;
constexpr auto cancel_silence = 1s; ///< A cancel that is recorded by then is not spoken of.
/// Beyond the agents' own grace, for the record of the end.
constexpr auto cancel_margin = 3s;

/// What was left, to go on with at most `parallel_max` tasks at once; 0: as it was begun. The
/// record stays as it is.
objective_ptr limited(const objective_ptr& left, std::uint32_t parallel_max) {
  if (parallel_max == 0)
    return left;
  auto out = std::make_shared<objective_view>(*left);
  out->parallel_max = parallel_max;
  return out;
}

} // namespace

run_session::run_session(gateway& main_gateway, std::shared_ptr<inbox> in, stop_signals& signals,
                         run_screen& screen, prepared_answers answers, input_choice input,
                         executor_options limits, session_hooks hooks)
    : gateway_(main_gateway), operations_(main_gateway), in_(std::move(in)), signals_(signals),
      screen_(screen),
      news_(std::make_unique<run_news>(
          in_, screen.is_animated(),
          std::make_shared<feed_budget>(feed_bytes_total_max, main_gateway.memory()))),
      answers_(std::move(answers)), input_(input), limits_(std::move(limits)),
      hooks_(std::move(hooks)) {}

// -- begin and end --------------------------------------------------------------------------------

result<int> run_session::run(objective_spec_ptr spec) {
  create_objective command;
  command.spec = *std::exchange(spec, nullptr); // its only owner, so that no plan is copied
  command.start = true;
  operations_.create(std::move(command), news_->feed_to_begin(),
                     [this, in = in_, begun = hooks_.begun](result<objective_ptr> done) {
                       if (!done)
                         return in->post([this, why = done.error()] { refused_ = why; });
                       if (begun)
                         begun(*done);
                       in->post([this] { news_->begin(); });
                     });
  return follow();
}

result<int> run_session::resume(const objective_id& id) {
  return go_on(id, true);
}

result<int> run_session::retry(const objective_id& id, const mended_run& mended) {
  const auto move_to = [&](objective_state state) {
    update_objective again;
    again.id = id;
    again.state = state;
    return await_read<objective_ptr>(
        [&](auto done) { operations_.update(std::move(again), std::move(done)); });
  };
  const auto renewed = move_to(objective_state::submitted);
  if (!renewed)
    return make_error(renewed.error().code,
                      "the run " + id.str() + " cannot be done again: " + renewed.error().message);
  if (const auto changed = change_renewed(operations_, id, mended); !changed) {
    // Else `--resume` would go on with the plan as it was.
    [[maybe_unused]] const auto ended = move_to(objective_state::canceled);
    return make_error(changed.error().code, "the run " + id.str()
                                                + " does not take the plan as the file has it now: "
                                                + changed.error().message);
  }
  return go_on(id, false);
}

result<int> run_session::go_on(const objective_id& id, bool is_recovered) {
  const auto found = await_read<objective_ptr>([&](auto done) {
    operations_.follow({.who = {}, .id = id}, news_->feed_to_begin(), std::move(done));
  });
  if (!found)
    return make_error(found.error().code,
                      "the run " + id.str() + " cannot be resumed: " + found.error().message);
  const auto& now = *found;
  if (hooks_.begun)
    hooks_.begun(now);
  news_->begin();
  model_.reset(*now);
  read_times(model_, gateway_.records(), *now);
  if (is_recovered) {
    recovered one;
    one.objectives.push_back(limited(now, limits_.parallel_max));
    gateway_.resume(one);
  }
  const bool is_paused = now->paused || std::ranges::any_of(now->plans, &plan_view::paused);
  if (is_paused || now->state == objective_state::submitted
      || now->state == objective_state::planning) {
    update_objective start;
    start.id = now->id;
    start.state = objective_state::working;
    operations_.update(std::move(start), [this, in = in_](result<objective_ptr> done) {
      if (!done)
        in->post([this, why = done.error()] { refused_ = why; });
    });
  }
  return follow();
}

bool run_session::over() const {
  return refused_ || ending_ == ending::needs_input
         || (!model_.id().empty() && is_settled(model_.state())
             && (!cancel_sent_ || cancel_answered_))
         || limits_.time->steady() >= give_up_at_;
}

result<int> run_session::follow() {
  while (!over()) {
    wait();
    mind_signals();
    take_in();
    mind_questions();
    read_input();
    look_at_store();
    look_at_cancel();
    keep_progress();
    refresh();
  }
  if (refused_)
    return *refused_;
  news_ = nullptr;
  if (!is_settled(model_.state()) && ending_ == ending::by_person)
    screen_.notice("gave up waiting for the cancellation; the run is left unfinished in the record"
                   + (hooks_.resume_command.empty() ? std::string{}
                                                    : "; `" + hooks_.resume_command + "` goes on"));
  const auto ended = await_objective(gateway_.records(), model_.id());
  const auto shown = ended ? hooks_.read_ending(**ended) : run_ending{};
  hooks_.keep(model_, true);
  end_within(close_bound, exit_code_now(), "the record could not be closed in time");
  screen_.finish(model_, shown, limits_.time->now());
  return exit_code_now();
}

int run_session::exit_code_now() const {
  if (model_.state() == objective_state::completed)
    return exit_ok;
  if (model_.state() == objective_state::failed)
    return exit_failed;
  return ending_ == ending::needs_input ? exit_needs_input : exit_canceled;
}

// -- one turn -------------------------------------------------------------------------------------

void run_session::wait() {
  std::array<pollfd, 3> waits{pollfd{in_->descriptor(), POLLIN, 0},
                              pollfd{signals_.descriptor(), POLLIN, 0},
                              pollfd{asked_ != 0 ? input_.descriptor : -1, POLLIN, 0}};
  const std::chrono::milliseconds timeout = screen_.is_animated() ? frame_interval
                                            : keep_due_           ? run_keep_interval
                                                                  : run_look_interval;
  ::poll(waits.data(), waits.size(), static_cast<int>(timeout.count()));
}

void run_session::mind_signals() {
  signals_.clear();
  if (signals_.take_continued() && input_.keys != nullptr) {
    input_.keys->renew();
    dirty_ = true;
  }
  if (signals_.stop_requested())
    cancel(ending::by_person);
}

void run_session::take_in() {
  const auto posted = in_->take();
  for (const auto& each : posted)
    each();
  dirty_ = dirty_ || !posted.empty();
  look_at_answers();
  take_news();
  if (ending_ != ending::none && !cancel_sent_ && !model_.id().empty())
    send_cancel();
}

void run_session::take_news() {
  const auto news = news_->take(limits_.time->steady());
  if (!news && !news_stuck_)
    screen_.notice("what has happened cannot be read back, so nothing more is shown for now: "
                   + news.error().message);
  news_stuck_ = !news;
  if (!news)
    return;
  if (news->anew)
    model_.reset(*news->anew);
  for (const auto& each : news->changes) {
    model_.apply(*each);
    screen_.on_change(*each, model_);
  }
  dirty_ = dirty_ || news->anew || !news->changes.empty();
  keep_due_ = keep_due_ || news->anew || !news->changes.empty();
  if (news->more)
    in_->wake();
}

void run_session::look_at_store() {
  const auto now = limits_.time->steady();
  if (now - last_look_ < run_look_interval)
    return;
  last_look_ = now;
  const auto status = gateway_.records().status();
  if (!status.writable && !store_stuck_)
    screen_.notice("the run waits because the store cannot write: " + status.problem);
  if (status.writable && store_stuck_)
    screen_.notice("the store can write again; the run continues");
  store_stuck_ = !status.writable;
}

void run_session::look_at_cancel() {
  const bool waits = ending_ == ending::by_person;
  if (!waits || wait_is_shown_ || limits_.time->steady() - canceled_at_ < cancel_silence)
    return;
  wait_is_shown_ = true;
  if (is_settled(model_.state()))
    return screen_.notice("waiting for agents elsewhere to take the cancel; Ctrl-C again ends at "
                          "once");
  screen_.notice("the cancel is not yet recorded; Ctrl-C again ends at once"
                 + (hooks_.resume_command.empty()
                        ? std::string{}
                        : ", and `" + hooks_.resume_command + "` goes on"));
}

void run_session::keep_progress() {
  const auto now = limits_.time->steady();
  if (!keep_due_ || now - last_keep_ < run_keep_interval)
    return;
  last_keep_ = now;
  keep_due_ = false;
  hooks_.keep(model_, false);
}

void run_session::refresh() {
  const auto now = limits_.time->steady();
  if (screen_.is_animated() ? now - last_frame_ < frame_interval && asked_ == 0 : !dirty_)
    return;
  last_frame_ = now;
  dirty_ = false;
  std::optional<prompt_view> prompt;
  if (const auto* question = asked_ != 0 ? next_question() : nullptr)
    prompt = prompt_for(model_, *question, form_, editor_.text());
  screen_.refresh(model_, prompt, limits_.time->now());
}

// -- questions ------------------------------------------------------------------------------------

const open_question* run_session::next_question() const {
  for (const auto& each : model_.questions())
    if (!answered_.contains(each.number))
      return &each;
  return nullptr;
}

void run_session::mind_questions() {
  if (ending_ != ending::none) {
    asked_ = 0;
    return;
  }
  for (const auto& each : model_.questions()) {
    if (answered_.contains(each.number))
      continue;
    if (const auto named = answers_.take_given(each.task, each.question)) {
      give_answer(each, *named);
      continue;
    }
    const auto& spec = model_.plans()[each.plan].spec->tasks[each.index];
    if (auto given = answers_.take(spec, each.task, each.question)) {
      auto prepared = given->names_question ? std::nullopt : std::optional(given->text);
      give_answer(each, std::move(given->text), std::move(prepared));
      continue;
    }
    if (input_.descriptor < 0)
      tell_nobody_answers(each);
  }
  if (input_.descriptor < 0 && waits_for_answers_only())
    return end_unanswered();
  const auto* next = input_.descriptor < 0 ? nullptr : next_question();
  const auto number = next == nullptr ? 0 : next->number;
  if (number != asked_ && number != 0) {
    editor_ = line_editor{};
    form_ = read_form(next->task);
    forget_typed(input_.descriptor);
  }
  dirty_ = dirty_ || number != asked_;
  asked_ = number;
}

/// What the open question of the task leaves to choose.
question_form run_session::read_form(const task_id& task) const {
  const auto record = await_task(gateway_.records(), task);
  return record && (*record)->question ? form_of((*record)->question->form) : question_form{};
}

void run_session::tell_nobody_answers(const open_question& question) {
  if (!shown_.insert(question.number).second)
    return;
  const auto& spec = model_.plans()[question.plan].spec->tasks[question.index];
  screen_.notice(place_of(model_, question.plan, question.index) + " asks "
                 + troupe::quoted(question.prompt)
                 + " and nobody is there to answer. Answer it beforehand with --answer \""
                 + (spec.key.empty() ? shown_name(spec, question.index) : spec.key) + "=TEXT\"");
}

/// Nothing else of the run can go on.
bool run_session::waits_for_answers_only() const {
  return !model_.questions().empty() && sent_answers_.empty()
         && (model_.state() == objective_state::blocked || is_held_up())
         && std::ranges::none_of(model_.questions(), [this](const open_question& each) {
              return answered_.contains(each.number);
            });
}

/// No task works, and those that could begin wait for the slots of agents that tasks which ask
/// hold.
bool run_session::is_held_up() const {
  if (model_.counts().working > 0)
    return false;
  const auto& agents = gateway_.agents();
  const auto& view = model_.view();
  std::map<std::string, std::uint32_t> asking; // by agent
  std::set<std::string> wanted;                // agents
  for (std::uint32_t p = 0; p < view.plans.size(); ++p)
    for (std::uint32_t t = 0; t < view.plans[p].tasks.size(); ++t) {
      const auto waits = waiting_for(view, p, t);
      const auto& agent = agents.name_or_default(view.plans[p].spec->tasks[t].agent);
      if (waits == waiting_reason::question)
        ++asking[agent];
      else if (waits == waiting_reason::backoff)
        return false;
      else if (waits == waiting_reason::slot)
        wanted.insert(agent);
    }
  return !wanted.empty() && std::ranges::all_of(wanted, [&](const std::string& name) {
    const auto doer = agents.find(name);
    return doer && doer->parallel_max() > 0 && asking[name] >= doer->parallel_max();
  });
}

/// The run stays unfinished in its record.
void run_session::end_unanswered() {
  ending_ = ending::needs_input;
  asked_ = 0;
}

void run_session::read_input() {
  if (asked_ == 0)
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
    input_.descriptor = -1; // the keyboard is gone: mind_questions sees that no person is there
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
  // What was pasted behind this line is no answer to the next question: it was not shown yet.
  // Before it is shown, all that is forgotten.
  mind_questions();
}

void run_session::give_answer(const open_question& question, std::string text,
                              std::optional<std::string> prepared) {
  send_message command;
  command.question = question.question; // Another one does not take it.
  auto& said = command.message;
  said.message_id = thread_id_source().next("msg");
  said.from = role::user;
  said.task_id = question.task.str();
  said.parts.push_back(text_part(std::move(text)));
  send_answer(question, std::move(command), std::move(prepared));
}

/// As inputs/answer of a server gives it.
void run_session::give_answer(const open_question& question, const answer_input& given) {
  send_message command;
  command.question = given.id;
  command.action = given.action;
  command.by = given.by;
  command.message = message_of(given, question.task, thread_id_source().next("msg"));
  send_answer(question, std::move(command), std::nullopt);
}

void run_session::send_answer(const open_question& question, send_message command,
                              std::optional<std::string> prepared) {
  answered_.insert(question.number);
  command.message.context_id = model_.id().str();
  send_request request;
  request.command = std::move(command);
  sent_answers_.push_back({question.number,
                           operations_.send(std::move(request), [in = in_] { in->wake(); }),
                           question.task, std::move(prepared)});
}

/// Those that were not taken are asked for again.
void run_session::look_at_answers() {
  std::erase_if(sent_answers_, [this](const sent_answer& each) {
    const auto outcome = each.sending->poll(false);
    if (!outcome)
      return false;
    each.sending->end();
    if (*outcome)
      return true;
    const auto& why = outcome->error();
    const bool came_late = why.code == errc::no_question || why.code == errc::already_answered
                           || why.code == errc::input_expired || why.code == errc::input_withdrawn;
    if (came_late && each.prepared) // its task asks anew after a resume
      answers_.give_back(each.task, *each.prepared);
    if (came_late || why.code == errc::unsupported_operation)
      return true; // Answered by another, or over.
    screen_.notice("the answer was not taken: " + why.message);
    answered_.erase(each.question);
    dirty_ = true;
    return true;
  });
}

// -- cancel ---------------------------------------------------------------------------------------

void run_session::cancel(ending why) {
  if (ending_ != ending::none)
    return;
  ending_ = why;
  canceled_at_ = limits_.time->steady();
  dirty_ = true;
  give_up_at_ = limits_.time->steady() + limits_.cancel_grace + cancel_margin;
  if (!model_.id().empty())
    send_cancel();
}

void run_session::send_cancel() {
  cancel_sent_ = true;
  update_objective command;
  command.id = model_.id();
  command.state = objective_state::canceled;
  operations_.update(std::move(command), [this, in = in_](result<objective_ptr> done) {
    in->post([this, done = std::move(done)] {
      cancel_answered_ = true;
      if (done)
        show_leaves((*done)->metadata);
      else if (done.error().code != errc::invalid_transition) // else it ended by itself meanwhile
        screen_.notice("canceling failed: " + done.error().message);
    });
  });
}

/// Those that may go on.
void run_session::show_leaves(const boost::json::object& metadata) {
  for (const auto& line : leaf_lines(metadata))
    screen_.notice("not canceled: " + line.text
                   + (line.is_refused ? std::string{} : hooks_.cancel_advice));
}

} // namespace troupe
