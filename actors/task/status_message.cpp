#include "actors/task/status_message.hpp"

#include <memory>
#include <utility>

namespace troupe {

message_ptr make_status_message(std::string text, const std::string& context, const task_id& task,
                                boost::json::object metadata) {
  auto out = std::make_shared<message>();
  out->message_id = thread_id_source().next("msg");
  out->from = role::agent;
  out->parts.push_back(text_part(std::move(text)));
  out->context_id = context;
  out->task_id = task.str();
  out->metadata = std::move(metadata);
  return out;
}

} // namespace troupe
