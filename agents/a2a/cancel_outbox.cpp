#include "agents/a2a/cancel_outbox.hpp"

#include "client/replace_file.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/text_in.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe {

namespace json = boost::json;

namespace {

/// What cannot be synced is delivered by this process, or by the next one unless power is lost.
void sync_file(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0)
    return;
  ::fsync(file);
  ::close(file);
}

} // namespace

void cancel_outbox::read() {
  if (std::exchange(is_read_, true) || path_.empty())
    return;
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    ++lines_;
    is_torn_ = file.eof(); // the line has no end
    boost::system::error_code failed;
    const auto tree = parse_json(line, failed);
    if (failed) // the last line of a process that was killed
      continue;
    if (auto note = text_in(tree, "cancel"); !note.empty())
      notes_[text_in(tree, "message")] = std::move(note);
    else
      notes_.erase(text_in(tree, "settled"));
  }
}

/// Without what is crossed out. False: it was not written, and the file is as it was.
bool cancel_outbox::write_anew() {
  std::string text;
  for (const auto& [message, note] : notes_) {
    json::object one;
    one["cancel"] = note;
    one["message"] = message;
    text += json::serialize(one) + "\n";
  }
  if (!replace_file(path_, text))
    return false;
  lines_ = notes_.size();
  is_torn_ = false;
  return true;
}

void cancel_outbox::append(const std::string& line) {
  if (path_.empty())
    return;
  const bool is_empty = notes_.empty();
  // Half of the lines at least are crossed out: it does not begin anew with each line.
  const bool is_long = lines_ >= outbox_lines_max && lines_ >= 2 * notes_.size();
  if (!is_empty && is_long && write_anew())
    return;
  const int file =
      ::open(path_.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC | (is_empty ? O_TRUNC : 0),
             S_IRUSR | S_IWUSR);
  if (file < 0)
    return; // what is not written down is delivered by this process only
  const bool was_torn = std::exchange(is_torn_, false);
  if (is_empty) {
    lines_ = 0;
  } else {
    const auto text = (was_torn ? "\n" : "") + line + "\n";
    if (::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      is_torn_ = true; // the disk is full
    ++lines_;
  }
  ::close(file);
}

void cancel_outbox::sync() {
  if (path_.empty() || !std::exchange(is_dirty_, false))
    return;
  sync_file(path_, O_WRONLY);
  if (std::exchange(is_listed_, true))
    return;
  const auto folder = std::filesystem::path(path_).parent_path();
  sync_file(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY);
}

std::vector<delegation_note> cancel_outbox::pending() {
  read();
  std::vector<delegation_note> out;
  for (const auto& [message, text] : notes_)
    if (auto note = read_note(text))
      out.push_back(std::move(*note));
  return out;
}

void cancel_outbox::add(const delegation_note& note) {
  read();
  auto text = write_note(note);
  json::object one;
  one["cancel"] = text;
  one["message"] = note.message;
  notes_[note.message] = std::move(text);
  append(json::serialize(one));
  is_dirty_ = true;
}

void cancel_outbox::remove(const delegation_note& note) {
  read();
  if (notes_.erase(note.message) == 0)
    return;
  json::object one;
  one["settled"] = note.message;
  append(json::serialize(one));
}

} // namespace troupe
