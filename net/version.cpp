#include "net/version.hpp"

#include "net/http/http_request.hpp"
#include "protocol/a2a/stream_mark.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/hitl.hpp"
#include "protocol/text/hex.hpp"
#include <troupe/protocol/progress.hpp>

#include <algorithm>

namespace troupe::net {

namespace {

/// Takes digits off the front; false if there are none.
bool skip_digits(std::string_view& text) noexcept {
  std::size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9')
    ++count;
  text.remove_prefix(count);
  return count > 0;
}

/// `Major.Minor`, without a third component; empty if `text` is not a version.
std::string_view major_minor(std::string_view text) noexcept {
  std::string_view rest = text;
  if (!skip_digits(rest) || !rest.starts_with('.'))
    return {};
  rest.remove_prefix(1);
  if (!skip_digits(rest))
    return {};
  const auto result = text.substr(0, text.size() - rest.size());
  if (rest.empty())
    return result;
  if (!rest.starts_with('.'))
    return {};
  rest.remove_prefix(1);
  return skip_digits(rest) && rest.empty() ? result : std::string_view{};
}

} // namespace

asked_version parse_version(std::string_view header, std::string_view query) noexcept {
  auto text = trimmed(header);
  if (text.empty())
    text = trimmed(query);
  if (text.empty())
    return asked_version::absent;
  const auto version = major_minor(text);
  if (version == "1.0")
    return asked_version::v1_0;
  if (version == "0.3")
    return asked_version::v0_3;
  return asked_version::unknown;
}

bool is_traceparent(std::string_view text) noexcept {
  constexpr std::string_view form = "00-00000000000000000000000000000000-0000000000000000-00";
  if (text.size() < form.size() || (text.size() > form.size() && text[form.size()] != '-'))
    return false;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == '-' ? text[i] != '-' : !is_hex_digit(text[i]))
      return false;
  return text.size() <= 2 * form.size()
         && std::ranges::all_of(text, [](char c) { return c == '-' || is_hex_digit(c); });
}

bool is_tracestate(std::string_view text) noexcept {
  return !text.empty() && text.size() <= tracestate_bytes_max
         && std::all_of(text.begin(), text.end(),
                        [](char each) { return (each >= ' ' && each <= '~') || each == '\t'; });
}

active_extensions parse_extensions(std::string_view list) noexcept {
  active_extensions active;
  while (!list.empty()) {
    const auto uri = take_list_item(list);
    active.opt = active.opt || uri == opt::uri;
    active.progress = active.progress || uri == progress_uri;
    active.cursors = active.cursors || uri == stream_cursor_uri;
    active.idempotent_sends = active.idempotent_sends || uri == idempotent_send_uri;
    active.hitl = active.hitl || uri == hitl::uri;
  }
  return active;
}

void append_extensions_header(std::string& out, const active_extensions& active,
                              asked_version version) {
  if (!active.any())
    return;
  std::string uris;
  const auto add = [&](bool is_active, std::string_view uri) {
    if (is_active)
      uris.append(uris.empty() ? "" : ", ").append(uri);
  };
  add(active.opt, opt::uri);
  add(active.progress, progress_uri);
  add(active.cursors, stream_cursor_uri);
  add(active.hitl, hitl::uri);
  add(active.idempotent_sends, idempotent_send_uri);
  out.append("A2A-Extensions: ").append(uris).append("\r\n");
  if (version == asked_version::v0_3 || version == asked_version::absent)
    out.append("X-A2A-Extensions: ").append(uris).append("\r\n");
}

} // namespace troupe::net
