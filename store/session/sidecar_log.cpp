#include "store/session/sidecar_log.hpp"

#include "protocol/json/base64.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/record/change_line.hpp"
#include "protocol/record/record.hpp"
#include "store/once_table.hpp"
#include "store/session/session_line.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <cerrno>
#include <exception>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <variant>

namespace troupe::sessions {

namespace json = boost::json;

namespace {

constexpr std::string_view sidecar_head = R"({"type":"troupe-rest","version":1})";

error in_sidecar_line(const std::string& path, std::uint64_t line, const std::string& problem) {
  return make_error(errc::store_failed, "The file " + path + " cannot be used: line "
                                            + std::to_string(line) + ": " + problem
                                            + ". Restore it from a backup.");
}

std::string_view member_text(const json::object& in, std::string_view name) {
  const auto& text = in.at({name.data(), name.size()}).as_string();
  return {text.data(), text.size()};
}

std::string decoded(const json::object& in, std::string_view name) {
  auto out = from_base64(member_text(in, name));
  if (!out)
    throw std::system_error{std::make_error_code(std::errc::invalid_argument)};
  return *std::move(out);
}

/// Calls `take` with the entry that the event of a line says.
result<void> take_sidecar_event(std::string_view event,
                                const std::function<result<void>(const group_entry&)>& take) {
  try {
    boost::system::error_code failed;
    const auto tree = parse_json(event, failed);
    const auto* object = failed ? nullptr : tree.if_object();
    if (object != nullptr && object->contains("once")) {
      const auto key = decoded(*object, "once");
      const auto row = decoded(*object, "row");
      return take(group_once{key, row});
    }
    if (object != nullptr && object->contains("push")) {
      const auto* row = object->if_contains("row");
      const auto text = row != nullptr ? json::serialize(*row) : std::string{};
      return take(
          group_push{member_text(*object, "push"), member_text(*object, "config"),
                     row != nullptr ? std::optional<std::string_view>{text} : std::nullopt});
    }
    if (object == nullptr || !object->contains("task"))
      return make_error(errc::store_failed, "its event is of an unknown kind");
    const auto news = record::read_line(event);
    if (!news)
      return news.error();
    std::string row;
    record::write(row, *news);
    return take(group_change{news->stream(), news->sequence, row});
  } catch (const std::exception&) {
    return make_error(errc::store_failed, "its event is not whole");
  }
}

void write_sidecar_event(std::string& out, const group_entry& entry) {
  json_writer to{out};
  if (const auto* change = std::get_if<group_change>(&entry)) {
    record::write_line(out, {change->stream, true, change->sequence, change->row});
  } else if (const auto* came = std::get_if<group_once>(&entry)) {
    to.begin_object().member("once", to_base64(came->key));
    to.member("row", to_base64(came->row)).end_object();
  } else {
    const auto& push = std::get<group_push>(entry);
    to.begin_object().member("push", push.task).member("config", push.config);
    if (push.row)
      to.key("row").raw(*push.row);
    to.end_object();
  }
}

bool is_replaceable(const group_entry& entry) noexcept {
  return !std::holds_alternative<group_change>(entry);
}

/// What a later entry with the same name replaces; empty: nothing does.
std::string name_of(const group_entry& entry) {
  if (const auto* came = std::get_if<group_once>(&entry))
    return std::string{"o"}.append(came->key);
  if (const auto* push = std::get_if<group_push>(&entry))
    return std::string{"p"}.append(push->task).append(1, '\0').append(push->config);
  return {};
}

/// Whether nothing is lost with it, if it is the last one of its name.
bool is_over(const group_entry& entry, timestamp now) {
  if (const auto* push = std::get_if<group_push>(&entry))
    return !push->row;
  const auto* came = std::get_if<group_once>(&entry);
  if (came == nullptr)
    return false;
  const auto value = read_once_row(came->key, came->row);
  return value && value->until <= now;
}

/// Takes the lines one after the other. A damaged one is the end, or there is one behind it.
class sidecar_reader {
public:
  using take_fn = std::function<result<void>(const group_entry&, std::uint64_t bytes)>;

  sidecar_reader(const std::string& path, const take_fn& take) : path_(path), take_(take) {}

  bool take(std::string_view line, std::uint64_t bytes, bool has_end) {
    ++number_;
    read_bytes_ += bytes;
    if (number_ == 1) {
      if (line == sidecar_head && has_end)
        out_.bytes = bytes;
      else if (has_end)
        failed_ = in_sidecar_line(path_, 1, "it is of another version, or of another program");
      else
        damage_ = cut_end{1, 0, "it is cut"};
      return !failed_;
    }
    auto found = has_end && line.size() <= line_bytes_max
                     ? read_line(line)
                     : std::variant<event_line, foreign_line, damaged_line>{
                         damaged_line{has_end ? "it is too long" : "it has no end"}};
    const auto* event = std::get_if<event_line>(&found);
    if (event == nullptr) {
      const auto* damaged = std::get_if<damaged_line>(&found);
      if (!damage_)
        damage_ = cut_end{number_, 0, damaged != nullptr ? damaged->problem : "it is not of ours"};
      return true;
    }
    return take_event(*event, bytes);
  }

