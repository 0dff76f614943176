// The Task Progress extension's JSON (task-progress v1 sections 5 and 8): what stands in metadata
// under `progress_uri`, the same in every A2A version.
#pragma once

#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/progress.hpp>

#include <boost/json/value.hpp>

namespace troupe {

/// The payload: `{"trackers":[...],"aggregate":{...}}`; what is not given is left out.
void write_progress(json_writer& out, const progress_report& value);

/// Reads the payload as strictly as the schema of section 8 demands, the MUST rules of 5.2 included
/// (`validate`). Unlike the rest of the wire it refuses members the schema does not have. Errors:
/// errc::invalid_params, field as in `trackers[0].total`.
[[nodiscard]] result<progress_report> read_progress(const boost::json::value& from);

} // namespace troupe
