#include "client/models/model_failure.hpp"

#include "client/models/limits.hpp"
#include "client/models/request_writing.hpp"
#include "client/retry_after.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace troupe::models {

namespace json = boost::json;

namespace {

/// What the body of an error says.
struct server_words {
  std::string message;
  std::string type;
  std::string param;
  std::string code;
  std::optional<unsigned> status; ///< A code that is a status of HTTP.
};

std::string text_of_member(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  if (found == nullptr)
    return {};
  if (found->is_string())
    return std::string(found->get_string());
  return found->is_null() ? std::string{} : json::serialize(*found);
}

std::optional<unsigned> status_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  if (found == nullptr || !found->is_int64() || found->get_int64() < 400
      || found->get_int64() > 599)
    return std::nullopt;
  return static_cast<unsigned>(found->get_int64());
}

server_words words_of_error(const json::value& from);

server_words words_in(const json::object& from) {
  for (const auto* name : {"error", "detail"})
    if (const auto* inner = from.if_contains(name); inner && !inner->is_null())
      return words_of_error(*inner);
  server_words out;
  out.message = text_of_member(from, "message");
  if (out.message.empty())
    out.message = text_of_member(from, "msg");
  out.type = text_of_member(from, "type");
  out.param = text_of_member(from, "param");
  out.code = text_of_member(from, "code");
  if (out.code.empty())
    out.code = text_of_member(from, "status"); // Gemini: INVALID_ARGUMENT
  out.status = status_in(from, "code");
  return out;
}

server_words words_of_error(const json::value& from) {
  if (const auto* text = from.if_string()) {
    server_words out;
    out.message = std::string(*text);
    return out;
  }
  if (const auto* list = from.if_array())
    return list->empty() ? server_words{} : words_of_error(list->front());
  if (const auto* object = from.if_object())
    return words_in(*object);
  return {};
}

bool is_page(std::string_view body) {
  const auto begin = body.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && body[begin] == '<';
}

server_words words_of_body(std::string_view body) {
  server_words out;
  if (is_page(body)) {
    out.message = "a page instead of an answer";
    return out;
  }
  boost::system::error_code failed;
  const auto tree = parse_json(body, failed);
  if (!failed)
    return words_of_error(tree);
  out.message = std::string(body);
  return out;
}

bool contains_word(std::string_view text, std::string_view word) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end])))
      return true;
  }
  return false;
}

/// The member of the request that is meant; empty if none is named.
std::string member_named(const server_words& said) {
  if (!said.param.empty()) {
    const auto path = std::string_view(said.param);
    // `response_format.type`; `response_format.json_schema.strict` is about the inner one
    if (path.ends_with(".strict"))
      return "strict";
    return std::string(path.substr(0, path.find_first_of(".[")));
  }
  std::string found;
  auto at = std::string_view::npos;
  for (const auto each : refusable_members())
    if (contains_word(said.message, each))
      if (const auto here = said.message.find(each); here < at) { // what is refused stands first
        at = here;
        found = std::string(each);
      }
  return found;
}

bool has(const server_words& said, std::string_view text) {
  return ascii_lower(said.message).find(text) != std::string::npos
         || ascii_lower(said.code).find(text) != std::string::npos
         || ascii_lower(said.type).find(text) != std::string::npos;
}

failure_kind kind_of_refusal(const server_words& said, const std::string& member) {
  if (has(said, "context_length") || has(said, "context length") || has(said, "context window")
      || has(said, "maximum context"))
    return failure_kind::context_too_long;
  if (has(said, "content_filter") || has(said, "content management policy"))
    return failure_kind::filtered;
  return member.empty() ? failure_kind::invalid_request : failure_kind::refused_member;
}

failure_kind kind_of_status(unsigned status, const server_words& said, const std::string& member) {
  switch (status) {
    case 400:
    case 422: return kind_of_refusal(said, member);
    case 401: return failure_kind::unauthenticated;
    case 402: return failure_kind::quota_used_up;
    case 403: return failure_kind::forbidden;
    case 404: return failure_kind::not_found;
    case 408: return failure_kind::timeout;
    case 409: return failure_kind::conflict;
    case 413: return failure_kind::context_too_long;
    case 429:
      return has(said, "insufficient_quota") ? failure_kind::quota_used_up : failure_kind::too_many;
    default: break;
  }
  if (status >= 500)
    return failure_kind::server_fault;
  return status >= 300 && status < 400 ? failure_kind::redirected : failure_kind::invalid_request;
}

