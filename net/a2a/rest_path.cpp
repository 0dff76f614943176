#include "net/a2a/rest_path.hpp"

#include "protocol/text/percent.hpp"

#include <array>
#include <utility>
#include <vector>

namespace troupe::net {

namespace {

/// More segments than any path has.
constexpr std::size_t segments_max = 6;

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty() && out.size() < segments_max) {
    const auto slash = path.find('/');
    if (slash != 0)
      out.push_back(path.substr(0, slash));
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
  }
  return out;
}

/// Segments of a push configuration's path. Its id is chosen by the client and may have colons (RFC
/// 3986 3.3), and there is nothing to do with one but what verbs say: no action is taken off it.
constexpr std::size_t config_segments = 4;

/// Takes `:action` off the last segment.
std::string_view take_action(std::string_view& segment) {
  const auto colon = segment.rfind(':');
  if (colon == std::string_view::npos)
    return {};
  const auto action = segment.substr(colon + 1);
  segment = segment.substr(0, colon);
  return action;
}

std::string_view card_segment(bool below_v1) {
  return below_v1 ? "card" : "extendedAgentCard";
}

/// Whether one of the binding's paths begins with `segment`; else it is a tenant.
bool begins_path(std::string_view segment) {
  return segment == "tasks" || segment == "objectives" || segment == "plans" || segment == "inputs"
         || segment.starts_with("message:") || segment == card_segment(false);
}

/// One row for each kind of path: its first segment, the third, if it has one, and how many there
/// are.
struct path_row {
  std::string_view first;
  std::string_view third;
  std::size_t segments;
  rest_resource resource;
};

constexpr auto path_rows = std::to_array<path_row>({
    {"message", {}, 1, rest_resource::message},
    {"tasks", {}, 1, rest_resource::tasks},
    {"tasks", {}, 2, rest_resource::task},
    {"tasks", "pushNotificationConfigs", 3, rest_resource::push_configs},
    {"tasks", "pushNotificationConfigs", config_segments, rest_resource::push_config},
    {"objectives", {}, 1, rest_resource::objectives},
    {"objectives", {}, 2, rest_resource::objective},
    {"objectives", "plans", 3, rest_resource::plans},
    {"plans", {}, 2, rest_resource::plan},
    {"inputs", {}, 1, rest_resource::inputs},
    {"inputs", {}, 2, rest_resource::input},
});

std::optional<rest_resource> resource_of(const std::vector<std::string_view>& segments,
                                         bool below_v1) {
  if (segments.size() == 1 && segments.front() == card_segment(below_v1))
    return rest_resource::extended_card;
  for (const auto& row : path_rows)
    if (row.first == segments.front() && row.segments == segments.size()
        && (segments.size() < 3 || row.third == segments[2]))
      return row.resource;
  return std::nullopt;
}

/// False if `segment` is not properly encoded, or empty.
bool decode(std::string_view segment, std::string& to) {
  auto text = percent_decoded(segment);
  if (!text || text->empty())
    return false;
  to = std::move(*text);
  return true;
}

} // namespace

std::optional<rest_path> parse_rest_path(std::string_view path) {
  auto segments = split(path);
  if (segments.empty())
    return std::nullopt;
  rest_path out;
  out.below_v1 = segments.front() == "v1" && segments.size() > 1;
  if (out.below_v1)
    segments.erase(segments.begin());
  if (!out.below_v1 && segments.size() > 1 && !begins_path(segments.front())) {
    if (!decode(segments.front(), out.tenant))
      return std::nullopt;
    segments.erase(segments.begin());
  }
  if (segments.size() < config_segments)
    out.action = take_action(segments.back());
  const auto resource = resource_of(segments, out.below_v1);
  if (!resource)
    return std::nullopt;
  out.resource = *resource;
  if (segments.size() > 1 && !decode(segments[1], out.id))
    return std::nullopt;
  if (segments.size() == config_segments && !decode(segments[3], out.config))
    return std::nullopt;
  return out;
}

} // namespace troupe::net
