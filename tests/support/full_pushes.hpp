// Push configurations that are never kept: there is room when it is asked about, and none when it
// is needed.
#pragma once

#include <troupe/store/push_configs.hpp>

#include <optional>
#include <string>
#include <vector>

namespace troupe::testing {

class full_pushes : public push_configs {
public:
  void save(push_config, push_progress, saved_fn then) override {
    then(make_error(errc::limit_exceeded, "there are too many"));
  }
  void erase(const task_id&, const std::string&, std::uint64_t, erased_fn then,
             const std::string&) override {
    if (then)
      then({});
  }
  void note(const task_id&, const std::string&, std::uint64_t, push_progress) override {}
  [[nodiscard]] result<void> has_room(const task_id&, const std::string&) const override {
    return {};
  }
  [[nodiscard]] std::optional<push_row> find(const task_id&, const std::string&) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::vector<push_row> list(const task_id&) const override { return {}; }
  [[nodiscard]] std::vector<push_row> all() const override { return {}; }
};

} // namespace troupe::testing
