#include "protocol/a2a/request_path.hpp"

#include "protocol/text/hex.hpp"
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/trace.hpp>

#include <boost/json/array.hpp>

#include <algorithm>

namespace troupe {

namespace {

constexpr std::string_view tracestate_key = "troupe=";
/// W3C Trace Context section 3.3.1.3.2.
constexpr std::size_t tracestate_value_max = 256;

/// What a value may not have, or means something between servers, as `%` and two digits.
std::string as_trace_text(std::string_view id) {
  std::string out;
  for (const char c : id) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                          || c == '-' || c == '.' || c == '_';
    if (is_plain)
      out += c;
    else
      out += "%" + to_hex(std::string_view(&c, 1));
  }
  return out;
}

std::string from_trace_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digits = text.substr(i + 1, 2);
    if (text[i] == '%' && digits.size() == 2 && is_hex_digit(digits[0])
        && is_hex_digit(digits[1])) {
      out += static_cast<char>(hex_digits.find(digits[0]) * 16 + hex_digits.find(digits[1]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Calls `with` for each part of `text` between separators, blanks around it left out.
template<class Function>
void for_each_part(std::string_view text, char separator, Function with) {
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    auto part = text.substr(0, end);
    while (part.starts_with(' ') || part.starts_with('\t'))
      part.remove_prefix(1);
    while (part.ends_with(' ') || part.ends_with('\t'))
      part.remove_suffix(1);
    if (!part.empty())
      with(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string path_in_words(const std::vector<std::string>& path) {
  std::string out;
  for (const auto& each : path)
    out += (out.empty() ? "" : " -> ") + each;
  return out;
}

} // namespace

std::vector<std::string> path_in(const boost::json::object& metadata) {
  std::vector<std::string> out;
  const auto* found = metadata.if_contains(request_path_key);
  const auto* list = found == nullptr ? nullptr : found->if_array();
  if (list == nullptr)
    return out;
  for (const auto& each : *list)
    if (const auto* id = each.if_string(); id != nullptr && out.size() < trace_path_max)
      out.emplace_back(std::string_view(*id).substr(0, id_bytes_max));
  return out;
}

std::vector<std::string> path_in_tracestate(std::string_view tracestate) {
  std::vector<std::string> out;
  for_each_part(tracestate, ',', [&](std::string_view member) {
    if (!member.starts_with(tracestate_key) || !out.empty())
      return;
    for_each_part(member.substr(tracestate_key.size()), ':', [&](std::string_view id) {
      if (out.size() < trace_path_max)
        out.push_back(from_trace_text(id).substr(0, id_bytes_max));
    });
  });
  return out;
}

std::string with_path(std::string_view tracestate, const std::vector<std::string>& path) {
  std::string value;
  for (auto each = path.rbegin(); each != path.rend(); ++each) {
    auto more = as_trace_text(*each) + (value.empty() ? "" : ":") + value;
    if (more.size() > tracestate_value_max)
      break;
    value = std::move(more);
  }
  std::string out = value.empty() ? std::string{} : std::string(tracestate_key) + value;
  for_each_part(tracestate, ',', [&](std::string_view member) {
    if (!member.starts_with(tracestate_key))
      out.append(out.empty() ? "" : ",").append(member);
  });
  return out;
}

std::vector<std::string> request_path(const boost::json::object& metadata,
                                      std::string_view tracestate) {
  auto out = path_in(metadata);
  return out.empty() ? path_in_tracestate(tracestate) : out;
}

std::string_view trace_id_in(std::string_view traceparent) noexcept {
  constexpr std::size_t version_size = 3; // "00-"
  constexpr std::size_t trace_id_size = 32;
  return traceparent.size() < version_size + trace_id_size
             ? std::string_view{}
             : traceparent.substr(version_size, trace_id_size);
}

error came_back(const std::string& own, const std::vector<std::string>& path) {
  std::vector<std::string> whole{own, "..."};
  whole.insert(whole.end(), path.begin(), path.end());
  whole.push_back(own);
  return make_error(errc::invalid_request,
                    "the task came through this server before, as its trace says: "
                        + path_in_words(whole));
}

std::optional<timestamp> deadline_in(const boost::json::object& metadata) {
  const auto* found = metadata.if_contains(request_deadline_key);
  const auto* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::nullopt : parse_rfc3339(*text);
}

result<std::vector<std::string>> extended_path(std::vector<std::string> path,
                                               const std::string& own, std::size_t hops_max) {
  const bool is_loop = std::ranges::find(path, own) != path.end();
  path.push_back(own);
  if (is_loop)
    return make_error(errc::invalid_request,
                      "the task came through this server before: " + path_in_words(path));
  if (path.size() > hops_max)
    return make_error(errc::invalid_request, "the task would go through more than "
                                                 + std::to_string(hops_max)
                                                 + " servers: " + path_in_words(path));
  return path;
}

} // namespace troupe
