#include <troupe/protocol/edits.hpp>

namespace troupe {

void merge_metadata(boost::json::object& metadata, const boost::json::object& changes) {
  for (const auto& member : changes)
    if (member.value().is_null())
      metadata.erase(member.key());
    else
      metadata[member.key()] = member.value();
}

} // namespace troupe
