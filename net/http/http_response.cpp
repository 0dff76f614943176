#include "net/http/http_response.hpp"

#include "protocol/a2a/errc_wire.hpp"
#include "protocol/json/json_writer.hpp"
#include <troupe/net/limits.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace troupe::net {

namespace {

struct status_row {
  unsigned code;
  std::string_view phrase; ///< RFC 9110 section 15.
  std::string_view name;   ///< `error.status` of a plain error.
  std::string_view reason; ///< Its `ErrorInfo.reason` (docs/a2a.md, "Errors").
};

constexpr auto statuses = std::to_array<status_row>({
    {200, "OK", "OK", "OK"},
    {204, "No Content", "OK", "OK"},
    {304, "Not Modified", "OK", "OK"},
    {400, "Bad Request", "INVALID_ARGUMENT", "INVALID_REQUEST"},
    {401, "Unauthorized", "UNAUTHENTICATED", "UNAUTHENTICATED"},
    {403, "Forbidden", "PERMISSION_DENIED", "PERMISSION_DENIED"},
    {404, "Not Found", "NOT_FOUND", "NOT_FOUND"},
    {405, "Method Not Allowed", "METHOD_NOT_ALLOWED", "METHOD_NOT_ALLOWED"},
    {408, "Request Timeout", "REQUEST_TIMEOUT", "REQUEST_TIMEOUT"},
    {409, "Conflict", "ABORTED", "ABORTED"},
    {412, "Precondition Failed", "FAILED_PRECONDITION", "FAILED_PRECONDITION"},
    {413, "Content Too Large", "PAYLOAD_TOO_LARGE", "TOO_LARGE"},
    {421, "Misdirected Request", "MISDIRECTED_REQUEST", "MISDIRECTED_REQUEST"},
    {422, "Unprocessable Content", "INVALID_ARGUMENT", "INVALID_ARGUMENT"},
    {429, "Too Many Requests", "RESOURCE_EXHAUSTED", "OVERLOADED"},
    {431, "Request Header Fields Too Large", "HEADER_FIELDS_TOO_LARGE", "HEADER_FIELDS_TOO_LARGE"},
    {499, "Client Closed Request", "CANCELLED", "CANCELED"}, // google.rpc.Code; RFC 9110 has none
    {500, "Internal Server Error", "INTERNAL", "INTERNAL_ERROR"},
    {503, "Service Unavailable", "UNAVAILABLE", "UNAVAILABLE"},
    {504, "Gateway Timeout", "DEADLINE_EXCEEDED", "TIMED_OUT"},
});

const status_row& row_of(unsigned status) noexcept {
  const auto found = std::find_if(statuses.begin(), statuses.end(),
                                  [&](const auto& row) { return row.code == status; });
  return found != statuses.end() ? *found : row_of(500);
}

void append_number(std::string& out, std::size_t value) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  out.append(digits, end);
}

} // namespace

void http_response::clear() {
  status = 200;
  content_type = json_type;
  headers.clear();
  body.clear();
  if (body.capacity() > kept_bytes_max)
    body.shrink_to_fit();
  close = false;
  repeatable = false;
  is_asked = false;
  label.clear();
}

std::string_view reason_phrase(unsigned status) noexcept {
  return row_of(status).phrase;
}

void write_head(std::string& out, const http_response& response, std::string_view date,
                bool keep_alive_1_0) {
  out += "HTTP/1.1 ";
  append_number(out, response.status);
  out += ' ';
  out += reason_phrase(response.status);
  out += "\r\n";
  out += date;
  if (!response.content_type.empty()) {
    out += "Content-Type: ";
    out += response.content_type;
    out += "\r\nContent-Length: ";
    append_number(out, response.body.size());
    out += "\r\n";
  }
  out += response.headers;
  if (response.close)
    out += "Connection: close\r\n";
  else if (keep_alive_1_0)
    out += "Connection: keep-alive\r\n";
  out += "\r\n";
}

std::string no_memory_for(std::string_view something, const memory_budget& memory) {
  return "the system has no memory for " + std::string{something} + "; limits.memory holds "
         + describe(memory) + "; try again later";
}

void write_plain_error(http_response& out, unsigned status, std::string_view message) {
  out.status = status;
  out.content_type = json_type;
  out.body.clear();
  json_writer json(out.body);
  json.begin_object().key("error").begin_object();
  json.key("code").number(std::uint32_t{status});
  json.member("status", row_of(status).name);
  json.member("message", message).key("details").begin_array().begin_object();
  json.member("@type", "type.googleapis.com/google.rpc.ErrorInfo");
  json.member("reason", row_of(status).reason).member("domain", own_error_domain);
  json.end_object().end_array().end_object().end_object();
  if (status == 429 || status == 503)
    add_retry_after(out);
}

void add_retry_after(http_response& out) {
  out.headers += "Retry-After: ";
  append_number(out.headers, retry_after_seconds);
  out.headers += "\r\n";
}

} // namespace troupe::net
