// A change as one line of JSON that needs nothing beside it, for people and other programs:
// `troupe store check --verbose` prints such lines, and what is exported consists of them.
//
//   {"objective":"<id>","sequence":3,"change":{...}}   of an objective's stream
//   {"task":"<id>","sequence":1,"change":{...}}        of a lone task's stream
//
// `change` is the row (record.hpp); docs/events.md describes its members. Readers pass over members
// that they do not know. Everything in a change is in its line, except what the stream's earlier
// lines say: the specification of a plan's task (record.hpp).
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::record {

/// A row of the history with what its key says.
struct keyed_row {
  std::string_view stream; ///< The id of the objective or of the lone task.
  bool is_lone = false;    ///< The stream of a lone task.
  std::uint64_t sequence = 0;
  std::string_view row;
};

/// Adds the line, without a line end. `group`: the position of its group in the journal, as one
/// more member; 0: it is left out.
void write_line(std::string& out, const keyed_row& of, std::uint64_t group = 0);
void write_line(std::string& out, const change& change);

/// The change of a line. errc::store_failed for one that is damaged or of a newer kind.
[[nodiscard]] result<change> read_line(std::string_view line);

} // namespace troupe::record
