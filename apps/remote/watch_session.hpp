// Follows an objective of a server until it ends: the tree, the lines and the questions of `run`,
// fed from far away. Everything happens on the thread that calls `follow`.
#pragma once

#include "apps/remote/objective_feed.hpp"
#include "apps/remote/remote_options.hpp"
#include "apps/remote/server_link.hpp"
#include "apps/run/inbox.hpp"
#include "apps/run/line_editor.hpp"
#include "apps/run/question_form.hpp"
#include "apps/run/run_model.hpp"
#include "apps/run/run_screen.hpp"
#include "apps/run/run_session.hpp"
#include "apps/signals.hpp"
#include "protocol/a2a/answer_reading.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// Which questions a person has been shown. A task whose server starts anew may ask its question
/// again, and a snapshot numbers all questions anew: neither is shown again.
class shown_questions {
public:
  /// The open questions that are to be shown now.
  [[nodiscard]] std::vector<open_question> take_new(const std::vector<open_question>& open);
  /// The changes were interrupted: a question that was shown may come back with another number.
  void on_break();

private:
  using key = std::pair<std::string, std::string>; ///< The task, and what it asks.
  struct shown_question {
    std::uint64_t number = 0;
    bool may_come_back = false;
  };
  std::map<key, shown_question> shown_;
};

class watch_session {
public:
  watch_session(const server_link& on, std::string id, const watch_choice& choice,
                stop_signals& signals, run_screen& screen, input_choice input);

  /// The exit code; an error if the server refuses, or the connection is lost for good.
  [[nodiscard]] result<int> follow();

private:
  enum class ending : unsigned char { none, left, needs_input };

  [[nodiscard]] bool over() const;
  [[nodiscard]] result<int> end();
  void wait();
  void take_news();
  void begin_new(const objective_view& made);
  void mind_signals();
  void mind_questions();
  [[nodiscard]] bool may_be_held_up() const;
  /// Ends watching if only an answer can help, although the objective is not blocked.
  void look_whether_held_up();
  void ask_for_form(const open_question& question);
  void take_form(std::uint64_t question, const boost::json::value& inputs);
  void read_input();
  /// Of the tasks that have ended in `view`: read beside the drawing, page by page.
  void ask_for_earlier_times(const objective_view& view);
  void ask_for_times(const std::string& page_token, std::size_t pages_left);
  void take_times(const wire::task_page& page);
  void give_answer(const open_question& question, std::string text);
  void refresh();
  [[nodiscard]] const open_question* next_question() const;

  const server_link& on_;
  const std::string id_;
  const watch_choice& choice_;
  stop_signals& signals_;
  run_screen& screen_;
  input_choice input_;
  std::shared_ptr<inbox> in_ = std::make_shared<inbox>();
  objective_feed feed_;
  run_model model_;
  line_editor editor_;
  std::optional<error> failed_;
  ending ending_ = ending::none;
  bool dirty_ = true;
  bool has_begun_ = false; ///< What is new was asked to begin.
  /// Ended tasks whose times are not known: plan and index, by id.
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> untimed_;
  std::uint64_t times_asked_ = 0;    ///< Which snapshot they are of.
  std::set<std::uint64_t> answered_; ///< Questions whose answer is under way, by number.
  shown_questions shown_;            ///< Those that nobody here answers.
  timestamp looked_{};               ///< When it was last looked whether it is held up.
  int times_held_up_ = 0;            ///< One after the other, without news between them.
  std::uint64_t asked_ = 0;          ///< The question at the prompt; 0: none.
  question_form form_;               ///< Of that question, once the server has said it.
};

/// Watches it with what `choice` says, and reports errors. The exit code.
[[nodiscard]] int watch_objective(const server_link& on, const std::string& id,
                                  const watch_choice& choice);

} // namespace troupe
