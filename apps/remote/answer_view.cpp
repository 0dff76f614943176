#include "apps/remote/answer_view.hpp"

#include "apps/terminal/part_text.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/a2a/codec_v1_0.hpp"

#include <memory>
#include <utility>

namespace troupe {

std::string shown_parts(const std::vector<part>& parts) {
  std::string out;
  for (const auto& each : parts) {
    if (!out.empty() && !out.ends_with('\n'))
      out += '\n';
    out += text_of_part(each, "--json has them");
  }
  return out;
}

bool is_same_question(const task_status& before, const task_status& now) {
  const auto words = [](const task_status& of) {
    return of.message ? shown_parts(of.message->parts) : std::string{};
  };
  return is_interrupted(before.state) && now.state == before.state && now.at == before.at
         && words(now) == words(before);
}

void answer_view::print(std::string_view text, std::string& out) {
  if (text.empty())
    return;
  has_output_ = true;
  ends_line_ = text.ends_with('\n');
  out += is_cleaned_ ? clean_lines(text) : std::string(text);
}

void answer_view::show_artifact(const artifact& made, bool append, std::string& out) {
  // Chunks were printed without line breaks between them. A snapshot may have a part for each.
  std::string text;
  for (const auto& each : made.parts)
    text += text_of_part(each, {});
  auto& shown = shown_[made.artifact_id];
  if (last_artifact_ != made.artifact_id && !ends_line_)
    print("\n", out);
  last_artifact_ = made.artifact_id;
  if (append) {
    print(shown_parts(made.parts), out);
    shown += text;
    return;
  }
  // A snapshot repeats what was shown; another version of the output begins on its own line.
  if (shown.empty()) {
    print(shown_parts(made.parts), out);
  } else if (text.starts_with(shown)) {
    print(std::string_view(text).substr(shown.size()), out);
  } else if (!shown.starts_with(text)) {
    if (!ends_line_)
      print("\n", out);
    print(shown_parts(made.parts), out);
  }
  shown = text;
}

void answer_view::show_status(const task_status& status, news& out) {
  // Some agents repeat a status without what they have asked.
  const bool goes_on_to_ask =
      !status.message && status.state == state_ && is_interrupted(status.state);
  const auto words = goes_on_to_ask   ? said_
                     : status.message ? shown_parts(status.message->parts)
                                      : std::string{};
  const bool is_new = status.state != state_ || words != said_;
  state_ = status.state;
  said_ = words;
  if (is_new && state_ == task_state::working && !words.empty())
    out.notes += clean_line(words) + "\n";
}

answer_view::news answer_view::show(const wire::answer& read) {
  news out;
  if (const auto* whole = std::get_if<troupe::task>(&read)) {
    task_ = whole->id.str();
    context_ = whole->context;
    show_status(whole->status, out);
    for (const auto& each : whole->artifacts)
      show_artifact(*each, false, out.output);
  } else if (const auto* moved = std::get_if<wire::status_update>(&read)) {
    task_ = moved->task.str();
    if (!moved->context.empty())
      context_ = moved->context;
    show_status(moved->status, out);
  } else if (const auto* made = std::get_if<wire::artifact_update>(&read)) {
    task_ = made->task.str();
    show_artifact(made->artifact, made->append, out.output);
  } else if (const auto* said = std::get_if<message>(&read)) {
    context_ = said->context_id;
    print(shown_parts(said->parts), out.output);
  }
  return out;
}

std::string answer_view::end() {
  std::string out;
  if (!has_output_ && state_ == task_state::completed)
    print(said_, out);
  if (has_output_ && !ends_line_)
    print("\n", out);
  return out;
}

std::string event_json(const wire::answer& read) {
  std::string text;
  json_writer out(text);
  change where;
  if (const auto* whole = std::get_if<task>(&read)) {
    v1_0::write_sent(out, *whole, {});
  } else if (const auto* said = std::get_if<message>(&read)) {
    v1_0::write_answer(out, *said);
  } else if (const auto* moved = std::get_if<wire::status_update>(&read)) {
    where.task.id = moved->task;
    where.context = moved->context;
    where.at = moved->status.at;
    v1_0::write_stream_event(out, where, task_moved{moved->status.state, 1, moved->status.message});
  } else if (const auto* made = std::get_if<wire::artifact_update>(&read)) {
    where.task.id = made->task;
    where.context = made->context;
    v1_0::write_stream_event(out, where,
                             task_artifact{std::make_shared<const artifact>(made->artifact),
                                           made->append, made->is_last});
  }
  return text;
}

} // namespace troupe
