#include "apps/run/run_screen.hpp"

#include "apps/run/json_events.hpp"
#include "apps/run/run_report.hpp"
#include "apps/run/run_timing.hpp"
#include "apps/run/tree_view.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/text/counted.hpp"
#include "protocol/text/text.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace {

constexpr std::size_t prompt_lines_max = 6;
constexpr std::size_t choices_shown_max = 8;

/// As wide as the terminal is now.
ending_options on_screen(ending_options options) {
  options.columns = stdout_width();
  return options;
}

/// As many as leave room for the tree.
std::vector<std::string> shown_choices(const std::vector<std::string>& all) {
  if (all.size() <= choices_shown_max)
    return all;
  std::vector<std::string> out(all.begin(), all.begin() + choices_shown_max - 1);
  out.push_back("  ... " + counted(all.size() - out.size(), "more choice"));
  return out;
}

class tree_screen final : public run_screen {
public:
  tree_screen(output& out, tree_options options) : out_(out), options_(options), block_(out) {}

  void on_change(const change&, const run_model&) override {}

  void refresh(const run_model& model, const std::optional<prompt_view>& question,
               timestamp now) override {
    const auto size = size_of(out_.descriptor());
    // The last column and row stay free: writing there makes some terminals wrap or scroll.
    const std::size_t width = std::max<std::size_t>(size.columns, 2) - 1;
    std::size_t height = std::max<std::size_t>(size.rows, 2) - 1;
    int cursor = -1;
    std::vector<std::string> asked;
    if (question) {
      asked = prompt_lines(*question, width, height, cursor);
      height -= asked.size();
    }
    auto lines = draw_tree(model, {width, height, options_.ending.colour, options_.unicode}, now);
    for (auto& each : asked)
      lines.push_back(std::move(each));
    block_.draw(lines, size.columns, cursor);
  }

  void notice(const std::string& line) override {
    for (const auto& each : complaint(line, size_of(out_.descriptor()).columns))
      block_.print_above(each + "\r\n");
  }

  void finish(const run_model& model, const run_ending& ending, timestamp now) override {
    refresh(model, std::nullopt, now);
    block_.leave();
    out_.write(ending_text(model, ending, now, on_screen(options_.ending)));
    out_.flush();
  }

  bool is_animated() const override { return true; }
  bool has_prompt() const override { return true; }

private:
  std::string shown(std::string_view text) const {
    std::string clean = clean_line(text);
    return options_.unicode ? clean : to_ascii(clean);
  }

  /// At most `height` lines: what is typed first of all, then the question, then whose it is.
  std::vector<std::string> prompt_lines(const prompt_view& question, std::size_t width,
                                        std::size_t height, int& cursor) const {
    std::string head = "? " + shown(question.place);
    if (question.more > 0)
      head += " (" + std::to_string(question.more) + " more behind it)";
    const std::string_view dots = options_.unicode ? "…" : "~";
    auto out = wrapped(shown(question.prompt), width, 0, wide_word::breaks);
    out.resize(std::min(out.size(), prompt_lines_max));
    for (const auto& each : shown_choices(question.form))
      out.push_back(cut_to(shown(each), width, dots));
    out.resize(std::min(out.size(), height - 1));
    if (out.size() + 1 < height)
      out.insert(out.begin(),
                 render_line({{head, style::yellow}}, width, options_.ending.colour, dots));
    // The end of a long line is what the person is typing.
    std::string typed = question.secret ? std::string(display_width(question.typed), '*')
                                        : clean_line(question.typed);
    const std::size_t room = width > 4 ? width - 4 : 1;
    while (display_width(typed) > room) {
      std::size_t bytes = 1;
      while (bytes < typed.size() && continues_utf8(typed[bytes]))
        ++bytes;
      typed.erase(0, bytes);
    }
    out.push_back("> " + typed);
    cursor = static_cast<int>(2 + display_width(typed));
    return out;
  }

  output& out_;
  tree_options options_;
  live_block block_;
};

/// Prints questions on standard error, once each.
class plain_screen : public run_screen {
public:
  explicit plain_screen(output& out) : out_(out) {}

  void refresh(const run_model&, const std::optional<prompt_view>& question, timestamp) override {
    out_.flush();
    if (question && (question->place != asked_.place || question->prompt != asked_.prompt)) {
      output err(STDERR_FILENO);
      err.write("? " + clean_line(question->place) + ": " + clean_line(question->prompt) + "\n");
      for (const auto& line : question->form)
        err.write(line + "\n");
      err.write("> ");
    }
    asked_ = question ? *question : prompt_view{};
  }

  void notice(const std::string& line) override {
    out_.flush();
    complain(line);
  }

protected:
  output& out_;

private:
  prompt_view asked_;
};

class lines_screen final : public plain_screen {
public:
  lines_screen(output& out, ending_options options) : plain_screen(out), options_(options) {}

  void on_change(const change& change, const run_model& model) override {
    std::string text;
    append_state_lines(text, change, model);
    out_.write(text);
  }

  void finish(const run_model& model, const run_ending& ending, timestamp now) override {
    out_.write(ending_text(model, ending, now, on_screen(options_)));
    out_.flush();
  }

private:
  ending_options options_;
};

class json_screen final : public plain_screen {
public:
  using plain_screen::plain_screen;

  void on_change(const change& change, const run_model& model) override {
    std::string text;
    append_json_events(text, change, model);
    out_.write(text);
  }

  void finish(const run_model& model, const run_ending&, timestamp now) override {
    std::string text;
    append_json_summary(text, model, now, measured_critical_path(model));
    out_.write(text);
    out_.flush();
  }
};

class quiet_screen final : public plain_screen {
public:
  quiet_screen(output& out, ending_options options) : plain_screen(out), options_(options) {}

  void on_change(const change&, const run_model&) override {}

  void finish(const run_model& model, const run_ending& ending, timestamp now) override {
    out_.write(ending_text(model, ending, now, on_screen(options_)));
    out_.flush();
  }

private:
  ending_options options_;
};

} // namespace

prompt_view prompt_for(const run_model& model, const open_question& question,
                       const question_form& form, std::string typed) {
  return {place_of(model, question.plan, question.index),
          question.prompt,
          form.lines,
          std::move(typed),
          model.questions().size() - 1,
          question.auth};
}

std::unique_ptr<run_screen> make_tree_screen(output& out, tree_options options) {
  return std::make_unique<tree_screen>(out, options);
}

std::unique_ptr<run_screen> make_lines_screen(output& out, ending_options options) {
  return std::make_unique<lines_screen>(out, options);
}

std::unique_ptr<run_screen> make_json_screen(output& out) {
  return std::make_unique<json_screen>(out);
}

std::unique_ptr<run_screen> make_quiet_screen(output& out, ending_options options) {
  return std::make_unique<quiet_screen>(out, options);
}

std::string ending_text(const run_model& model, const run_ending& ending, timestamp now,
                        const ending_options& options) {
  std::string out;
  append_results(out, ending, options);
  append_failures(out, ending, options);
  const auto last = ending.timing + usage_text(ending.usage)
                    + summary_text(model, now, measured_critical_path(model));
  return out + fit_lines(last, options.columns);
}

} // namespace troupe
