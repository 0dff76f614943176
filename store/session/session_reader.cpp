#include "store/session/session_reader.hpp"

#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/record/change_line.hpp"
#include "store/session/session_faults.hpp"
#include "store/session/session_names.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cerrno>
#include <system_error>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::sessions {

namespace json = boost::json;

namespace {

constexpr std::string_view after_stream = R"(,"sequence":)";
constexpr std::string_view snapshot_member = "snapshot";
constexpr std::string_view archived_member = "archived";

error in_line(std::uint64_t number, const std::string& problem) {
  return make_error(errc::store_failed, "line " + std::to_string(number) + ": " + problem);
}

/// Whether the event is a change: the sequence follows the stream's id there.
bool is_change(std::string_view event) noexcept {
  auto at = event.find(R"(":")");
  if (at == std::string_view::npos)
    return false;
  for (at += 3; at < event.size() && event[at] != '"'; ++at)
    if (event[at] == '\\')
      ++at;
  return at < event.size() && event.substr(at + 1).starts_with(after_stream);
}

/// Takes the lines of a file, one after the other.
class reader {
public:
  explicit reader(const session_change_fn& on_change) : on_change_(on_change) {}

  /// `line` without its end; `bytes`: with it. False: nothing more is wanted.
  bool take(std::string_view line, std::uint64_t bytes, bool has_end) {
    ++number_;
    read_bytes_ += bytes;
    if (number_ == 1)
      return take_first(line, has_end);
    auto found =
        line.size() > line_bytes_max
            ? damaged_line{"it is longer than " + std::to_string(line_bytes_max) + " bytes"}
            : read_line(without_return(line));
    if (auto* problem = std::get_if<damaged_line>(&found))
      return take_damage(std::move(problem->problem));
    if (damage_)
      return fail(damage_->line,
                  damage_->problem + "; line " + std::to_string(number_) + " behind it is whole");
    if (auto* other = std::get_if<foreign_line>(&found)) {
      ++out_.foreign;
      if (!other->id.empty())
        out_.last_id = std::move(other->id);
    } else if (!take_event(std::get<event_line>(found))) {
      return false;
    }
    return keep(has_end);
  }

  result<session_reading> finish() {
    if (failed_)
      return *failed_;
    if (number_ == 0)
      return make_error(errc::store_failed, "it is empty");
    if (damage_)
      out_.cut = cut_end{damage_->line, read_bytes_ - out_.bytes, damage_->problem};
    return std::move(out_);
  }

private:
  struct damage {
    std::uint64_t line = 0;
    std::string problem;
  };

  /// Tools of other systems end a line with two characters.
  static std::string_view without_return(std::string_view line) noexcept {
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    return line;
  }

  bool fail(std::uint64_t line, const std::string& problem) {
    failed_ = in_line(line, problem);
    return false;
  }

  bool keep(bool has_end) {
    ++out_.lines;
    out_.bytes = read_bytes_;
    out_.has_line_end = has_end;
    return true;
  }

  bool take_first(std::string_view line, bool has_end) {
    auto head = read_head(without_return(line));
    if (!head)
      return fail(1, head.error().message
                         + (has_end ? "" : "; the file is cut within it, so nothing is left"));
    out_.head = std::move(*head);
    objective_ = objective_of(out_.head.key)->str();
    return keep(has_end);
  }

  bool take_damage(std::string problem) {
    if (!damage_)
      damage_ = damage{number_, std::move(problem)};
    return true;
  }

  bool take_event(const event_line& line) {
    if (line.number != out_.events + 1)
      return fail(number_,
                  "it is event " + std::to_string(line.number)
                      + (line.number <= out_.events
                             ? ", which stands above already"
                             : ", and event " + std::to_string(out_.events + 1) + " is missing"));
    if (out_.is_archived)
      return fail(number_, "it follows the end of an archived session");
    if (line.number == 1 && line.at != out_.head.at)
      return fail(1, "it is damaged: its time is not that of the first event");
    if (const auto ok = is_change(line.event) ? take_change(line) : take_other(line); !ok)
      return fail(number_, ok.error().message);
    ++out_.events;
    out_.last_id = line_id_of(line.number);
    return true;
  }

  void note(std::string fault) {
    if (!fault.empty() && out_.faults.size() < content_faults_max)
      out_.faults.push_back({number_, std::move(fault)});
  }

  result<void> take_change(const event_line& line) {
    if (line.number == 1 && !out_.head.parent.empty())
      return make_error(errc::store_failed,
                        "a session that continues another one begins with a snapshot");
    auto news = record::read_line(line.event);
    if (!news)
      return news.error();
    if (news->context != objective_)
      return make_error(errc::store_failed, "its change is not of this objective");
    auto fault = fault_in(out_.state, *news);
    if (auto ok = out_.state.take(*news); !ok)
      return ok;
    note(std::move(fault));
    if (on_change_)
      on_change_(std::move(*news));
    return {};
  }

