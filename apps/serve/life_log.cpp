#include "apps/serve/life_log.hpp"

#include "apps/log.hpp"
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/plan_state.hpp>

#include <memory>
#include <utility>
#include <variant>

namespace troupe {

namespace {

class line_collector {
public:
  explicit line_collector(const change& news) : news_(news) {}

  void operator()(const objective_created& created) {
    lines.push_back("objective " + news_.context + " created: " + created.spec->name);
  }
  void operator()(const objective_moved& moved) {
    lines.push_back("objective " + news_.context + ": " + std::string(to_string(moved.to()))
                    + (moved.reason.empty() ? "" : ": " + moved.reason));
  }
  void operator()(const task_moved& moved) {
    if (moved.to == task_state::failed)
      lines.push_back("task " + news_.task.id.str() + " failed"
                      + (moved.message ? ": " + text_of(moved.message->parts) : std::string{}));
  }
  template<class Other>
  void operator()(const Other&) {}

  std::vector<std::string> lines;

private:
  const change& news_;
};

class life_log final : public watcher {
public:
  void on_change(const change_ptr& news) override {
    for (const auto& line : life_lines(*news))
      log_info(line); // It only queues the line.
  }
};

} // namespace

std::vector<std::string> life_lines(const change& news) {
  line_collector out(news);
  for (const auto& each : news.events)
    std::visit(out, each);
  return std::move(out.lines);
}

watcher_ptr make_life_log() {
  return std::make_shared<life_log>();
}

} // namespace troupe
