#include "apps/log.hpp"

#include "apps/terminal/text.hpp"
#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/time.hpp>

#include <spdlog/async.h>
#include <spdlog/formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <memory>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace {

/// Lines that wait for a slow reader of standard error; the oldest are dropped above.
constexpr std::size_t queued_lines_max = 8192;

/// One line per message in either format. A message can hold text from clients: it is cleaned, so
/// that it stays one line and cannot drive the terminal.
class line_formatter : public spdlog::formatter {
public:
  line_formatter(log_format format, bool colour) : format_(format), colour_(colour) {}

  void format(const spdlog::details::log_msg& log_line, spdlog::memory_buf_t& out) override {
    const auto at = std::chrono::time_point_cast<std::chrono::milliseconds>(log_line.time);
    const std::string message =
        clean_line(std::string_view(log_line.payload.data(), log_line.payload.size()));
    const auto level = spdlog::level::to_string_view(log_line.level);
    const std::string_view name = log_line.level == spdlog::level::warn // As in the settings.
                                      ? std::string_view("warn")
                                      : std::string_view(level.data(), level.size());
    std::string line;
    if (format_ == log_format::json) {
      json_writer writer(line);
      writer.begin_object()
          .member("time", to_rfc3339(at))
          .member("level", name)
          .member("message", message)
          .end_object();
    } else {
      const bool is_bad = log_line.level >= spdlog::level::warn;
      line =
          render_line({{to_rfc3339(at) + " "},
                       {fit_to(name, 7, "") + " " + message, is_bad ? style::red : style::plain}},
                      static_cast<std::size_t>(-1), colour_, "");
    }
    line += '\n';
    out.append(line.data(), line.data() + line.size());
  }

  [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<line_formatter>(format_, colour_);
  }

private:
  log_format format_;
  bool colour_; ///< Warnings and errors are red.
};

spdlog::level::level_enum level_of(log_level level) {
  switch (level) {
    case log_level::debug: return spdlog::level::debug;
    case log_level::info: return spdlog::level::info;
    case log_level::warn: return spdlog::level::warn;
    case log_level::error: return spdlog::level::err;
    case log_level::off: return spdlog::level::off;
  }
  return spdlog::level::info;
}

} // namespace

void set_up_log(const log_options& options) {
  spdlog::init_thread_pool(queued_lines_max, 1);
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  auto logger =
      std::make_shared<spdlog::async_logger>("troupe", std::move(sink), spdlog::thread_pool(),
                                             spdlog::async_overflow_policy::overrun_oldest);
  const bool colour =
      use_colour(colour_choice::automatic, ::isatty(STDERR_FILENO) == 1, own_colour_variables());
  logger->set_formatter(std::make_unique<line_formatter>(options.format, colour));
  logger->set_level(level_of(options.level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void shut_down_log() {
  spdlog::shutdown();
}

void set_log_level(log_level level) {
  spdlog::set_level(level_of(level));
}

void log_debug(std::string_view message) {
  spdlog::debug("{}", message);
}

void log_info(std::string_view message) {
  spdlog::info("{}", message);
}

void log_warn(std::string_view message) {
  spdlog::warn("{}", message);
}

void log_error(std::string_view message) {
  spdlog::error("{}", message);
}

} // namespace troupe
