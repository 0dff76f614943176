// Follows one objective from its start to its end: takes the committed changes in, keeps the model,
// draws, asks the person, answers, cancels. The poll loop of `troupe run`; everything happens on
// the thread that calls `follow`.
#pragma once

#include "actors/service/service.hpp"
#include "apps/plan/mended_plan.hpp"
#include "apps/run/answers.hpp"
#include "apps/run/inbox.hpp"
#include "apps/run/line_editor.hpp"
#include "apps/run/question_form.hpp"
#include "apps/run/run_news.hpp"
#include "apps/run/run_screen.hpp"
#include "apps/signals.hpp"
#include "apps/terminal/terminal.hpp"
#include <troupe/actors/gateway.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// Where answers come from besides `--answer`.
struct input_choice {
  int descriptor = -1;       ///< Of the person's keyboard; negative: there is none.
  key_input* keys = nullptr; ///< Set if the screen shows the prompt and the terminal does not echo.
};

/// What a session does beside following the run.
struct session_hooks {
  /// Reads what the screen shows of a run that has ended, or that is left.
  std::function<run_ending(const objective_view& ended)> read_ending;
  /// Keeps how far the run is: now and then, and when it has ended or is left.
  std::function<void(const run_model& now, bool is_end)> keep;
  /// The objective is there, before any of its programs is heard. On any thread.
  std::function<void(const objective_ptr& begun)> begun;
  std::string resume_command; ///< What goes on with the run after a forced end; empty: nothing.
  /// What becomes of a cancel that an agent elsewhere has not answered, as the end of a line.
  std::string cancel_advice;
};

class run_session {
public:
  run_session(gateway& main_gateway, std::shared_ptr<inbox> in, stop_signals& signals,
              run_screen& screen, prepared_answers answers, input_choice input,
              executor_options limits, session_hooks hooks);

  /// Creates the objective, starts it and follows it. The exit code; an error if it was refused
  /// (nothing was run).
  [[nodiscard]] result<int> run(objective_spec_ptr spec);
  /// Goes on with one that an earlier process left unfinished.
  [[nodiscard]] result<int> resume(const objective_id& id);
  /// Does again what did not complete in one that failed or was canceled, after it was changed as
  /// `mended` says. If the change is refused, the objective is canceled again.
  [[nodiscard]] result<int> retry(const objective_id& id, const mended_run& mended);

private:
  using steady = std::chrono::steady_clock;
  enum class ending : unsigned char { none, by_person, needs_input };

  result<int> go_on(const objective_id& id, bool is_recovered);
  result<int> follow();
  [[nodiscard]] bool over() const;
  [[nodiscard]] int exit_code_now() const;
  void wait();
  void take_in();
  void take_news();
  void look_at_store();
  void look_at_cancel();
  void keep_progress();
  void mind_signals();
  void mind_questions();
  void read_input();
  /// `prepared`: its text, if it was given beforehand and another question of the task may take it.
  void give_answer(const open_question& question, std::string text,
                   std::optional<std::string> prepared = std::nullopt);
  void give_answer(const open_question& question, const answer_input& given);
  void send_answer(const open_question& question, send_message command,
                   std::optional<std::string> prepared);
  void cancel(ending why);
  void send_cancel();
  void show_leaves(const boost::json::object& metadata);
  void look_at_answers();
  void refresh();
  [[nodiscard]] question_form read_form(const task_id& task) const;
  void tell_nobody_answers(const open_question& question);
  [[nodiscard]] bool waits_for_answers_only() const;
  [[nodiscard]] bool is_held_up() const;
  void end_unanswered();
  /// The question to put to the person: the oldest whose answer is not under way; null if there is
  /// none.
  [[nodiscard]] const open_question* next_question() const;

  /// An answer on its way to its task.
  struct sent_answer {
    std::uint64_t question = 0; ///< By number.
    std::shared_ptr<pending_send> sending;
    task_id task;
    std::optional<std::string> prepared; ///< See give_answer.
  };

  gateway& gateway_;
  const service operations_;
  std::shared_ptr<inbox> in_;
  stop_signals& signals_;
  run_screen& screen_;
  std::unique_ptr<run_news> news_;
  prepared_answers answers_;
  input_choice input_;
  executor_options limits_;
  session_hooks hooks_;
  run_model model_;
  line_editor editor_;
  std::optional<error> refused_;
  ending ending_ = ending::none;
  bool cancel_sent_ = false;
  bool cancel_answered_ = false; ///< With how the agents elsewhere took it.
  bool dirty_ = true;
  bool store_stuck_ = false;
  bool news_stuck_ = false;
  bool wait_is_shown_ = false;       ///< That the cancellation waits for programs.
  bool keep_due_ = false;            ///< Something has happened that is not kept yet.
  std::set<std::uint64_t> answered_; ///< Questions whose answer is under way, by number.
  std::set<std::uint64_t> shown_;    ///< Questions that nobody answers, by number.
  std::vector<sent_answer> sent_answers_;
  std::uint64_t asked_ = 0; ///< The question at the prompt; 0: none.
  question_form form_;      ///< Of that question.
  steady::time_point give_up_at_ = steady::time_point::max();
  steady::time_point last_frame_{};
  steady::time_point last_look_{};
  steady::time_point last_keep_{};
  steady::time_point canceled_at_{};
};

} // namespace troupe
