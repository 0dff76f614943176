#include "net/http/http_request.hpp"

#include "net/http/uri.hpp"
#include "protocol/text/blanks.hpp"
#include "protocol/text/text.hpp"
#include <troupe/net/limits.hpp>

#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <array>

namespace troupe::net {

namespace {

namespace http = boost::beast::http;

void join_list(std::string& list, std::string_view value) {
  if (!list.empty())
    list += ',';
  list += value;
}

} // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return ascii_lower(x) == ascii_lower(y);
         });
}

std::string_view trimmed(std::string_view text) noexcept {
  return without_blanks(text, " \t");
}

std::string_view take_list_item(std::string_view& list) noexcept {
  const auto comma = list.find(',');
  const auto first = trimmed(list.substr(0, comma));
  list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  return first;
}

namespace {

/// The target and each header.
constexpr auto header_texts = std::to_array<std::string http_request::*>(
    {&http_request::target, &http_request::host, &http_request::content_type, &http_request::accept,
     &http_request::a2a_version, &http_request::a2a_extensions, &http_request::traceparent,
     &http_request::tracestate, &http_request::stream_cursor, &http_request::last_event_id,
     &http_request::idempotency_key, &http_request::origin, &http_request::preflight_method,
     &http_request::if_match, &http_request::if_none_match, &http_request::if_modified_since,
     &http_request::authorization});

void empty_text(std::string& text, std::size_t kept_max) {
  text.clear();
  if (text.capacity() > kept_max)
    std::string().swap(text);
}

} // namespace

void http_request::clear() {
  method = http::verb::unknown;
  for (const auto each : header_texts)
    empty_text(this->*each, kept_header_bytes_max);
  empty_text(body, kept_bytes_max);
  expects_continue = false;
  is_http_1_0 = false;
}

void http_request::clear_all() {
  clear();
  for (const auto each : header_texts)
    std::string().swap(this->*each);
  std::string().swap(body);
}

std::size_t http_request::header_bytes() const noexcept {
  const auto inside = std::string{}.capacity();
  std::size_t out = 0;
  for (const auto each : header_texts)
    if (const auto bytes = (this->*each).capacity(); bytes > inside)
      out += bytes;
  return out;
}

std::string_view http_request::path() const noexcept {
  return split_target(target).path;
}

std::string_view http_request::query() const noexcept {
  return split_target(target).query;
}

std::string_view http_request::query(std::string_view name) const noexcept {
  auto rest = query();
  while (const auto pair = take_pair(rest))
    if (pair->name == name)
      return pair->value;
  return {};
}

// -- what Beast's parser found --------------------------------------------------------------------

void request_parser::on_request_impl(http::verb method, text, text target, int version, error&) {
  out_.method = method;
  out_.is_http_1_0 = version < 11;
  out_.target.assign(target.data(), target.size());
}

void request_parser::on_response_impl(int, text, int, error&) {}

void request_parser::refuse(error& ec, std::string_view why) {
  fault_ = why;
  ec = http::error::bad_value;
}

/// Beast passes over codings it does not know and frames by Content-Length, or as if there were no
/// body. A proxy before us may frame otherwise, and then what is body to one is a request to the
/// other (RFC 9112 6.1 and 6.3).
void request_parser::check_coding(std::string_view value, error& ec) {
  if (out_.is_http_1_0)
    refuse(ec, "HTTP/1.0 has no Transfer-Encoding");
  else if (!equal_ignoring_case(trimmed(value), "chunked"))
    refuse(ec, "the only Transfer-Encoding taken here is chunked");
}

void request_parser::count_beside(std::size_t bytes, error& ec) {
  beside_bytes_ += bytes;
  if (beside_bytes_ > beside_bytes_max_)
    ec = http::error::header_limit;
}

void request_parser::on_field_impl(http::field name, text name_text, text value_text, error& ec) {
  if (in_trailer_)
    return count_beside(name_text.size() + value_text.size(), ec);
  const std::string_view value(value_text.data(), value_text.size());
  switch (name) {
    case http::field::transfer_encoding: return check_coding(value, ec);
    case http::field::host:
      ++hosts_;
      out_.host = value;
      return;
    case http::field::content_type: out_.content_type = value; return;
    case http::field::accept: join_list(out_.accept, value); return;
    case http::field::if_match: join_list(out_.if_match, value); return;
    case http::field::if_none_match: join_list(out_.if_none_match, value); return;
    case http::field::origin: out_.origin = value; return;
    case http::field::access_control_request_method: out_.preflight_method = value; return;
    case http::field::if_modified_since: out_.if_modified_since = value; return;
    case http::field::authorization: out_.authorization = value; return;
    case http::field::expect:
      out_.expects_continue = equal_ignoring_case(value, "100-continue");
      return;
    case http::field::unknown: break;
    default: return;
  }
  const std::string_view key(name_text.data(), name_text.size());
  if (equal_ignoring_case(key, "a2a-version"))
    out_.a2a_version = value;
  else if (equal_ignoring_case(key, "a2a-extensions")
           || equal_ignoring_case(key, "x-a2a-extensions"))
    join_list(out_.a2a_extensions, value);
  else if (equal_ignoring_case(key, "troupe-cursor"))
    out_.stream_cursor = value;
  else if (equal_ignoring_case(key, "last-event-id"))
    out_.last_event_id = value;
  else if (equal_ignoring_case(key, "idempotency-key"))
    join_list(out_.idempotency_key, value.empty() ? std::string_view{"\"\""} : value);
  else if (equal_ignoring_case(key, "traceparent"))
    out_.traceparent = value;
  else if (equal_ignoring_case(key, "tracestate"))
    join_list(out_.tracestate, value);
}

void request_parser::on_header_impl(error& ec) {
  in_trailer_ = true;
  // RFC 9112 3.2.
  if (hosts_ > 1)
    refuse(ec, "there is more than one Host header");
  else if (hosts_ == 0 && !out_.is_http_1_0)
    refuse(ec, "there is no Host header");
}

void request_parser::on_body_init_impl(const boost::optional<std::uint64_t>& length, error&) {
  // Reserve only what is likely to come: a client may announce more than it sends.
  if (length)
    out_.body.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(*length, read_bytes_long)));
  announced_ = length ? static_cast<std::size_t>(*length) : 0;
}

/// Takes twice the room, but no more than was announced.
void request_parser::reserve(std::size_t bytes) {
  const auto needed = out_.body.size() + bytes;
  if (needed > out_.body.capacity() && needed <= announced_)
    out_.body.reserve(std::max(needed, std::min(2 * out_.body.capacity(), announced_)));
}

std::size_t request_parser::on_body_impl(text body, error&) {
  reserve(body.size());
  out_.body.append(body.data(), body.size());
  return body.size();
}

void request_parser::on_chunk_header_impl(std::uint64_t, text extensions, error& ec) {
  count_beside(extensions.size(), ec);
}

std::size_t request_parser::on_chunk_body_impl(std::uint64_t, text body, error&) {
  out_.body.append(body.data(), body.size());
  return body.size();
}

void request_parser::on_finish_impl(error&) {}

} // namespace troupe::net
