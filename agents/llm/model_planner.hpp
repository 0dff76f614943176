// The planner of texts that asks a model: for a plan, or for an answer if nothing is to be planned.
// What it cannot use is told to the model once; then the next row of the planner's table decides
// (docs/planner.md).
#pragma once

#include "client/models/model_client.hpp"
#include <troupe/actors/text_planner.hpp>

#include <memory>
#include <string>
#include <utility>

namespace troupe {

class model_planner final : public text_planner {
public:
  /// `model`: a name that `client` knows. `starts_client`: with the first text; else the caller
  /// takes its turns.
  model_planner(std::shared_ptr<models::model_client> client, std::string model,
                bool starts_client = true)
      : models_(std::move(client)), model_(std::move(model)), starts_client_(starts_client) {}

  [[nodiscard]] planner_start plan(const planning_order_ptr& order,
                                   const planner_port_ptr& port) override;

private:
  const std::shared_ptr<models::model_client> models_;
  const std::string model_;
  const bool starts_client_;
};

} // namespace troupe
