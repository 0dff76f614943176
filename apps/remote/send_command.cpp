// `troupe send`: a message to an agent, and its answer as it comes.
#include "apps/remote/answer_view.hpp"
#include "apps/remote/remote_commands.hpp"
#include "apps/remote/server_link.hpp"
#include "apps/signals.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/terminal/text.hpp"
#include "apps/text_file.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/text/media_type.hpp"
#include "protocol/text/text.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace troupe {

namespace {

/// Between two looks at a task of an agent that does not stream.
constexpr std::chrono::milliseconds look_interval{1'000};
/// Of these, at a task that shows the question to which the answer was sent.
constexpr std::size_t old_question_looks_max = 10;

/// What is not known is sent as bytes.
std::string type_of_file(const std::string& path) {
  const auto known = media_type_of_name(path);
  return std::string(known.empty() ? "application/octet-stream" : known);
}

/// A message without parts. `task`, `context`: may be empty.
wire::sending sending_to(const std::string& task, const std::string& context) {
  wire::sending out;
  out.message.message_id = thread_id_source().next("msg");
  out.message.from = role::user;
  out.message.task_id = task;
  out.message.context_id = context;
  return out;
}

/// Errors: those of reading; parse_error.
result<wire::sending> message_of(const send_options& options) {
  auto out = sending_to(options.task, options.context);
  auto& parts = out.message.parts;
  if (options.text) {
    auto text = *options.text;
    if (text == "-") {
      auto read = read_text("-");
      if (!read)
        return read.error();
      text = std::move(*read);
    }
    if (!is_utf8(text))
      return make_error(errc::invalid_params, "the text is not UTF-8; --file sends bytes");
    if (text.empty() && options.text == "-")
      return make_error(errc::invalid_params, "standard input has no text to be sent");
    parts.push_back(text_part(std::move(text)));
  }
  for (const auto& path : options.files) {
    auto bytes = read_text(path);
    if (!bytes)
      return bytes.error();
    part file{raw_content{std::move(*bytes)}, type_of_file(path), {}, {}};
    file.filename = std::filesystem::path(path).filename().string();
    parts.push_back(std::move(file));
  }
  for (const auto& text : options.data) {
    boost::system::error_code failed;
    auto tree = parse_json(text, failed);
    if (failed)
      return make_error(errc::parse_error, "--data is no JSON: " + json_fault(failed));
    parts.push_back(data_part(std::move(tree)));
  }
  if (parts.empty())
    return make_error(errc::invalid_params, "what is to be sent? TEXT, --file or --data");
  return out;
}

bool is_over(task_state state) {
  return is_terminal(state) || is_interrupted(state);
}

/// What one command shows.
class answer_printer {
public:
  /// `is_conversation`: the person answers at the prompt.
  answer_printer(const server_link& on, const send_options& options, bool is_conversation)
      : on_(on), options_(options), is_conversation_(is_conversation),
        view_(::isatty(STDOUT_FILENO) == 1), out_(STDOUT_FILENO), err_(STDERR_FILENO) {}

  void show(const wire::answer& read) {
    const auto news = view_.show(read);
    if (options_.json) {
      out_.write(event_json(read) + "\n");
    } else {
      out_.write(news.output);
      err_.write(news.notes);
    }
    out_.flush();
    err_.flush();
    const bool goes_on = !view_.task().empty() && !is_over(view_.state());
    words_.set(goes_on ? "\ntroupe: the task " + clean_line(view_.task())
                             + " goes on: " + on_.command("task " + clean_line(view_.task()))
                       : std::string{});
  }

  /// Says how it ended. The code for the process.
  [[nodiscard]] int end() {
    if (!options_.json)
      out_.write(view_.end());
    return exit_code_of(say_end(), all_written(out_));
  }

  [[nodiscard]] const answer_view& view() const { return view_; }

private:
  /// A task that goes on is named, so that it can be found again.
  [[nodiscard]] int say_end() const {
    const auto about = [&](const std::string& words) {
      complain("task " + view_.task() + " " + words);
    };
    const auto why = view_.said().empty() ? std::string{} : ": " + view_.said();
    switch (view_.state()) {
      case task_state::unspecified: return exit_ok; // A message, and no task.
      case task_state::completed:
        if (!options_.json && !is_conversation_ && ::isatty(STDERR_FILENO) == 1)
          about("completed");
        return exit_ok;
      case task_state::failed: about("failed" + why); return exit_failed;
      case task_state::rejected: about("was rejected" + why); return exit_failed;
      case task_state::canceled: about("was canceled" + why); return exit_canceled;
      case task_state::input_required:
      case task_state::auth_required:
        if (is_conversation_ && view_.state() == task_state::input_required) {
          output(STDERR_FILENO).write(clean_lines(view_.said()) + "\n");
          return exit_needs_input;
        }
        about((view_.state() == task_state::auth_required ? "asks for credentials" : "asks") + why);
        if (!is_conversation_)
          complain("answer with: `troupe send --server " + shell_word(on_.name) + " --task "
                   + view_.task() + " TEXT`");
        return exit_needs_input;
      case task_state::submitted:
      case task_state::working:
        about("goes on: " + on_.command("task " + view_.task()));
        return exit_ok;
    }
    return exit_failed;
  }

  const server_link& on_;
  const send_options& options_;
  const bool is_conversation_;
  answer_view view_;
  output out_;
  output err_;
  interrupt_words words_; ///< Ctrl-C ends the command, not the task.
};

/// The question of a task, to which a message goes; nothing if it does not ask, or cannot be read:
/// sending says then why.
std::optional<task_status> open_question_of(const server_link& on, const std::string& task) {
  if (task.empty())
    return std::nullopt;
  const auto found = on.client->get_task(task);
  return found && is_interrupted(found->status.state) ? std::optional(found->status) : std::nullopt;
}

/// Asks an agent that does not stream, until its task has ended or asks. `before`: what the task
/// asked before; an agent may show that for a moment still.
result<void> send_and_look(const server_link& on, const wire::sending& sent,
                           const std::optional<task_status>& before, answer_printer& to) {
  auto asked = sent;
  asked.waits = false; // An answer may take longer than a request lasts.
  const auto answered = on.client->send(asked);
  if (!answered)
    return answered.error();
  const auto* made = std::get_if<task>(&*answered);
  if (made == nullptr) {
    to.show(*answered);
    return {};
  }
  auto now = *made;
  for (std::size_t looks = 0;; ++looks) {
    if (looks >= old_question_looks_max || !before || !is_same_question(*before, now.status)) {
      const auto state = now.status.state;
      to.show(wire::answer{std::move(now)});
      if (is_over(state))
        return {};
    }
    ::poll(nullptr, 0, static_cast<int>(look_interval.count()));
    auto next = on.client->get_task(made->id.str());
    if (!next)
      return next.error();
    now = std::move(*next);
  }
}

result<void> send_and_stream(const server_link& on, const wire::sending& sent, answer_printer& to) {
  const auto words = say_breaks(on.name);
  const auto stream = on.client->send_streaming(sent, words.on_lost, words.on_resumed);
  if (!stream)
    return stream.error();
  for (;;) {
    const auto next = (*stream)->next();
    if (!next)
      return next.error();
    if (!*next)
      return {};
    to.show(**next);
  }
}

/// Sends one message and prints its answer. The code for the process.
int send_and_print(const server_link& on, const wire::sending& sent, bool streams,
                   answer_printer& to) {
  const auto done = streams
                        ? send_and_stream(on, sent, to)
                        : send_and_look(on, sent, open_question_of(on, sent.message.task_id), to);
  if (done)
    return to.end();
  const int code = on.refuse(done.error());
  if (const auto& id = to.view().task(); !id.empty())
    complain("the task may go on: " + on.command("task " + id));
  return code;
}

/// A person writes line by line, in one context; a task that asks gets the next line. Ctrl-D ends
/// it. The code of the last answer.
int converse(const server_link& on, const send_options& options, bool streams) {
  auto task = options.task;
  auto context = options.context;
  int code = exit_ok;
  if (const auto asked = open_question_of(on, task)) {
    if (asked->message)
      output(STDERR_FILENO).write(clean_lines(shown_parts(asked->message->parts)) + "\n");
    forget_typed(STDIN_FILENO); // It was typed before the question was shown.
    code = exit_needs_input;
  }
  for (;;) {
    output err(STDERR_FILENO);
    err.write("> ");
    err.flush();
    std::string line;
    if (!std::getline(std::cin, line)) {
      err.write("\n");
      return code;
    }
    if (line.empty())
      continue;
    auto sent = sending_to(task, context);
    sent.message.parts.push_back(text_part(valid_utf8(line)));
    answer_printer printer(on, options, true);
    code = send_and_print(on, sent, streams, printer);
    const auto& view = printer.view();
    if (!view.context().empty())
      context = view.context();
    if (view.state() != task_state::unspecified || code == exit_ok)
      task = is_interrupted(view.state()) ? view.task() : std::string{};
    if (!task.empty())
      forget_typed(STDIN_FILENO); // As above.
  }
}

} // namespace

int send_command(const send_options& given) {
  auto options = given;
  const bool is_empty = !options.text && options.files.empty() && options.data.empty();
  const bool converses = is_empty && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  if (is_empty && ::isatty(STDIN_FILENO) != 1)
    options.text = "-";
  std::optional<wire::sending> sent;
  if (!converses) {
    auto made = message_of(options);
    if (!made)
      return refuse_usage(made.error());
    sent = std::move(*made);
  }
  const auto on = link_to(options.server);
  if (!on)
    return refuse_usage(on.error());
  const auto card = on->client->card();
  if (!card)
    return on->refuse(card.error());
  const bool streams = card->capabilities.streaming.value_or(false);
  if (!sent)
    return converse(*on, options, streams);
  answer_printer printer(*on, options, false);
  return send_and_print(*on, *sent, streams, printer);
}

} // namespace troupe
