#include "client/models/chat.hpp"

#include "protocol/text/blanks.hpp"

#include <boost/json/serialize.hpp>

namespace troupe::models {

namespace {

constexpr std::string_view thoughts_begin = "<think>";
constexpr std::string_view thoughts_end = "</think>";
constexpr std::string_view fence = "```";

/// A fence begins a line.
std::size_t find_fence(std::string_view text, std::size_t from) noexcept {
  for (auto at = text.find(fence, from); at != std::string_view::npos;
       at = text.find(fence, at + fence.size()))
    if (at == 0 || text[at - 1] == '\n')
      return at;
  return std::string_view::npos;
}

} // namespace

std::string_view to_string(finish_reason reason) noexcept {
  switch (reason) {
    case finish_reason::none: return "none";
    case finish_reason::stop: return "stop";
    case finish_reason::length: return "length";
    case finish_reason::tool_calls: return "tool_calls";
    case finish_reason::content_filter: return "content_filter";
    case finish_reason::other: break;
  }
  return "other";
}

answer_kind kind_of(const chat_answer& answer) noexcept {
  if (answer.finish == finish_reason::content_filter)
    return answer_kind::filtered;
  if (!answer.refusal.empty())
    return answer_kind::refused;
  if (answer.finish == finish_reason::length)
    return answer_kind::too_long; // also of a call, whose arguments are cut then
  return answer.calls.empty() ? answer_kind::text : answer_kind::calls;
}

std::uint64_t estimated_tokens(std::size_t bytes) noexcept {
  return (bytes + 2) / 3;
}

std::uint64_t estimated_tokens(const chat_request& request) noexcept {
  constexpr std::uint64_t tokens_per_message = 4; // marks around each
  std::size_t bytes = 0;
  for (const auto& each : request.messages) {
    bytes += each.content.size() + each.call_id.size();
    for (const auto& call : each.calls)
      bytes += call.id.size() + call.name.size() + call.arguments.size();
  }
  for (const auto& each : request.tools)
    bytes +=
        each.name.size() + each.description.size() + boost::json::serialize(each.parameters).size();
  if (!request.schema.empty())
    bytes += boost::json::serialize(request.schema).size();
  return estimated_tokens(bytes)
         + tokens_per_message * (request.messages.size() + request.tools.size());
}

std::string plain_content(std::string_view content) {
  auto text = without_blanks(content);
  if (text.starts_with(thoughts_begin)) {
    const auto end = text.find(thoughts_end);
    text = end == std::string_view::npos ? std::string_view{}
                                         : without_blanks(text.substr(end + thoughts_end.size()));
  } else if (const auto end = text.find(thoughts_end);
             end != std::string_view::npos && text.find(thoughts_begin) > end) {
    // Some chat templates write the first mark themselves, so that only the second one is seen.
    text = without_blanks(text.substr(end + thoughts_end.size()));
  }
  const auto open = find_fence(text, 0);
  if (open == std::string_view::npos)
    return std::string(text);
  const auto line_end = text.find('\n', open);
  if (line_end == std::string_view::npos)
    return std::string(text);
  const auto close = find_fence(text, line_end + 1);
  if (close == std::string_view::npos) // its end was forgotten
    return std::string(without_blanks(text.substr(line_end + 1)));
  if (find_fence(text, close + fence.size()) != std::string_view::npos)
    return std::string(text); // several: nobody knows which
  return std::string(without_blanks(text.substr(line_end + 1, close - line_end - 1)));
}

} // namespace troupe::models
