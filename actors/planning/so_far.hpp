// An objective as it stands, with what its tasks have made, for who plans it anew.
#pragma once

#include <troupe/actors/gateway.hpp>
#include <troupe/actors/text_planner.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/store/store.hpp>

#include <memory>
#include <string>

namespace troupe {

/// Reads the tasks one after the other, as far as objective_so_far holds them. `client`: as of
/// store::read_task. Errors: store_unreadable, overloaded.
void read_so_far(const store& records, objective_ptr view, std::string client,
                 reply<std::shared_ptr<const objective_so_far>> done);

} // namespace troupe
