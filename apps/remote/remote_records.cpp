#include "apps/remote/remote_records.hpp"

#include "protocol/opt/objective_reading.hpp"

#include <map>
#include <memory>
#include <utility>

namespace troupe {

namespace {

constexpr std::uint32_t page_tasks_max = 100;
/// Pages that are read at once; 8 MiB of messages and artifacts each.
constexpr std::size_t pages_max = 20;

/// What was read of an objective's tasks.
class task_cache {
public:
  task_cache(const server_link& on, std::string id) : on_(on), id_(std::move(id)) {}

  result<task_ptr> read(const task_id& id) {
    if (!std::exchange(has_listed_, true))
      list();
    if (const auto known = tasks_.find(id.str()); known != tasks_.end())
      return known->second;
    auto one = on_.client->get_task(id.str());
    if (!one)
      return one.error();
    return std::make_shared<const task>(std::move(*one));
  }

private:
  void list() {
    wire::task_filter filter;
    filter.context = id_;
    filter.page_size = page_tasks_max;
    filter.include_artifacts = true;
    for (std::size_t i = 0; i < pages_max; ++i) {
      auto page = on_.client->list_tasks(filter);
      if (!page)
        return; // Each is asked for by itself, and says what is wrong.
      for (auto& each : page->tasks) {
        auto id = each.id.str();
        tasks_[std::move(id)] = std::make_shared<const task>(std::move(each));
      }
      if (page->next_page_token.empty())
        return;
      filter.page_token = page->next_page_token;
    }
  }

  const server_link& on_;
  const std::string id_;
  bool has_listed_ = false;
  std::map<std::string, task_ptr> tasks_;
};

} // namespace

result<objective_view> read_objective_of(const server_link& on, const std::string& id) {
  boost::json::object params;
  params["id"] = id;
  const auto found = on.ask_for("objective", a2a::operation::get_objective, std::move(params));
  if (!found)
    return found.error();
  return opt::read_objective_view(*found);
}

record_reader records_of(const server_link& on, const objective_id& id) {
  const auto cache = std::make_shared<task_cache>(on, id.str());
  return record_reader([cache](const task_id& of) { return cache->read(of); });
}

} // namespace troupe
