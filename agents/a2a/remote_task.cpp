#include "agents/a2a/remote_task.hpp"

#include "protocol/a2a/codec_progress.hpp"
#include "protocol/json/text_in.hpp"
#include <troupe/protocol/progress.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

namespace troupe {

namespace {

constexpr bool is_every_state_once() {
  for (std::size_t i = 0; i < remote_meanings.size(); ++i)
    if (remote_meanings[i].state != static_cast<task_state>(i))
      return false;
  return remote_meanings.size() == task_state_count;
}
static_assert(is_every_state_once());

/// In the metadata of a task that stands for an objective (docs/a2a.md).
constexpr std::string_view root_key = "opt/v1/root";
constexpr std::string_view objective_key = "opt/v1/objectiveId";

/// The hash of a text that goes on with `more` (FNV-1a, 64 bits, draft-eastlake-fnv). It guards
/// against mix-ups: an agent that makes two texts of one hash loses what it said itself.
std::uint64_t continued_hash(std::uint64_t hash, std::string_view more) noexcept {
  for (const unsigned char each : more)
    hash = (hash ^ each) * 0x100000001b3U;
  return hash;
}

/// A name that the agent has chosen, or if it is too long to be kept, a short one in its place: the
/// same for the same one.
std::string short_name(std::string name) {
  if (name.size() <= remote_id_bytes_max)
    return name;
  return "long-" + std::to_string(continued_hash(hash_of_nothing, name));
}

/// What names a status message: its id, else its text.
std::string name_of(const message& said) {
  return short_name(said.message_id.empty() ? text_of(said.parts) : said.message_id);
}

/// The progress in one of these; nothing if there is none that fits the extension.
std::optional<progress_report> progress_in(const boost::json::object& metadata) {
  const auto* found = metadata.if_contains(progress_uri);
  if (found == nullptr)
    return std::nullopt;
  auto read = read_progress(*found);
  return read ? std::optional{std::move(*read)} : std::nullopt;
}

/// Data of the message that asks, for programs: its first data part that is an object.
boost::json::object data_of(const message& said) {
  for (const auto& each : said.parts)
    if (const auto* data = std::get_if<data_content>(&each.content); data && data->data.is_object())
      return data->data.get_object();
  return {};
}

report_message shown_message(const message& said) {
  report_message out;
  out.message.from = role::agent;
  out.message.parts = said.parts;
  return out;
}

std::string id_of(const artifact& made) {
  if (!made.artifact_id.empty())
    return short_name(made.artifact_id);
  return made.name.empty() ? "artifact" : short_name(made.name);
}

report_artifact shown_artifact(const artifact& made, bool append, bool is_last) {
  report_artifact out{made, append, is_last};
  out.artifact.artifact_id = id_of(made);
  return out;
}

bool has_content(const std::vector<part>& parts) {
  return std::ranges::any_of(parts, [](const part& each) {
    if (const auto* text = std::get_if<text_content>(&each.content))
      return !text->text.empty();
    const auto* raw = std::get_if<raw_content>(&each.content);
    return raw == nullptr || !raw->bytes.empty();
  });
}

} // namespace

remote_meaning meaning_of(task_state state) noexcept {
  const auto at = static_cast<std::size_t>(state);
  return at < remote_meanings.size() ? remote_meanings[at].means : remote_meaning::works;
}

void remote_task::content_mark::add(const std::vector<part>& parts) {
  for (const auto& each : parts) {
    if (const auto* text = std::get_if<text_content>(&each.content)) {
      bytes += text->text.size(); // chunks of a text become one part
      bytes_hash = continued_hash(bytes_hash, text->text);
    } else if (const auto* raw = std::get_if<raw_content>(&each.content)) {
      bytes += raw->bytes.size();
      bytes_hash = continued_hash(bytes_hash, raw->bytes);
    } else {
      ++others;
      if (const auto* data = std::get_if<data_content>(&each.content))
        others_hash = continued_hash(others_hash, boost::json::serialize(data->data));
      else if (const auto* file = std::get_if<url_content>(&each.content))
        others_hash = continued_hash(others_hash, file->url);
    }
  }
}

bool remote_task::is_own(const task_id& id, const std::string& context) {
  if (id.str().size() > remote_id_bytes_max || context.size() > remote_id_bytes_max)
    return false;
  if (id_.empty()) {
    id_ = id.str();
    if (!context.empty()) // An agent may choose its own.
      context_ = context;
    return true;
  }
  return id.str() == id_ && (context.empty() || context_.empty() || context == context_);
}

remote_news remote_task::take(const wire::answer& frame) {
  remote_news out;
  if (has_ended() && !std::holds_alternative<task>(frame)) {
    out.taken = remote_news::verdict::late;
    return out;
  }
  if (const auto* said = std::get_if<message>(&frame)) {
    take_message(*said, out);
  } else if (const auto* whole = std::get_if<task>(&frame)) {
    if (!is_own(whole->id, whole->context)) {
      out.taken = remote_news::verdict::foreign;
    } else if (has_ended() && whole->status.state != state_) {
      out.taken = remote_news::verdict::late; // what has ended never moves again
    } else {
      out.is_whole = true;
      if (whole->metadata.contains(root_key))
        objective_ = text_in(whole->metadata, objective_key).substr(0, remote_id_bytes_max);
      for (const auto& each : whole->artifacts)
        take_whole(*each, is_terminal(whole->status.state), out);
      take_status(whole->status, whole->metadata, out);
    }
  } else if (const auto* moved = std::get_if<wire::status_update>(&frame)) {
    if (is_own(moved->task, moved->context))
      take_status(moved->status, moved->metadata, out);
    else
      out.taken = remote_news::verdict::foreign;
  } else if (const auto* made = std::get_if<wire::artifact_update>(&frame)) {
    if (is_own(made->task, made->context))
      take_chunk(*made, out);
    else
      out.taken = remote_news::verdict::foreign;
  }
  return out;
}

void remote_task::take_message(const message& said, remote_news& out) {
  if (!id_.empty()) { // it has a task: this is something that it says meanwhile
    const bool is_of_other_context =
        !said.context_id.empty() && !context_.empty() && said.context_id != context_;
    if (is_of_other_context || (!said.task_id.empty() && said.task_id != id_))
      out.taken = remote_news::verdict::foreign;
    else if (has_content(said.parts)) {
      out.reports.emplace_back(shown_message(said));
      out.has_news = true;
    }
    return;
  }
  artifact reply;
  reply.name = "reply";
  reply.artifact_id = "reply";
  reply.parts = said.parts;
  out.reports.emplace_back(report_artifact{std::move(reply), false, true});
  out.is_reply = true;
  out.has_news = true;
  state_ = task_state::completed;
}

void remote_task::take_status(const task_status& status, const boost::json::object& metadata,
                              remote_news& out) {
  const auto means = meaning_of(status.state);
  const bool begins_to_ask = means == remote_meaning::asks && meaning_of(state_) != means;
  out.means = means;
  out.has_moved = state_ != status.state;
  state_ = status.state;
  const auto* said = status.message.get();
  const bool is_progress = said != nullptr && said->message_id.starts_with(id_ + ".progress");
  const bool is_new = said != nullptr && !is_progress && has_content(said->parts)
                      && name_of(*said) != last_message_;
  if (said != nullptr && !is_progress)
    last_message_ = name_of(*said);
  auto progress = progress_in(metadata);
  if (!progress && said != nullptr)
    progress = progress_in(said->metadata);
  // Also of a task that asks: it may have been seen for the first time after its question.
  const bool goes_on = means == remote_meaning::works || means == remote_meaning::asks;
  if (progress && goes_on && progress != last_progress_) {
    last_progress_ = progress;
    out.reports.emplace_back(report_progress{std::move(*progress)});
    out.has_news = true;
  }
  out.has_news = out.has_news || out.has_moved || is_new;
  if (begins_to_ask)
    ++asked_;
  if (is_progress && means == remote_meaning::asks) // what it asks is said beside that
    return;
  if (means != remote_meaning::asks || said == nullptr)
    request_.reset();
  switch (means) {
    case remote_meaning::works:
      if (is_new)
        out.reports.emplace_back(shown_message(*said));
      return;
    case remote_meaning::asks: {
      report_question asked;
      asked.auth = status.state == task_state::auth_required;
      if (said != nullptr) {
        asked.prompt = text_of(said->parts);
        asked.data = data_of(*said);
        auto read = hitl::read_request(*said); // one that is none is asked as its text
        request_ = read ? std::move(*read) : std::nullopt;
        if (request_) {
          asked.prompt = request_->prompt;
          asked.form = request_->form;
          asked.data = request_->data;
        }
      }
      if (asked.prompt.empty())
        asked.prompt = asked.auth ? "the agent needs credentials" : "the agent asks for input";
      asked.key = said != nullptr && !said->message_id.empty() ? short_name(said->message_id)
                  : status.at != timestamp{}                   ? to_rfc3339(status.at)
                                             : "question-" + std::to_string(asked_);
      out.has_moved = out.has_moved || asked.key != last_question_;
      out.has_news = out.has_news || out.has_moved;
      last_question_ = asked.key;
      out.question = std::move(asked);
      return;
    }
    case remote_meaning::completes:
    case remote_meaning::fails:
    case remote_meaning::refuses:
      if (said != nullptr)
        out.words = text_of(said->parts);
      return;
  }
}

/// An agent may go on making artifacts; what is kept of them has an end.
bool remote_task::has_place(const std::string& artifact_id, remote_news& out) const {
  out.has_too_many =
      out.has_too_many
      || (artifacts_.size() >= remote_artifacts_max && !artifacts_.contains(artifact_id));
  return !out.has_too_many;
}

void remote_task::take_whole(const artifact& made, bool is_last, remote_news& out) {
  content_mark now;
  now.add(made.parts);
  if (!has_place(id_of(made), out))
    return;
  const auto [before, is_new] = artifacts_.try_emplace(id_of(made));
  if (!is_new && before->second == now)
    return;
  before->second = now;
  out.has_news = out.has_news || has_content(made.parts);
  out.reports.emplace_back(shown_artifact(made, false, is_last));
}

void remote_task::take_chunk(const wire::artifact_update& made, remote_news& out) {
  const auto id = id_of(made.artifact);
  if (!has_place(id, out))
    return;
  const bool is_known = artifacts_.contains(id);
  const bool continues = made.append && is_known;
  auto& kept = artifacts_[id];
  const bool changes = has_content(made.artifact.parts) || (!continues && kept != content_mark{});
  if (changes && !continues)
    ended_.erase(id);
  const bool ends = made.is_last && ended_.insert(id).second;
  if (is_known && !changes && !ends)
    return;
  out.has_news = out.has_news || changes;
  if (!continues)
    kept = {};
  kept.add(made.artifact.parts);
  out.reports.emplace_back(shown_artifact(made.artifact, continues, made.is_last));
}

} // namespace troupe
