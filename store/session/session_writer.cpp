#include "store/session/session_writer.hpp"

#include "protocol/record/change_line.hpp"
#include "store/session/session_chain.hpp"
#include "store/session/session_line.hpp"
#include "store/session/session_names.hpp"
#include "store/session/session_reader.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace troupe::sessions {

namespace {

namespace fs = std::filesystem;

bool is_there(const std::string& path) {
  std::error_code unknown;
  return fs::symlink_status(path, unknown).type() != fs::file_type::not_found;
}

/// The last archive of the file; empty: there is none.
std::string last_archive(const std::string& directory, std::string_view file) {
  std::string out;
  std::optional<timestamp> last;
  std::error_code unknown;
  for (const auto& each : fs::directory_iterator{directory, unknown}) {
    const auto name = each.path().filename().string();
    if (const auto at = archive_time_of(name, file); at && (!last || *at > *last)) {
      last = at;
      out = name;
    }
  }
  return out;
}

} // namespace

session_writer::session_writer(std::string directory, const objective_id& id, file_calls& calls)
    : calls_(calls), directory_(std::move(directory)), key_(key_of(id)), name_(file_name_of(id)) {}

result<std::unique_ptr<session_writer>> session_writer::open(std::string directory,
                                                             const objective_id& id,
                                                             file_calls& calls,
                                                             const std::string* last_archive) {
  std::unique_ptr<session_writer> out{new session_writer{std::move(directory), id, calls}};
  if (auto ok = out->look(last_archive); !ok)
    return ok.error();
  return out;
}

result<void> session_writer::look(const std::string* archive) {
  const auto is_taken_up = look_at_file();
  if (!is_taken_up)
    return is_taken_up.error();
  if (*is_taken_up)
    return {};
  if (archived_.empty()) // Else it was renamed just now.
    archived_ = archive != nullptr ? *archive : last_archive(directory_, name_);
  if (archived_.empty())
    return {};
  auto last = read_session_file(path_of(archived_));
  if (!last)
    return last.error();
  state_ = std::move(last->state);
  parent_ = last->head.parent;
  began_ = last->head.at;
  return {};
}

/// The file that grows. False: there is none, or nothing in it.
result<bool> session_writer::look_at_file() {
  const auto path = path_of(name_);
  if (!is_there(path) || is_only_begun(path))
    return false;
  auto reading = read_session_file(path);
  if (!reading)
    return reading.error();
  if (reading->head.key != key_)
    return make_error(errc::store_failed, "The session file " + path + " is of "
                                              + shown(reading->head.key) + ", not of " + shown(key_)
                                              + "; move it away.");
  const bool is_archived = reading->is_archived;
  // Only what begins it is there: the change for which it was begun did not get into it.
  const std::uint64_t begun = reading->head.parent.empty() ? 0 : 1;
  if (reading->events <= begun && reading->foreign == 0)
    return false;
  if (auto ok = go_on(std::move(*reading)); !ok)
    return ok.error();
  if (!is_archived)
    return true;
  if (auto ok = close_archive(); !ok) // Its writer did not come to the rename.
    return ok.error();
  return false;
}

result<void> session_writer::go_on(session_reading reading) {
  const auto path = path_of(name_);
  auto file = growing_file::open(path, reading.bytes, calls_);
  if (!file)
    return file.error();
  file_ = std::move(*file);
  if (reading.cut)
    cut_ = path + " was cut short in line " + std::to_string(reading.cut->line) + " ("
           + reading.cut->problem + "): its last " + std::to_string(reading.cut->bytes)
           + " bytes were dropped.";
  state_ = std::move(reading.state);
  parent_ = std::move(reading.head.parent);
  began_ = reading.head.at;
  last_id_ = std::move(reading.last_id);
  events_ = reading.events;
  safe_bytes_ = reading.bytes;
  return reading.has_line_end ? result<void>{} : file_->append("\n");
}