  result<sidecar_reading> finish() {
    if (failed_)
      return *failed_;
    if (damage_) {
      damage_->bytes = read_bytes_ - out_.bytes;
      out_.cut = damage_;
    }
    return out_;
  }

private:
  bool take_event(const event_line& event, std::uint64_t bytes) {
    if (damage_)
      return fail(damage_->line, damage_->problem + ", and good lines follow it");
    if (event.number != out_.events + 1)
      return fail(number_, "it is entry " + std::to_string(event.number) + ", and entry "
                               + std::to_string(out_.events + 1) + " is missing");
    const auto taken = take_sidecar_event(event.event, [&](const group_entry& entry) {
      if (is_replaceable(entry))
        out_.replaceable_bytes += bytes;
      return take_(entry, bytes);
    });
    if (!taken)
      return fail(number_, taken.error().message);
    ++out_.events;
    out_.bytes = read_bytes_;
    return true;
  }

  bool fail(std::uint64_t line, const std::string& problem) {
    failed_ = in_sidecar_line(path_, line, problem);
    return false;
  }

  const std::string& path_;
  const take_fn& take_;
  sidecar_reading out_;
  std::uint64_t number_ = 0;
  std::uint64_t read_bytes_ = 0;
  std::optional<cut_end> damage_; ///< The first one.
  std::optional<error> failed_;
};

result<sidecar_reading> read_sidecar_lines(const std::string& path,
                                           const sidecar_reader::take_fn& take) {
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown) && !unknown)
    return sidecar_reading{};
  sidecar_reader lines{path, take};
  if (auto read =
          for_each_line(path, [&](std::string_view line, std::uint64_t bytes,
                                  bool has_end) { return lines.take(line, bytes, has_end); });
      !read)
    return read.error();
  return lines.finish();
}

std::string sidecar_line(const group_entry& entry, std::uint64_t number, timestamp at) {
  std::string event;
  write_sidecar_event(event, entry);
  std::string out;
  const auto parent = number == 1 ? std::string{} : line_id_of(number - 1);
  write_event(out, {.number = number, .event = event, .parent = parent, .at = at});
  out += '\n';
  return out;
}

} // namespace

result<sidecar_reading> read_sidecar(const std::string& path,
                                     const std::function<result<void>(const group_entry&)>& take) {
  return read_sidecar_lines(path,
                            [&](const group_entry& entry, std::uint64_t) { return take(entry); });
}

sidecar_log::sidecar_log(const std::string& directory, const sidecar_reading& known,
                         file_calls& calls, std::uint64_t stale_bytes_max)
    : directory_(directory), path_(directory + "/" + std::string{sidecar_name}), calls_(calls),
      stale_bytes_max_(stale_bytes_max), known_(known), safe_(known) {}

result<void> sidecar_log::begin() {
  if (file_)
    return {};
  auto file = growing_file::open(path_, known_.bytes, calls_);
  if (!file)
    return file.error();
  file_ = std::move(*file);
  if (known_.bytes != 0)
    return {};
  known_.bytes = sidecar_head.size() + 1;
  return file_->append(std::string{sidecar_head}.append(1, '\n'));
}

result<void> sidecar_log::add(const group_entry& entry, timestamp at) {
  if (auto ok = begin(); !ok)
    return ok;
  const auto line = sidecar_line(entry, known_.events + 1, at);
  ++known_.events;
  known_.bytes += line.size();
  if (is_replaceable(entry))
    known_.replaceable_bytes += line.size();
  return file_->append(line);
}

result<void> sidecar_log::write_out() {
  return file_ ? file_->write_out() : result<void>{};
}

result<void> sidecar_log::sync() {
  return file_ ? file_->sync() : result<void>{};
}

result<void> sidecar_log::settle(timestamp now) {
  safe_ = known_;
  if (known_.replaceable_bytes < stale_bytes_max_ || known_.replaceable_bytes < known_.bytes / 2)
    return {};
  return compact(now);
}

void sidecar_log::roll_back() {
  known_ = safe_;
  if (!file_)
    return;
  file_->cut(known_.bytes);
  [[maybe_unused]] const auto ignored = file_->write_out(); // It is tried again with what follows.
  if (known_.bytes == 0)
    file_.reset();
}

/// What was replaced, and what is over, is left out.
result<void> sidecar_log::compact(timestamp now) {
  std::unordered_map<std::string, std::uint64_t> last; // The number of the last entry of a name.
  std::uint64_t number = 0;
  const auto known = read_sidecar_lines(path_, [&](const group_entry& entry, std::uint64_t) {
    ++number;
    if (auto name = name_of(entry); !name.empty())
      last[std::move(name)] = number;
    return result<void>{};
  });
  if (!known)
    return known.error();
  const auto part = path_ + ".part";
  auto made = growing_file::open(part, 0, calls_);
  if (!made)
    return made.error();
  sidecar_reading fresh;
  auto ok = (*made)->append(std::string{sidecar_head}.append(1, '\n'));
  number = 0;
  const auto copied = read_sidecar_lines(path_, [&](const group_entry& entry, std::uint64_t) {
    ++number;
    if (is_replaceable(entry) && (last[name_of(entry)] != number || is_over(entry, now)))
      return result<void>{};
    return (*made)->append(sidecar_line(entry, ++fresh.events, now));
  });
  if (ok && !copied)
    ok = copied.error();
  if (ok)
    ok = (*made)->sync();
  if (!ok)
    return ok;
  fresh.bytes = (*made)->size();
  // From here on what is there counts as needed: it is looked at again when as much was added.
  (*made)->release();
  file_.reset();
  if (calls_.rename(part.c_str(), path_.c_str()) != 0)
    return make_error(errc::unavailable, path_ + " cannot be replaced ("
                                             + std::generic_category().message(errno) + ").");
  known_ = safe_ = fresh;
  return sync_names(directory_, calls_);
}

} // namespace troupe::sessions
