#include "apps/runs/run_log.hpp"

#include "apps/terminal/shown_name.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/json/json_writer.hpp"

#include <boost/json/parse.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace troupe {

namespace {

namespace json = boost::json;

constexpr std::size_t read_bytes_max = std::size_t{4} << 20; ///< At once.

/// Reads `<mark><digits>` off the front of `text`.
std::optional<std::uint32_t> take_number(std::string_view& text, std::string_view mark) {
  if (!text.starts_with(mark))
    return std::nullopt;
  text.remove_prefix(mark.size());
  std::uint32_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{})
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

} // namespace

std::string write_logged(const logged_line& line) {
  std::string out;
  json_writer writer(out);
  writer.begin_object()
      .key("at")
      .time(line.line.at)
      .member("task", line.task)
      .member("plan", valid_utf8(line.plan))
      .member("name", valid_utf8(line.name))
      .optional_member("key", valid_utf8(line.key));
  writer.key("attempt").number(line.attempt);
  if (line.is_gap)
    writer.member("leftOut", line.line.text);
  else
    writer.member("stream", line.line.is_stderr ? "stderr" : "stdout")
        .member("text", line.line.text);
  writer.end_object();
  return out + "\n";
}

result<logged_line> read_logged(std::string_view text) {
  boost::system::error_code failed;
  const auto parsed = json::parse(text, failed);
  const auto* from = failed ? nullptr : parsed.if_object();
  if (from == nullptr)
    return make_error(errc::parse_error, "not a line of a program");
  const auto text_of = [&](std::string_view name) {
    const auto* value = from->if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string())
                                                  : std::string{};
  };
  logged_line out;
  out.task = text_of("task");
  out.plan = text_of("plan");
  out.name = text_of("name");
  out.key = text_of("key");
  const auto* attempt = from->if_contains("attempt");
  out.attempt = attempt == nullptr ? 1 : attempt->to_number<std::uint32_t>(failed);
  out.is_gap = from->contains("leftOut");
  out.line.at = parse_rfc3339(text_of("at")).value_or(timestamp{});
  out.line.is_stderr = text_of("stream") == "stderr";
  out.line.text = text_of(out.is_gap ? "leftOut" : "text");
  return out;
}

std::string draw_logged(const logged_line& line, timestamp begun, bool has_name, bool colour) {
  constexpr std::size_t time_columns = 8;
  const auto since = line.line.at - begun;
  const auto time =
      line.is_gap ? std::string{}
                  : format_duration(std::max(std::chrono::milliseconds{0},
                                             std::chrono::floor<std::chrono::milliseconds>(since)));
  const auto indent = time_columns - std::min(time.size(), time_columns);
  std::vector<span> shown{{std::string(indent, ' ') + time + "  ", style::dim}};
  if (has_name)
    shown.push_back({clean_line(line.name)
                         + (line.attempt > 1 ? " (" + std::to_string(line.attempt) + ")" : "")
                         + " | ",
                     style::cyan});
  shown.push_back({clean_line(line.line.text), line.is_gap           ? style::dim
                                               : line.line.is_stderr ? style::yellow
                                                                     : style::plain});
  return render_line(shown, static_cast<std::size_t>(-1), colour, "") + "\n";
}

bool is_called(const logged_line& line, std::string_view name) {
  return name == line.task || name == line.key || name == line.name
         || name == line.plan + " / " + line.name;
}

// -- writing --------------------------------------------------------------------------------------

run_log::~run_log() {
  close();
}

void run_log::close() {
  const std::lock_guard guard(mutex_);
  if (file_ >= 0)
    ::close(file_);
  file_ = -1;
  find_ = nullptr;
}

result<void> run_log::open(const std::string& path, plan_finder find) {
  const std::lock_guard guard(mutex_);
  find_ = std::move(find);
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file_ < 0)
    return make_error(errc::unavailable,
                      path + ": cannot be opened: " + std::generic_category().message(errno));
  return {};
}

// A plan's task has the id `<objective>.p<plan>.t<task>`, and `.r<n>` behind it after a retry.
logged_line run_log::about(const order& of) {
  logged_line out;
  out.task = of.id.str();
  out.name = of.name;
  out.attempt = of.attempt;
  std::string_view place = out.task;
  place.remove_prefix(std::min(of.context.size(), place.size()));
  const auto plan = take_number(place, ".p");
  const auto task = take_number(place, ".t");
  if (!plan || !task)
    return out;
  const auto is_known = [&] {
    return *plan < plans_.size() && *task < plans_[*plan]->tasks.size();
  };
  if (!is_known() && find_)
    plans_ = find_(); // The first line, or its task was added since.
  if (!is_known())
    return out;
  const auto& spec = *plans_[*plan];
  out.plan = shown_name(spec, *plan);
  out.name = shown_name(spec.tasks[*task], *task);
  out.key = spec.tasks[*task].key;
  return out;
}

void run_log::write(const logged_line& line) const {
  const auto text = write_logged(line);
  // What cannot be written is lost: the record has the important lines as well.
  [[maybe_unused]] const auto written = ::write(file_, text.data(), text.size());
}

void run_log::on_line(const order& of, const program_line& line) {
  const std::lock_guard guard(mutex_);
  if (file_ < 0)
    return;
  auto& bounds =
      running_.try_emplace({of.id.str(), of.attempt}, run_log_part_bytes_max).first->second;
  if (!bounds.is_first(line))
    return bounds.keep(line);
  auto logged = about(of);
  logged.line = line;
  write(logged);
}

void run_log::on_end(const order& of) {
  const std::lock_guard guard(mutex_);
  if (file_ < 0)
    return;
  const auto found = running_.find({of.id.str(), of.attempt});
  if (found == running_.end())
    return;
  auto logged = about(of);
  const auto& bounds = found->second;
  if (auto gap = bounds.left_out(); !gap.empty()) {
    logged.is_gap = true;
    logged.line = {bounds.last().front().at, false, std::move(gap)};
    write(logged);
    logged.is_gap = false;
  }
  for (const auto& line : bounds.last()) {
    logged.line = line;
    write(logged);
  }
  running_.erase(found);
}

// -- reading --------------------------------------------------------------------------------------

run_log_reader::~run_log_reader() {
  if (file_ >= 0)
    ::close(file_);
}

std::vector<logged_line> run_log_reader::next() {
  std::vector<logged_line> out;
  if (file_ < 0)
    file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0)
    return out;
  std::array<char, 64 * 1024> bytes;
  for (std::size_t taken = 0; taken < read_bytes_max;) {
    const auto got = ::read(file_, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    begun_.append(bytes.data(), static_cast<std::size_t>(got));
    taken += static_cast<std::size_t>(got);
  }
  std::string_view rest = begun_;
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    if (auto line = read_logged(rest.substr(0, end)))
      out.push_back(std::move(*line));
    rest.remove_prefix(end + 1);
  }
  begun_.erase(0, begun_.size() - rest.size());
  return out;
}

} // namespace troupe