result<void> session_writer::add(const change& news, std::string_view row) {
  const bool is_root = !news.task.id.empty() && news.task.lone;
  if (news.sequence <= (is_root ? state_.root_sequence() : state_.sequence()))
    return {};
  if (file_ && state_.is_over())
    if (auto ok = archive(); !ok)
      return ok;
  if (!file_)
    if (auto ok = begin_file(news.at); !ok)
      return ok;
  if (auto ok = state_.take(news); !ok)
    return make_error(ok.error().code,
                      "The session file " + path_of(name_) + " does not fit the data directory: "
                          + ok.error().message + ". Move it away, and export again.");
  std::string event;
  if (row.empty())
    write_change_event(event, news);
  else
    record::write_line(event, {news.stream(), is_root, news.sequence, row});
  ++added_;
  return write_line(event, news.at);
}

result<void> session_writer::begin_file(timestamp at) {
  auto file = growing_file::open(path_of(name_), 0, calls_);
  if (!file)
    return file.error();
  file_ = std::move(*file);
  safe_bytes_ = 0;
  parent_ = archived_;
  began_ = at;
  events_ = 0;
  last_id_.clear();
  std::string line;
  write_head(line, {.key = key_, .at = at, .parent = parent_});
  line += '\n';
  if (auto ok = file_->append(line); !ok || parent_.empty())
    return ok;
  std::string event;
  write_snapshot_event(event, state_);
  return write_line(event, at);
}

result<void> session_writer::write_line(const std::string& event, timestamp at) {
  std::string line;
  write_event(line, {.number = ++events_, .event = event, .parent = last_id_, .at = at});
  if (line.size() > line_bytes_max)
    return make_error(errc::store_failed, "A line of " + path_of(name_)
                                              + " would be longer than a session file allows ("
                                              + std::to_string(line_bytes_max) + " bytes).");
  line += '\n';
  last_id_ = line_id_of(events_);
  return file_->append(line);
}

result<void> session_writer::write_out() {
  return file_ ? file_->write_out() : result<void>{};
}

result<void> session_writer::close() {
  if (!file_)
    return {};
  if (state_.is_over() && !is_closed_) {
    std::string event;
    write_archived_event(event, state_);
    if (auto ok = write_line(event, state_.at()); !ok)
      return ok;
    is_closed_ = true;
  }
  return file_->write_out();
}

result<void> session_writer::settle() {
  if (!file_)
    return {};
  safe_bytes_ = file_->size();
  return is_closed_ ? rename_to_archive() : result<void>{};
}

void session_writer::roll_back() {
  if (!file_)
    return;
  file_->cut(safe_bytes_);
  [[maybe_unused]] const auto ignored = file_->write_out(); // It is tried again with what follows.
}

result<void> session_writer::archive() {
  if (auto ok = close(); !ok)
    return ok;
  return close_archive();
}

/// Behind its last line.
result<void> session_writer::close_archive() {
  if (auto ok = file_->sync(); !ok)
    return ok;
  if (auto ok = rename_to_archive(); !ok)
    return ok;
  return sync_names(directory_, calls_);
}

result<void> session_writer::rename_to_archive() {
  file_.reset();
  is_closed_ = false;
  auto at = state_.at();
  archived_ = archive_name_of(name_, at);
  while (is_there(path_of(archived_))) // Of a retry that was over at once.
    archived_ = archive_name_of(name_, at += std::chrono::milliseconds{1});
  return rename_file(path_of(name_), path_of(archived_), calls_);
}

result<void> session_writer::finish() {
  if (!file_)
    return {};
  if (state_.is_over())
    return archive();
  if (auto ok = file_->sync(); !ok)
    return ok;
  return sync_names(directory_, calls_);
}

index_entry session_writer::entry() const {
  return {.key = key_,
          .session_id = session_id_of(key_, parent_),
          .file = file_ ? name_ : archived_,
          .started = began_,
          .updated = state_.at(),
          .display_name = state_.view()->name};
}

} // namespace troupe::sessions
