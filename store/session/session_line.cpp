#include "store/session/session_line.hpp"

#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/text/hex.hpp"
#include "store/session/session_names.hpp"

#include <boost/crc.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace troupe::sessions {

namespace json = boost::json;

namespace {

constexpr std::int64_t head_version = 3; ///< Of OpenClaw's session files.
constexpr std::string_view event_kind = "a2a-opt/v1";
constexpr std::string_view kind_prefix = "a2a-opt/";

// A line of ours is these texts, and between them what its event_line says.
constexpr std::string_view number_head =
    R"({"type":"custom","customType":"a2a-opt/v1","data":{"seq":)";
constexpr std::string_view checksum_head = R"(,"crc":")";
constexpr std::string_view event_head = R"(","event":)";
constexpr std::string_view id_head = R"(},"id":")";
constexpr std::string_view parent_head = R"(","parentId":)";
constexpr std::string_view time_head = R"(,"timestamp":")";
constexpr std::string_view line_tail = R"("})";
constexpr std::string_view no_parent = "null";
constexpr std::size_t checksum_digits = 8;

/// CRC-32 as in zlib and gzip, over the line with zeros for the digits of the checksum.
std::uint32_t checksum_of(std::string_view line, std::size_t digits_at) {
  constexpr std::string_view zeros = "00000000";
  boost::crc_32_type crc;
  crc.process_bytes(line.data(), digits_at);
  crc.process_bytes(zeros.data(), zeros.size());
  crc.process_bytes(line.data() + digits_at + checksum_digits,
                    line.size() - digits_at - checksum_digits);
  return crc.checksum();
}

bool take_text(std::string_view& from, std::string_view expected) noexcept {
  if (!from.starts_with(expected))
    return false;
  from.remove_prefix(expected.size());
  return true;
}

/// What stands before `end`, and takes both.
std::optional<std::string_view> take_until(std::string_view& from, std::string_view end) noexcept {
  const auto at = from.find(end);
  if (at == std::string_view::npos)
    return std::nullopt;
  const auto out = from.substr(0, at);
  from.remove_prefix(at + end.size());
  return out;
}

std::optional<std::uint64_t> number_in(std::string_view digits, int base) noexcept {
  std::uint64_t out = 0;
  const auto* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, out, base);
  return read.ec == std::errc{} && read.ptr == end ? std::optional{out} : std::nullopt;
}

json::value parse_line(std::string_view line, boost::system::error_code& failed) {
  json::parse_options options;
  options.max_depth = 512; // Other programs may nest deeper than ours.
  return parse_json(line, failed, {}, options);
}

std::string_view text_member(const json::object& in, std::string_view name) noexcept {
  const auto* found = in.if_contains({name.data(), name.size()});
  if (found == nullptr || !found->is_string())
    return {};
  return {found->get_string().data(), found->get_string().size()};
}

damaged_line damaged(std::string problem) {
  return {std::move(problem)};
}

/// Whether it was a line of ours before something happened to it: one damaged member does not make
/// it a line of somebody else.
bool was_ours(const json::object& line) {
  if (text_member(line, "customType").starts_with(kind_prefix))
    return true;
  const auto* data = line.if_contains("data");
  const auto* object = data != nullptr ? data->if_object() : nullptr;
  return object != nullptr && object->contains("crc") && object->contains("event");
}

/// Whether JSON writes it as it is.
bool can_be_parent(std::string_view id) noexcept {
  return id.size() <= line_id_bytes_max && std::ranges::all_of(id, [](char c) {
           return c > ' ' && c <= '~' && c != '"' && c != '\\';
         });
}

std::variant<event_line, foreign_line, damaged_line> read_other(std::string_view line) {
  boost::system::error_code failed;
  const auto tree = parse_line(line, failed);
  if (failed)
    return damaged("it is not JSON (" + json_fault(failed) + ")");
  const auto* object = tree.if_object();
  if (object == nullptr)
    return damaged("it is not a JSON object");
  const auto kind = text_member(*object, "customType");
  if (kind.starts_with(kind_prefix) && kind != event_kind)
    return damaged("it is of another version, " + shown(kind));
  if (was_ours(*object))
    return damaged("it is not as it was written");
  const auto id = text_member(*object, "id");
  return foreign_line{can_be_parent(id) ? std::string{id} : std::string{}};
}

