#include "agents/a2a/delegation_input.hpp"

#include "protocol/a2a/request_path.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/opt/answer_text.hpp"
#include "protocol/text/http_url.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

/// A member that says who is asked.
result<std::string> read_fixed(const json::object& from, std::string_view name, input_stage stage) {
  auto out = read_string(from, name, "");
  if (!out)
    return out.error();
  const auto* found = from.if_contains(name);
  if (found != nullptr && has_pending(*found, stage))
    return input_error(below("", name), "takes no reference to another task");
  if (found != nullptr && out->empty())
    return input_error(below("", name), "must not be empty");
  return out;
}

result<when_unsure> read_unsure(const json::object& input, input_stage stage) {
  const auto* found = input.if_contains("whenUnsure");
  if (found == nullptr || is_pending(*found, stage))
    return when_unsure::fail;
  if (const auto* text = found->if_string()) {
    if (*text == "fail")
      return when_unsure::fail;
    if (*text == "resend")
      return when_unsure::resend;
    if (*text == "ask")
      return when_unsure::ask;
  }
  return input_error("/whenUnsure", R"(must be "fail", "resend" or "ask")");
}

} // namespace

result<delegation_input> read_delegation_input(const json::object& input, input_stage stage) {
  if (auto known = refuse_unknown(input, delegation_members, ""); !known)
    return known.error();
  delegation_input out;
  for (const auto& [name, member] : {std::pair{"target", &out.target}, {"url", &out.url}}) {
    auto text = read_fixed(input, name, stage);
    if (!text)
      return text.error();
    *member = std::move(*text);
  }
  if (!out.target.empty() && !out.url.empty())
    return input_error("/target", "and \"url\" exclude each other");
  if (!out.url.empty())
    if (const auto url = parse_http_url(out.url); !url)
      return input_error("/url", url.error().message);
  auto text = read_string(input, "text", "");
  if (!text)
    return text.error();
  out.text = std::move(*text);
  if (const auto* data = input.if_contains("data"))
    out.data = *data;
  if (const auto* metadata = input.if_contains("metadata")) {
    if (const auto* object = metadata->if_object())
      out.metadata = *object;
    else if (!is_pending(*metadata, stage))
      return input_error("/metadata", "must be an object");
  }
  auto unsure = read_unsure(input, stage);
  if (!unsure)
    return unsure.error();
  out.unsure = *unsure;
  return out;
}

namespace {

/// What a client says to this server: the other one has it from us.
constexpr std::string_view own_key_prefix = "troupe/v1/";

/// What a client said. The id of a question is one of ours.
void hand_on(const message& said, message& to) {
  to.parts = said.parts;
  to.extensions = said.extensions;
  for (const auto& [key, value] : said.metadata)
    if (!key.starts_with(own_key_prefix) && key != question_id_key)
      to.metadata[key] = value;
}

/// The remote task that made it, if that was at `target`; empty: it was none.
std::string remote_task_of(const artifact& made, const std::string& target) {
  const auto* found = made.metadata.if_contains(made_by_key);
  const auto* by = found == nullptr ? nullptr : found->if_object();
  return by != nullptr && text_in(*by, "target") == target ? text_in(*by, "task") : std::string{};
}

} // namespace

wire::sending first_request(const order& from, delegation_input input, const delegation_note& ids,
                            const std::vector<std::string>& path) {
  wire::sending out;
  out.waits = false; // the id of the task is wanted at once
  out.accepted_output_modes = from.accepted_output_modes;
  auto& said = out.message;
  said.message_id = ids.message;
  said.context_id = ids.context;
  said.from = role::user;
  said.metadata = std::move(input.metadata);
  if (is_lone(from) && !from.messages.empty())
    hand_on(*from.messages.front(), said);
  said.metadata[request_path_key] = json::array(path.begin(), path.end());
  if (ids.deadline != timestamp{}) // of the note: what is sent again must be the same
    said.metadata[request_deadline_key] = to_rfc3339(ids.deadline);
  if (!input.text.empty())
    said.parts.push_back(text_part(std::move(input.text)));
  if (input.data)
    said.parts.push_back(data_part(std::move(*input.data)));
  if (said.parts.empty())
    said.parts.push_back(text_part(from.text()));
  std::set<std::string> referred;
  for (const auto& dependency : from.dependencies)
    for (const auto& made : dependency.artifacts) {
      said.parts.insert(said.parts.end(), made->parts.begin(), made->parts.end());
      const auto id = remote_task_of(*made, ids.target);
      if (!id.empty() && referred.insert(id).second)
        said.reference_task_ids.push_back(id);
    }
  return out;
}

bool is_lone(const order& from) noexcept {
  return from.name.empty();
}

std::size_t messages_in_request(const order& from) noexcept {
  return is_lone(from) ? std::min<std::size_t>(from.messages.size(), 1) : from.messages.size();
}

wire::sending further_message(const message& said, const delegation_note& ids,
                              const hitl::request* asked) {
  wire::sending out;
  out.waits = false;
  if (asked != nullptr)
    out.message =
        hitl::response_to(*asked, {answer_action::accept, value_of_answer(said, asked->form)});
  else
    hand_on(said, out.message);
  if (!ids.input.empty())
    out.message.metadata[question_id_key] = ids.input;
  out.message.message_id = said.message_id;
  out.message.context_id = ids.context;
  out.message.task_id = ids.task; // with the context alone some servers make a new task
  out.message.from = role::user;
  return out;
}

} // namespace troupe
