#include "agents/command/program_output.hpp"

#include "agents/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace troupe {

namespace {

/// What a terminal would show of a line, without its newline.
std::string shown_text(std::string_view line) {
  while (line.ends_with('\r'))
    line.remove_suffix(1);
  if (const auto over = line.rfind('\r'); over != std::string_view::npos)
    line.remove_prefix(over + 1);
  const auto is_plain = [](char c) { return (c >= 0x20 && c < 0x7f) || c == '\t'; };
  return std::ranges::all_of(line, is_plain) ? std::string(line) : printable_utf8(line);
}

/// Counts what it takes besides its text, too: many empty lines are not free.
std::size_t bytes_kept(const program_line& line) {
  return line.text.size() + sizeof(program_line);
}

std::string shown_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> units{"B", "kB", "MB", "GB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text.data();
}

} // namespace

std::optional<std::uint32_t> logged_attempt(const message& said) {
  const auto* about = said.metadata.if_contains(program_log_key);
  const auto* members = about ? about->if_object() : nullptr;
  if (members == nullptr)
    return std::nullopt;
  boost::system::error_code failed;
  const auto* number = members->if_contains("attempt");
  const auto attempt = number ? number->to_number<std::uint32_t>(failed) : 1;
  return failed ? 1 : attempt;
}

// -- lines ----------------------------------------------------------------------------------------

std::vector<std::string> line_cutter::feed(std::string_view bytes) {
  std::vector<std::string> out;
  while (!bytes.empty()) {
    const auto room = program_line_bytes_max - begun_.size();
    const auto piece = bytes.substr(0, room);
    const auto end = piece.find('\n');
    begun_ += piece.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? piece.size() : end + 1);
    if (end != std::string_view::npos || begun_.size() == program_line_bytes_max)
      out.push_back(shown_text(std::exchange(begun_, {})));
  }
  return out;
}

std::string line_cutter::rest() {
  return shown_text(std::exchange(begun_, {}));
}

// -- bounds ---------------------------------------------------------------------------------------

namespace {

std::size_t stream_of(const program_line& line) {
  return line.is_stderr ? 1 : 0;
}

} // namespace

bool bounded_lines::is_first(const program_line& line) {
  first_is_full_ = first_is_full_ || first_bytes_ + bytes_kept(line) > part_bytes_max_;
  if (!first_is_full_)
    first_bytes_ += bytes_kept(line);
  return !first_is_full_;
}

void bounded_lines::keep(program_line line) {
  last_bytes_[stream_of(line)] += bytes_kept(line);
  last_.push_back(std::move(line));
  while (last_bytes_[0] + last_bytes_[1] > part_bytes_max_ && last_.size() > 1)
    leave_out_one();
}

/// The oldest line of a stream that has more than its quarter; one of them always has.
void bounded_lines::leave_out_one() {
  const auto oldest = std::ranges::find_if(last_, [&](const program_line& each) {
    return last_bytes_[stream_of(each)] > part_bytes_max_ / 4;
  });
  last_bytes_[stream_of(*oldest)] -= bytes_kept(*oldest);
  ++left_out_lines_;
  left_out_bytes_ += oldest->text.size() + 1;
  last_.erase(oldest);
}

void bounded_lines::begin_anew() {
  last_.clear();
  last_bytes_ = {};
  left_out_lines_ = 0;
  left_out_bytes_ = 0;
}

std::string bounded_lines::left_out() const {
  if (left_out_lines_ == 0)
    return {};
  return "... " + std::to_string(left_out_lines_) + (left_out_lines_ == 1 ? " line (" : " lines (")
         + shown_bytes(left_out_bytes_) + ") left out ...";
}

// -- output ---------------------------------------------------------------------------------------

namespace {

std::string shown_lines(const auto& lines) {
  std::string out;
  for (const auto& line : lines)
    out += shown_line(line) + '\n';
  return out;
}

report_message log_message(std::string text, std::uint32_t attempt, std::string_view end) {
  report_message out;
  out.message.from = role::agent;
  out.message.parts.push_back(text_part(std::move(text)));
  boost::json::object about{{"attempt", attempt}};
  if (!end.empty())
    about["end"] = end;
  out.message.metadata[program_log_key] = std::move(about);
  return out;
}

} // namespace

void program_output::keep(program_line line) {
  if (std::exchange(is_empty_, false))
    began_ = taken_ = line.at;
  if (line.text.find_first_not_of(" \t") != std::string::npos)
    last_[stream_of(line)] = line.text;
  if (bounded_.is_first(line))
    first_.push_back(std::move(line));
  else
    bounded_.keep(std::move(line));
}

std::vector<program_line> program_output::add(bool is_stderr, std::string_view bytes,
                                              timestamp at) {
  std::vector<program_line> out;
  for (auto& text : cutters_[is_stderr ? 1 : 0].feed(bytes)) {
    out.push_back({at, is_stderr, std::move(text)});
    keep(out.back());
  }
  return out;
}

std::vector<program_line> program_output::finish(timestamp at) {
  std::vector<program_line> out;
  for (const bool is_stderr : {false, true})
    if (auto text = cutters_[is_stderr ? 1 : 0].rest(); !text.empty()) {
      out.push_back({at, is_stderr, std::move(text)});
      keep(out.back());
    }
  return out;
}

std::optional<timestamp> program_output::excerpt_due() const {
  if (bounded_.last().empty())
    return std::nullopt;
  return taken_ + std::max<timestamp::duration>(excerpt_pause_min, (taken_ - began_) / 2);
}

std::string program_output::newest() const {
  auto out = bounded_.left_out();
  if (!out.empty())
    out += '\n';
  return out + shown_lines(bounded_.last());
}

std::optional<report_message> program_output::take_new(std::uint32_t attempt, timestamp now) {
  auto text = shown_lines(std::exchange(first_, {}));
  if (const auto due = excerpt_due(); due && *due <= now) {
    text += newest();
    bounded_.begin_anew();
    taken_ = now;
  }
  if (text.empty())
    return std::nullopt;
  return log_message(std::move(text), attempt, {});
}

std::optional<report_message> program_output::take_rest(std::uint32_t attempt,
                                                        std::string_view end) {
  auto text = shown_lines(std::exchange(first_, {})) + newest();
  if (is_empty_ || (text.empty() && end.empty()))
    return std::nullopt;
  return log_message(std::move(text), attempt, end);
}

std::string program_output::last_words() const {
  for (const auto& line : {last_[1], last_[0]})
    if (const auto begin = line.find_first_not_of(" \t"); begin != std::string::npos)
      return ": " + line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
  return {};
}

std::string shown_line(const program_line& line) {
  return to_rfc3339(line.at) + (line.is_stderr ? " stderr " : " stdout ") + line.text;
}

std::optional<program_line> read_shown_line(std::string_view shown) {
  const auto blank = std::min(shown.find(' '), shown.size());
  const auto at = parse_rfc3339(shown.substr(0, blank));
  const auto rest = shown.substr(std::min(blank + 1, shown.size()));
  const bool is_stderr = rest.starts_with("stderr ");
  if (!at || !(is_stderr || rest.starts_with("stdout ")))
    return std::nullopt;
  return program_line{.at = *at, .is_stderr = is_stderr, .text = std::string(rest.substr(7))};
}

} // namespace troupe
