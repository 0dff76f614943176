// A request before any codec sees it: Beast's parser over the bytes, and everything that is read
// out of request line and headers.
#include "net/http/http_request.hpp"

#include "net/a2a/rest_path.hpp"
#include "net/http/content_type.hpp"
#include "net/http/cors.hpp"
#include "net/http/uri.hpp"
#include "net/version.hpp"
#include "protocol/a2a/stream_mark.hpp"
#include "protocol/opt/objective_change.hpp"
#include "protocol/text/http_date.hpp"
#include "protocol/text/percent.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <array>

using namespace troupe;
using namespace troupe::net;

namespace {

// -- the parser -----------------------------------------------------------------------------------

constexpr std::uint32_t header_bytes_limit = 2048;
constexpr std::uint64_t body_bytes_limit = 1024;

struct reading {
  http_request request;
  bool whole = false;
  std::size_t used = 0; ///< Bytes of the request; what follows is the next one's.
};

/// The bytes come in pieces of `step`.
reading read(std::string_view bytes, std::size_t step) {
  reading out;
  request_parser parser(out.request);
  parser.eager(true);
  parser.header_limit(header_bytes_limit);
  parser.body_limit(body_bytes_limit);
  for (std::size_t end = std::min(step, bytes.size());; end = std::min(end + step, bytes.size())) {
    boost::system::error_code problem;
    out.used += parser.put(boost::asio::buffer(bytes.substr(out.used, end - out.used)), problem);
    out.whole = parser.is_done();
    if (out.whole || end == bytes.size()
        || (problem && problem != boost::beast::http::error::need_more))
      return out;
  }
}

std::array<std::string_view, 14> texts_of(const http_request& one) {
  return {one.target,
          one.content_type,
          one.accept,
          one.a2a_version,
          one.a2a_extensions,
          one.traceparent,
          one.stream_cursor,
          one.if_none_match,
          one.if_modified_since,
          one.authorization,
          one.origin,
          one.preflight_method,
          one.if_match,
          one.body};
}

void check_cut_anywhere(std::string_view bytes, const reading& whole) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}}) {
    const auto cut = read(bytes, step);
    fuzz::demand(cut.whole == whole.whole, "cut otherwise, taken otherwise", bytes);
    if (!whole.whole)
      continue;
    fuzz::demand(texts_of(cut.request) == texts_of(whole.request)
                     && cut.request.method == whole.request.method
                     && cut.request.expects_continue == whole.request.expects_continue
                     && cut.request.is_http_1_0 == whole.request.is_http_1_0,
                 "cut otherwise, read otherwise", bytes);
    fuzz::demand(cut.used == whole.used, "cut otherwise, the next request begins elsewhere", bytes);
  }
}

/// What is repeated in an answer's head or in a log must not end its line.
void check_one_line(const http_request& request) {
  auto texts = texts_of(request);
  texts.back() = {}; // the body
  for (const auto text : texts)
    fuzz::demand(text.find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos,
                 "a header of several lines", text);
}

// -- the target -----------------------------------------------------------------------------------

/// Every byte as `%XX`.
std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out.append({'%', digits[byte >> 4], digits[byte & 15]});
  }
  return out;
}

std::string path_text(const rest_path& path) {
  std::string out = path.below_v1 ? "/v1" : "";
  if (!path.tenant.empty())
    out += "/" + percent_encoded(path.tenant);
  switch (path.resource) {
    case rest_resource::message: out += "/message"; break;
    case rest_resource::tasks: out += "/tasks"; break;
    case rest_resource::extended_card: out += path.below_v1 ? "/card" : "/extendedAgentCard"; break;
    case rest_resource::task:
    case rest_resource::push_configs:
    case rest_resource::push_config: out += "/tasks/" + percent_encoded(path.id); break;
    case rest_resource::objectives: out += "/objectives"; break;
    case rest_resource::objective: out += "/objectives/" + percent_encoded(path.id); break;
    case rest_resource::plans: out += "/objectives/" + percent_encoded(path.id) + "/plans"; break;
    case rest_resource::plan: out += "/plans/" + percent_encoded(path.id); break;
    case rest_resource::inputs: out += "/inputs"; break;
    case rest_resource::input: out += "/inputs/" + percent_encoded(path.id); break;
  }
  if (path.resource == rest_resource::push_configs || path.resource == rest_resource::push_config)
    out += "/pushNotificationConfigs";
  if (path.resource == rest_resource::push_config)
    out += "/" + percent_encoded(path.config);
  return path.action.empty() ? out : out + ":" + path.action;
}

