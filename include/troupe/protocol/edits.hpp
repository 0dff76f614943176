// What an update edits of an objective or a plan, beside its state: a part of commands and events.
#pragma once

#include <boost/json/object.hpp>

#include <string>

namespace troupe {

struct edits {
  std::string name{};             ///< Empty: unchanged.
  std::string description{};      ///< Empty: unchanged.
  boost::json::object metadata{}; ///< Merged by key; null removes the key. Empty: unchanged.

  [[nodiscard]] bool empty() const noexcept {
    return name.empty() && description.empty() && metadata.empty();
  }
  friend bool operator==(const edits&, const edits&) = default;
};

/// Merges `changes` into `metadata`, key by key; null removes a key (RFC 7396, one level deep).
void merge_metadata(boost::json::object& metadata, const boost::json::object& changes);

} // namespace troupe
