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

namespace troupe {

namespace {

/// Lines that wait for a slow reader of standard error; the oldest are dropped above.
constexpr std::size_t queued_lines_max = 8192;

/// One line per message in either format. A message can hold text from clients: it is cleaned, so
/// that it stays one line and cannot drive the terminal.
class line_formatter : public spdlog::formatter {
public:
  explicit line_formatter(log_format format) : format_(format) {}

  void format(const spdlog::details::log_msg& log_line, spdlog::memory_buf_t& out) override {
    const auto at = std::chrono::time_point_cast<std::chrono::milliseconds>(log_line.time);
    const std::string message =
        clean_line(std::string_view(log_line.payload.data(), log_line.payload.size()));
    const auto level = spdlog::level::to_string_view(log_line.level);
    const std::string_view name(level.data(), level.size());
    std::string line;
    if (format_ == log_format::json) {
      json_writer writer(line);
      writer.begin_object()
          .member("time", to_rfc3339(at))
          .member("level", name)
          .member("message", message)
          .end_object();
    } else {
      line = to_rfc3339(at) + " " + fit_to(name, 7, "") + " " + message;
    }
    line += '\n';
    out.append(line.data(), line.data() + line.size());
  }

  [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<line_formatter>(format_);
  }

private:
  log_format format_;
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
  logger->set_formatter(std::make_unique<line_formatter>(options.format));
  logger->set_level(level_of(options.level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void shut_down_log() {
  spdlog::shutdown();
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