void check_path(const http_request& request) {
  const auto path = request.path();
  fuzz::demand(!path.empty() && path.find('?') == std::string_view::npos, "a path with a query",
               path);
  const auto named = parse_rest_path(path);
  if (!named)
    return;
  const bool has_id = named->resource != rest_resource::message
                      && named->resource != rest_resource::tasks
                      && named->resource != rest_resource::objectives
                      && named->resource != rest_resource::extended_card;
  fuzz::demand(has_id == !named->id.empty(), "a path with an id too many or too few", path);
  fuzz::demand((named->resource == rest_resource::push_config) == !named->config.empty(),
               "a path without its configuration", path);
  fuzz::demand(!named->below_v1 || named->tenant.empty(), "a tenant in 0.3", path);
  const auto again = parse_rest_path(path_text(*named));
  fuzz::demand(again && *again == *named, "a path that reads otherwise when it is written again",
               path, path_text(*named));
}

void check_query(const http_request& request) {
  auto rest = request.query();
  while (const auto pair = take_pair(rest)) {
    fuzz::demand(pair->name.find_first_of("&=") == std::string_view::npos
                     && pair->value.find('&') == std::string_view::npos,
                 "a pair that was not taken apart", pair->name, pair->value);
    for (const auto text : {pair->name, pair->value}) {
      fuzz::demand(percent_decoded(percent_encoded(text)) == text, "decoded otherwise", text);
      if (const auto plain = query_decoded(text))
        fuzz::demand(plain->size() <= text.size(), "decoding made it longer", text);
    }
  }
  fuzz::demand(request.target.find(request.query("A2A-Version")) != std::string::npos,
               "a parameter from nowhere", request.target);
}

// -- headers --------------------------------------------------------------------------------------

void check_version(const http_request& request) {
  const auto of_query = request.query("A2A-Version");
  const auto asked = parse_version(request.a2a_version, of_query);
  fuzz::demand(asked
                   == (trimmed(request.a2a_version).empty()
                           ? parse_version(of_query, {})
                           : parse_version(request.a2a_version, {})),
               "header and query both count", request.a2a_version, of_query);

  const auto active = parse_extensions(request.a2a_extensions);
  std::string headers;
  append_extensions_header(headers, active, asked);
  fuzz::demand(headers.empty() != active.any(), "an answer's header without reason",
               request.a2a_extensions);
  const auto value = active.any() ? headers.substr(headers.find(": ") + 2) : std::string{};
  const auto again = parse_extensions(value.substr(0, value.find('\r')));
  fuzz::demand(again.opt == active.opt && again.progress == active.progress
                   && again.cursors == active.cursors,
               "other extensions are confirmed than were asked for", request.a2a_extensions,
               headers);
}

void check_media_types(const http_request& request) {
  const auto type =
      std::string_view(request.content_type).substr(0, request.content_type.find(';'));
  fuzz::demand(is_json(request.content_type) == is_json(type)
                   && is_json_like(request.content_type) == is_json_like(type),
               "parameters count", request.content_type);
  fuzz::demand(!is_json(type) || is_json_like(type), "JSON that is not like JSON", type);
  bool named = false;
  for (std::string_view rest = request.accept; !rest.empty();)
    named = names_a2a_type(take_list_item(rest)) || named;
  fuzz::demand(names_a2a_type(request.accept) == named,
               "named in the list and by no item of it, or the other way round", request.accept);
}

void check_values(const http_request& request) {
  if (is_traceparent(request.traceparent))
    fuzz::demand(request.traceparent.size() >= 55
                     && request.traceparent.find_first_not_of("0123456789abcdef-")
                            == std::string::npos,
                 "no trace context", request.traceparent);
  if (const auto at = parse_stream_cursor(request.stream_cursor))
    fuzz::demand(parse_stream_cursor(to_string(*at)) == at,
                 "a cursor that reads otherwise when it is written again", request.stream_cursor);
  if (const auto at = opt::parse_objective_cursor(request.last_event_id))
    fuzz::demand(opt::parse_objective_cursor(opt::to_string(*at)) == at,
                 "a cursor that reads otherwise when it is written again", request.last_event_id);
  if (const auto at = parse_http_date(trimmed(request.if_modified_since))) {
    std::string written;
    append_http_date(written, *at);
    fuzz::demand(parse_http_date(written) == at,
                 "a date that reads otherwise when it is written again", request.if_modified_since,
                 written);
  }
  http_response response;
  (void)apply_cors("*", request, response);
  fuzz::demand(allows_origin("*", request.origin), "everybody is allowed", request.origin);
  fuzz::demand(request.origin.empty() == response.headers.empty(),
               "an answer to a page that did not ask", response.headers);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzz::text_of(data, size);
  const auto whole = read(bytes, bytes.size() + 1);
  check_cut_anywhere(bytes, whole);
  if (!whole.whole)
    return 0;
  check_one_line(whole.request);
  check_path(whole.request);
  check_query(whole.request);
  check_version(whole.request);
  check_media_types(whole.request);
  check_values(whole.request);
  return 0;
}