/// `"<id>"` or `null`, up to the time.
std::optional<std::string_view> take_parent(std::string_view& from) noexcept {
  const auto text = take_until(from, time_head);
  if (!text || *text == no_parent)
    return text ? std::optional{std::string_view{}} : std::nullopt;
  if (text->size() < 2 || text->front() != '"' || text->back() != '"')
    return std::nullopt;
  return text->substr(1, text->size() - 2);
}

} // namespace

void write_head(std::string& out, const session_head& head) {
  json_writer to{out};
  to.begin_object().member("type", "session").key("version").number(head_version);
  to.member("id", session_id_of(head.key, head.parent)).key("timestamp").time(head.at);
  to.member("cwd", "").member("key", head.key).optional_member("parentSession", head.parent);
  to.end_object();
}

result<session_head> read_head(std::string_view line) {
  const auto refuse = [](std::string why) {
    return make_error(errc::store_failed, std::move(why));
  };
  boost::system::error_code failed;
  const auto tree = parse_line(line, failed);
  const auto* object = tree.if_object();
  if (failed || object == nullptr || text_member(*object, "type") != "session")
    return refuse("it does not begin with the line of a session");
  const auto* version = object->if_contains("version");
  if (version == nullptr || *version != json::value(head_version))
    return refuse("it is a session of another version than " + std::to_string(head_version));
  session_head out{.key = std::string{text_member(*object, "key")},
                   .parent = std::string{text_member(*object, "parentSession")}};
  if (!objective_of(out.key))
    return refuse("it is not the session of an objective (its key is "
                  + (out.key.empty() ? std::string{"missing"} : shown(out.key)) + ")");
  if (text_member(*object, "id") != session_id_of(out.key, out.parent))
    return refuse("its first line is damaged: id and key do not fit");
  const auto at = parse_rfc3339(text_member(*object, "timestamp"));
  if (!at)
    return refuse("its first line is damaged: it has no timestamp");
  out.at = *at;
  return out;
}

std::string line_id_of(std::uint64_t number) {
  std::string out;
  append_hex(out, number, 8);
  return out;
}

void write_event(std::string& out, const event_line& line) {
  const auto begin = out.size();
  out.append(number_head).append(std::to_string(line.number)).append(checksum_head);
  const auto digits_at = out.size() - begin;
  out.append(checksum_digits, '0').append(event_head).append(line.event);
  out.append(id_head).append(line_id_of(line.number)).append(parent_head);
  if (line.parent.empty())
    out.append(no_parent);
  else
    out.append(1, '"').append(line.parent).append(1, '"');
  out.append(time_head);
  append_rfc3339(out, line.at);
  out.append(line_tail);
  std::string digits;
  append_hex(digits, checksum_of(std::string_view{out}.substr(begin), digits_at), checksum_digits);
  std::ranges::copy(digits, out.begin() + static_cast<std::ptrdiff_t>(begin + digits_at));
}

std::variant<event_line, foreign_line, damaged_line> read_line(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos)
    return foreign_line{};
  auto left = line;
  if (!take_text(left, number_head))
    return read_other(line);
  const auto number_text = take_until(left, checksum_head);
  const auto number = number_text ? number_in(*number_text, 10) : std::nullopt;
  const auto digits_at = line.size() - left.size();
  if (!number || left.size() < checksum_digits)
    return damaged("it is not as it was written");
  const auto digits = left.substr(0, checksum_digits);
  const auto expected =
      std::ranges::all_of(digits, is_hex_digit) ? number_in(digits, 16) : std::nullopt;
  if (!expected || *expected != checksum_of(line, digits_at))
    return damaged("its checksum does not fit");
  left.remove_prefix(checksum_digits);
  const bool has_event = take_text(left, event_head);
  const auto event_end = left.rfind(id_head);
  if (!has_event || event_end == std::string_view::npos)
    return damaged("it is not as it was written");
  event_line out;
  out.number = *number;
  out.event = left.substr(0, event_end);
  left.remove_prefix(event_end + id_head.size());
  const auto id = take_until(left, parent_head);
  const auto parent = take_parent(left);
  const auto time = take_until(left, line_tail);
  const auto at = time ? parse_rfc3339(*time) : std::nullopt;
  if (!id || *id != line_id_of(out.number) || !parent || !at || !left.empty())
    return damaged("it is not as it was written");
  out.parent = *parent;
  out.at = *at;
  return out;
}

} // namespace troupe::sessions
