// How a run shows itself: as a live tree, as lines, as JSON, or not at all until the end. The
// session tells it what happened; it decides what to print. One thread.
#pragma once

#include "apps/run/question_form.hpp"
#include "apps/run/run_ending.hpp"
#include "apps/run/run_model.hpp"
#include "apps/terminal/terminal.hpp"
#include <troupe/protocol/event.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// The question being asked at the prompt.
struct prompt_view {
  std::string place;             ///< `Travel / Choose a flight`
  std::string prompt;            ///< What the agent asks.
  std::vector<std::string> form; ///< question_form::lines
  std::string typed;             ///< What the person has typed.
  std::size_t more = 0;          ///< Further questions behind it.
  bool secret = false;           ///< Credentials: what is typed is not shown.
};

/// `typed`: so far.
[[nodiscard]] prompt_view prompt_for(const run_model& model, const open_question& question,
                                     const question_form& form, std::string typed);

class run_screen {
public:
  virtual ~run_screen() = default;
  /// `model` has seen `change`.
  virtual void on_change(const change& change, const run_model& model) = 0;
  /// After each batch of changes, each frame, and each key.
  virtual void refresh(const run_model& model, const std::optional<prompt_view>& question,
                       timestamp now) = 0;
  /// Something to tell besides (on standard error unless it would tear the picture).
  virtual void notice(const std::string& line) = 0;
  /// The end, and what there is to show of it.
  virtual void finish(const run_model& model, const run_ending& ending, timestamp now) = 0;
  /// Wants `refresh` now and then although nothing happens.
  [[nodiscard]] virtual bool is_animated() const { return false; }
  /// The person sees the prompt on this screen and types without echo.
  [[nodiscard]] virtual bool has_prompt() const { return false; }
};

struct tree_options {
  bool unicode = true;
  ending_options ending; ///< With the colour of everything.
};

[[nodiscard]] std::unique_ptr<run_screen> make_tree_screen(output& out, tree_options options);
[[nodiscard]] std::unique_ptr<run_screen> make_lines_screen(output& out, ending_options options);
[[nodiscard]] std::unique_ptr<run_screen> make_json_screen(output& out);
/// Only the end.
[[nodiscard]] std::unique_ptr<run_screen> make_quiet_screen(output& out, ending_options options);

/// The results, why tasks failed, and the summary: how `run` and `show` end.
[[nodiscard]] std::string ending_text(const run_model& model, const run_ending& ending,
                                      timestamp now, const ending_options& options);

} // namespace troupe
