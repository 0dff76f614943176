// How the cancel of tasks that are done elsewhere went, in the metadata of the answer to a cancel.
// Plain functions.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string_view>

namespace troupe {

/// The member of a task's metadata: a list of entries, one for each task that is done elsewhere.
inline constexpr std::string_view cancel_report_key = "troupe/v1/cancel";

/// `outcome`: `acknowledged`, `already ended`, `refused` or `no answer`. Empty texts are left out.
[[nodiscard]] inline boost::json::object cancel_entry(std::string_view task,
                                                      std::string_view target,
                                                      std::string_view outcome,
                                                      std::string_view reason) {
  boost::json::object out;
  boost::json::array path;
  path.emplace_back(task);
  out["path"] = std::move(path);
  if (!target.empty())
    out["target"] = target;
  out["outcome"] = outcome;
  if (!reason.empty())
    out["reason"] = reason;
  return out;
}

} // namespace troupe
