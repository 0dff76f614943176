// The changes of a session with another id for its objective, so that it can be imported beside the
// first one. One thread.
#pragma once

#include <troupe/protocol/event.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/spec.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace troupe::sessions {

/// Plans and tasks get the ids that their places give them, also if they had others: those are
/// taken. An id that was chosen stays as the key, by which documents refer to it. The root task
/// gets a new id. What agents and clients have written is not changed.
class session_renaming {
public:
  /// `root`: the new id of the root task, if there is one.
  session_renaming(objective_id from, objective_id to, task_id root);

  /// The next change of the session.
  [[nodiscard]] change renamed(change news);

private:
  [[nodiscard]] std::string new_id(const std::string& id) const;
  void replace(std::string& id) const { id = new_id(id); }
  template<class Id>
  void replace(Id& id) const {
    id = Id{new_id(id.str())};
  }
  void replace_all(std::vector<std::string>& ids) const;
  [[nodiscard]] plan_spec named(const plan_spec& plan);
  void refer(plan_spec& plan) const;
  void refer(task_spec& task) const;
  [[nodiscard]] message_ptr renamed(const message_ptr& said) const;
  void rename(event& one, const change& where);

  const objective_id from_;
  const objective_id to_;
  const task_id root_;
  std::size_t plans_ = 0;
  std::vector<plan_id> plan_ids_;       ///< The new ones, by index.
  std::vector<std::size_t> plan_tasks_; ///< How many each has.
  std::unordered_map<std::string, std::string> ids_;
};

} // namespace troupe::sessions