  result<void> take_other(const event_line& line) {
    boost::system::error_code failed;
    const auto tree = parse_json(line.event, failed);
    const auto* event = tree.if_object();
    const auto* snapshot = event != nullptr ? event->if_contains(snapshot_member) : nullptr;
    const bool is_snapshot = snapshot != nullptr && snapshot->is_object();
    const bool is_end = event != nullptr && event->contains(archived_member);
    if (failed || (!is_snapshot && !is_end))
      return make_error(errc::store_failed,
                        "its event is of an unknown kind; perhaps a newer version wrote it");
    if (is_end) {
      out_.is_archived = true;
      const auto* said = event->at(archived_member).if_string();
      const auto* view = out_.state.view();
      const auto state = view != nullptr ? to_string(view->state) : std::string_view{};
      if (said == nullptr || std::string_view{said->data(), said->size()} != state)
        note("it does not have the state of the objective, " + std::string{state});
      return {};
    }
    if (line.number != 1)
      return make_error(errc::store_failed, "a snapshot may only be the first event");
    auto state = session_state::read(snapshot->get_object());
    if (!state)
      return state.error();
    if (state->view()->id.str() != objective_)
      return make_error(errc::store_failed, "its snapshot is not of this objective");
    out_.state = std::move(*state);
    return {};
  }

  const session_change_fn& on_change_;
  session_reading out_;
  std::string objective_;
  std::uint64_t number_ = 0;
  std::uint64_t read_bytes_ = 0;
  std::optional<damage> damage_; ///< The first one.
  std::optional<error> failed_;
};

class open_file {
public:
  explicit open_file(const std::string& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~open_file() {
    if (file_ >= 0)
      ::close(file_);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return file_; }

private:
  int file_;
};

error unreadable_file(const std::string& path, int reason) {
  return make_error(errc::store_unreadable, "The session file " + path + " cannot be read ("
                                                + std::generic_category().message(reason) + ").");
}

} // namespace

result<session_reading> read_session(std::string_view bytes, const session_change_fn& on_change) {
  reader lines{on_change};
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const bool has_end = end != std::string_view::npos;
    const auto line = bytes.substr(0, end);
    bytes.remove_prefix(has_end ? end + 1 : bytes.size());
    if (!lines.take(line, line.size() + (has_end ? 1 : 0), has_end))
      break;
  }
  return lines.finish();
}

result<void> for_each_line(const std::string& path, const line_fn& take) {
  const open_file from{path};
  struct stat facts {};
  if (from.descriptor() < 0 || ::fstat(from.descriptor(), &facts) != 0)
    return unreadable_file(path, errno);
  if (S_ISDIR(facts.st_mode))
    return unreadable_file(path, EISDIR);
  if (!S_ISREG(facts.st_mode))
    return make_error(errc::store_unreadable, path + " is not a file.");
  constexpr std::size_t block_bytes = std::size_t{1} << 20;
  std::string block(block_bytes, '\0');
  std::string line;
  std::uint64_t line_bytes = 0; // Of a line that is too long, `line` does not have all.
  for (;;) {
    const auto count = ::read(from.descriptor(), block.data(), block.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return unreadable_file(path, errno);
    if (count == 0)
      break;
    std::string_view left{block.data(), static_cast<std::size_t>(count)};
    while (!left.empty()) {
      const auto end = left.find('\n');
      const auto part = left.substr(0, end);
      line_bytes += part.size();
      if (line.size() <= line_bytes_max)
        line.append(part);
      if (end == std::string_view::npos)
        break;
      left.remove_prefix(end + 1);
      if (!take(line, line_bytes + 1, true))
        return {};
      line.clear();
      line_bytes = 0;
    }
  }
  if (line_bytes > 0)
    take(line, line_bytes, false);
  return {};
}

result<session_reading> read_session_file(const std::string& path,
                                          const session_change_fn& on_change) {
  reader lines{on_change};
  if (auto read =
          for_each_line(path, [&](std::string_view line, std::uint64_t bytes,
                                  bool has_end) { return lines.take(line, bytes, has_end); });
      !read)
    return read.error();
  auto out = lines.finish();
  if (!out)
    return make_error(out.error().code,
                      "The session file " + path + " cannot be used: " + out.error().message + ".");
  return out;
}

void write_change_event(std::string& out, const change& news) {
  record::write_line(out, news);
}

void write_snapshot_event(std::string& out, const session_state& state) {
  json_writer to{out};
  std::string snapshot;
  state.write(snapshot);
  to.begin_object().member("objective", state.view()->id.str()).key(snapshot_member);
  to.raw(snapshot).end_object();
}

void write_archived_event(std::string& out, const session_state& state) {
  json_writer to{out};
  to.begin_object().member("objective", state.view()->id.str());
  to.member(archived_member, to_string(state.view()->state)).end_object();
}

} // namespace troupe::sessions
