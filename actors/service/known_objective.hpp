// A message that brings an objective which is there already joins it.
#pragma once

#include "actors/service/push_configurations.hpp"
#include "actors/service/send_request.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/store/store.hpp>

#include <memory>

namespace troupe {

/// The id that the objective in the message will have: its own, or the context of the message.
/// Empty if there is none, or if they differ.
[[nodiscard]] objective_id named_objective(const send_request& request);

/// Adds the plans of the message that its objective, which goes on and is the sender's, does not
/// have, one after the other; nothing that it has is changed. A plan is known by its id, or without
/// one by its name. An objective without any plan gets what the message says as one. The objective
/// begins if it was submitted. If a plan cannot be added, those before it are; the same message
/// again adds the rest.
///
/// `done` gets the task that stands for the objective or, if none does, the first task of the last
/// plan that was added. Errors: those of creating a plan; invalid_transition (the objective has
/// ended); invalid_params (no task could answer, or plans would be added by a message that refers
/// to tasks).
void join_known(gateway& to, store& records, std::shared_ptr<push_configurations> pushes,
                std::shared_ptr<send_request> request, reply<sent> done);

/// What is said of an objective that is created again after it has ended: errc::invalid_transition
/// with its state. `refused` (errc::duplicate_id) if it has not ended, or is not the client's.
void explain_duplicate(const store& records, const principal& who, const objective_id& id,
                       error refused, reply<objective_ptr> done);

} // namespace troupe
