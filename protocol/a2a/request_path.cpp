#include "protocol/a2a/request_path.hpp"

#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/trace.hpp>

#include <boost/json/array.hpp>

#include <algorithm>

namespace troupe {

namespace {

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
