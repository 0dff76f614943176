// Draws the operations of one change of a plan or an objective, and notes what they name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/object_text.hpp"
#include "sim/world.hpp"

namespace troupe::sim {

/// How often and how soon tasks of plans are tried again.
[[nodiscard]] std::string retry_json(const settings& how);

class drawing {
public:
  /// `operation`: its name, which is in no other change.
  drawing(world& in, dice& chance, std::string operation, std::string objective)
      : in_(in), chance_(chance), operation_(std::move(operation)),
        objective_(std::move(objective)) {}

  asked_change change;
  std::vector<ordered_plan> plans; ///< That it adds.

  [[nodiscard]] const std::string& operations() const noexcept { return operations_; }

  void draw_for_plan(known_plan& plan);
  void draw_for_objective(const std::vector<std::string>& plan_names);

private:
  void put(std::string_view op, const object_text& members);
  /// Names it in the change.
  const std::string& named(const std::string& name) { return *change.names.insert(name).first; }
  [[nodiscard]] std::string fresh(const std::string& prefix);
  void add_task(known_plan& plan);
  void rename(known_plan& plan, const std::string& task);
  void complete(const std::string& task);
  void set_plan(const std::string& plan);
  /// One that may have been taken away again is null.
  [[nodiscard]] std::string deadline_json();

  world& in_;
  dice& chance_;
  const std::string operation_;
  const std::string objective_;
  std::string operations_;
  std::size_t made_ = 0;
  std::size_t drawn_ = 0;
};

} // namespace troupe::sim
