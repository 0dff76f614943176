#include "store/session/session_index.hpp"

#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_writer.hpp"
#include "store/session/session_names.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

namespace troupe::sessions {

namespace json = boost::json;

namespace {

bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// A part of the text.
struct extent {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The members of an object, as parts of a text that is known to be JSON.
class object_scan {
public:
  explicit object_scan(std::string_view text) : text_(text) {
    skip_blanks();
    ++at_; // {
    for (skip_blanks(); text_[at_] != '}'; skip_blanks()) {
      const auto name = take_string();
      skip_blanks();
      ++at_; // :
      skip_blanks();
      const auto begin = at_;
      take_value();
      members.push_back({name, {begin, at_}});
      skip_blanks();
      if (text_[at_] == ',')
        ++at_;
    }
    end = at_;
  }

  struct member {
    extent name; ///< With its quotes.
    extent value;
  };
  std::vector<member> members;
  std::size_t end = 0; ///< Of the last brace.

private:
  void skip_blanks() noexcept {
    while (is_blank(text_[at_]))
      ++at_;
  }
  extent take_string() noexcept {
    const auto begin = at_;
    for (++at_; text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\')
        ++at_;
    return {begin, ++at_};
  }
  void take_value() noexcept {
    std::size_t depth = 0;
    do {
      const auto c = text_[at_];
      if (c == '"') {
        take_string();
        continue;
      }
      if (c == '{' || c == '[')
        ++depth;
      else if (c == '}' || c == ']')
        --depth;
      ++at_;
    } while (depth > 0 || !is_value_end(text_[at_]));
  }
  static bool is_value_end(char c) noexcept {
    return c == ',' || c == '}' || c == ']' || is_blank(c);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void write_entry(json_writer& out, const index_entry& entry, const json::object* before) {
  const auto milliseconds = [](timestamp at) {
    return std::int64_t{at.time_since_epoch().count()};
  };
  out.begin_object().member("sessionId", entry.session_id).member("sessionFile", entry.file);
  out.key("sessionStartedAt").number(milliseconds(entry.started));
  out.key("updatedAt").number(milliseconds(entry.updated));
  out.member("displayName", entry.display_name);
  if (before != nullptr)
    for (const auto& member : *before) {
      const std::string_view name{member.key().data(), member.key().size()};
      if (name != "sessionId" && name != "sessionFile" && name != "sessionStartedAt"
          && name != "updatedAt" && name != "displayName")
        out.escaped_key(name).value(member.value());
    }
  out.end_object();
}

result<json::object> parse_index(std::string_view text) {
  json::parse_options options;
  options.max_depth = 512; // Of what others wrote.
  boost::system::error_code failed;
  auto tree = parse_json(text, failed, {}, options);
  if (failed)
    return make_error(errc::store_failed, "it is not JSON (" + json_fault(failed) + ")");
  if (!tree.is_object())
    return make_error(errc::store_failed, "it is not a JSON object");
  return std::move(tree.get_object());
}

error unusable_index(const std::string& path, const error& why) {
  return make_error(errc::store_failed, "The file " + path + " cannot be used: " + why.message
                                            + ". It was not changed; move it away, and try again.");
}

std::string key_text(std::string_view key) {
  std::string out;
  json_writer{out}.string(key);
  return out;
}

} // namespace

result<std::string> with_entries(std::string_view text, const std::vector<index_entry>& entries) {
  std::string whole{text.find_first_not_of(" \t\r\n") == std::string_view::npos ? "{}" : text};
  const auto known = parse_index(whole);
  if (!known)
    return known.error();
  const object_scan scan{whole};
  std::unordered_map<std::string, std::vector<extent>> values; // By the name as we spell it.
  for (const auto& member : scan.members) {
    auto name = whole.substr(member.name.begin, member.name.end - member.name.begin);
    if (name.find('\\') != std::string::npos) { // It may be spelled otherwise, with escapes.
      boost::system::error_code ignored;
      if (const auto read = parse_json(name, ignored); read.is_string())
        name = key_text({read.get_string().data(), read.get_string().size()});
    }
    values[name].push_back(member.value);
  }
  std::map<std::size_t, std::pair<extent, std::string>> changes; // By the place in `whole`.
  std::string added;
  for (const auto& entry : entries) {
    const auto* before = known->if_contains(entry.key);
    std::string value;
    json_writer to{value};
    write_entry(to, entry, before != nullptr ? before->if_object() : nullptr);
    const auto name = key_text(entry.key);
    const auto there = values.find(name);
    if (there != values.end())
      for (const auto& each : there->second)
        changes[each.begin] = {each, value};
    else
      added += (scan.members.empty() && added.empty() ? "\n  " : ",\n  ") + name + ": " + value;
  }
  std::string out;
  std::size_t taken = 0;
  const auto copy_to = [&](std::size_t end) {
    out.append(whole, taken, end - taken);
    taken = end;
  };
  for (const auto& [begin, change] : changes) {
    copy_to(begin);
    out += change.second;
    taken = change.first.end;
  }
  if (!added.empty()) {
    const auto end = scan.members.empty() ? scan.end : scan.members.back().value.end;
    copy_to(end);
    out += added;
    if (scan.members.empty())
      out += '\n';
  }
  copy_to(whole.size());
  if (!out.ends_with('\n'))
    out += '\n';
  return out;
}

result<std::vector<index_entry>> read_index(const std::string& directory) {
  const auto path = directory + "/" + std::string{index_name};
  const auto text = read_small_file(path);
  if (!text)
    return make_error(errc::store_unreadable, text.error().message);
  std::vector<index_entry> out;
  if (text->empty())
    return out;
  const auto tree = parse_index(*text);
  if (!tree)
    return unusable_index(path, tree.error());
  const auto text_in = [](const json::object& in, const char* name) {
    const auto* found = in.if_contains(name);
    return found != nullptr && found->is_string() ? std::string{found->get_string()}
                                                  : std::string{};
  };
  const auto time_in = [](const json::object& in, const char* name) {
    const auto* found = in.if_contains(name);
    return timestamp{
        std::chrono::milliseconds{found != nullptr && found->is_int64() ? found->get_int64() : 0}};
  };
  for (const auto& member : *tree) {
    const std::string key{member.key().data(), member.key().size()};
    const auto* entry = member.value().if_object();
    if (entry != nullptr && objective_of(key))
      out.push_back({.key = key,
                     .session_id = text_in(*entry, "sessionId"),
                     .file = text_in(*entry, "sessionFile"),
                     .started = time_in(*entry, "sessionStartedAt"),
                     .updated = time_in(*entry, "updatedAt"),
                     .display_name = text_in(*entry, "displayName")});
  }
  return out;
}

result<void> write_index(const std::string& directory, const std::vector<index_entry>& entries,
                         file_calls& calls) {
  if (entries.empty())
    return {};
  const auto path = directory + "/" + std::string{index_name};
  const auto before = read_small_file(path);
  if (!before)
    return before.error();
  const auto after = with_entries(*before, entries);
  if (!after)
    return unusable_index(path, after.error());
  return *after == *before ? result<void>{} : replace_file(path, *after, calls);
}

} // namespace troupe::sessions
