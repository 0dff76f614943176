#include "agents/a2a/waiting_inputs.hpp"

#include <utility>

namespace troupe {

void waiting_inputs::add(message_ptr said, bool answers, const std::string& open) {
  bool is_late = false;
  if (answers && !asked_.empty()) {
    const auto& key = asked_.front();
    is_late = key != open && key != has_other_input_; // withdrawn, which our task did not know
    asked_.pop_front();
  }
  all_.push_back({std::move(said), answers, is_late});
}

} // namespace troupe