model_failure failure_of(unsigned status, const server_words& said) {
  model_failure out;
  out.status = status;
  const bool may_name_member = status == 400 || status == 422;
  auto member = may_name_member ? member_named(said) : std::string{};
  out.kind = kind_of_status(status, said, member);
  if (out.kind == failure_kind::refused_member)
    out.member = std::move(member);
  auto words = said.message.empty() ? said.code : said.message;
  if (is_utf8(words))
    words = shortened(std::move(words), server_words_bytes_max);
  else
    words = "words that are no UTF-8";
  out.message = "the server answered " + std::to_string(status)
                + (words.empty() ? std::string{} : ": " + words);
  return out;
}

/// Any case of letters.
bool is_header(std::string_view name, std::string_view lower) {
  return ascii_lower(name) == lower;
}

} // namespace

std::string_view to_string(failure_kind kind) noexcept {
  switch (kind) {
    case failure_kind::refused_member: return "refused member";
    case failure_kind::invalid_request: return "invalid request";
    case failure_kind::context_too_long: return "context too long";
    case failure_kind::filtered: return "filtered";
    case failure_kind::unauthenticated: return "unauthenticated";
    case failure_kind::forbidden: return "forbidden";
    case failure_kind::not_found: return "not found";
    case failure_kind::timeout: return "timeout of the server";
    case failure_kind::conflict: return "conflict";
    case failure_kind::too_many: return "too many requests";
    case failure_kind::quota_used_up: return "quota used up";
    case failure_kind::server_fault: return "fault of the server";
    case failure_kind::broken: return "broken connection";
    case failure_kind::silent: return "time is up";
    case failure_kind::unreadable: return "unreadable answer";
    case failure_kind::too_large: return "too large";
    case failure_kind::over_budget: return "over budget";
    case failure_kind::breaker_open: return "breaker open";
    case failure_kind::redirected: return "redirected";
    case failure_kind::canceled: return "canceled";
  }
  return "unknown";
}

bool may_pass(failure_kind kind) noexcept {
  switch (kind) {
    case failure_kind::timeout:
    case failure_kind::conflict:
    case failure_kind::too_many:
    case failure_kind::server_fault:
    case failure_kind::broken:
    case failure_kind::silent: return true;
    default: return false;
  }
}

bool counts_for_breaker(failure_kind kind) noexcept {
  return may_pass(kind) && kind != failure_kind::too_many && kind != failure_kind::conflict;
}

std::optional<std::chrono::milliseconds> read_retry_after(const header_view& headers,
                                                          timestamp now) {
  std::optional<std::chrono::milliseconds> out;
  for (const auto& [name, value] : headers) {
    if (is_header(name, "retry-after-ms")) {
      if (const auto wait = net::read_retry_after_ms(value))
        return wait;
    } else if (is_header(name, "retry-after") && !out) {
      out = net::read_retry_after(value, now);
    }
  }
  return out;
}

model_failure read_failure(unsigned status, const header_view& headers, std::string_view body,
                           timestamp now) {
  auto out = failure_of(status, words_of_body(body));
  if (out.kind == failure_kind::redirected)
    out.message = "the server answered " + std::to_string(status)
                  + ", a redirect: it is not followed; name the right URL";
  out.retry_after = read_retry_after(headers, now);
  return out;
}

bool is_error_value(const json::value& from) noexcept {
  if (const auto* list = from.if_array())
    return !list->empty() && is_error_value(list->front());
  const auto* object = from.if_object();
  if (object == nullptr)
    return false;
  const auto* found = object->if_contains("error");
  return found != nullptr && !found->is_null();
}

model_failure read_error_value(const json::value& from) {
  const auto said = words_of_error(from);
  auto out = failure_of(said.status.value_or(has(said, "insufficient_quota") ? 429U : 500U), said);
  if (!said.status)
    out.status = 0;
  out.message = "the server broke off with an error"
                + (said.message.empty() || !is_utf8(said.message)
                       ? std::string{}
                       : ": " + shortened(said.message, server_words_bytes_max));
  return out;
}

model_failure connection_failure(const error& why) {
  model_failure out;
  out.message = why.message;
  switch (why.code) {
    case errc::timed_out: out.kind = failure_kind::silent; break;
    case errc::canceled: out.kind = failure_kind::canceled; break;
    case errc::forbidden: out.kind = failure_kind::forbidden; break;
    case errc::invalid_agent_response: out.kind = failure_kind::too_large; break;
    case errc::invalid_params: out.kind = failure_kind::invalid_request; break;
    default: out.kind = failure_kind::broken; break;
  }
  return out;
}

} // namespace troupe::models
