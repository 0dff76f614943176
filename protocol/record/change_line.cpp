#include "protocol/record/change_line.hpp"

#include "protocol/record/record.hpp"
#include "protocol/record/record_json.hpp"

#include <boost/json/serialize.hpp>

namespace troupe::record {

namespace json = boost::json;

void write_line(std::string& out, const keyed_row& of, std::uint64_t group) {
  json_writer to{out};
  to.begin_object().member(of.is_lone ? "task" : "objective", of.stream);
  to.key("sequence").number(of.sequence);
  if (group != 0)
    to.key("group").number(group);
  to.key("change").raw(of.row).end_object();
}

void write_line(std::string& out, const change& change) {
  std::string row;
  write(row, change);
  const bool is_lone = !change.task.id.empty() && change.task.lone;
  write_line(out, {change.stream(), is_lone, change.sequence, row});
}

result<change> read_line(std::string_view line) {
  struct parts {
    std::string stream;
    bool is_lone = false;
    std::uint64_t sequence = 0;
    std::string row;
  };
  const auto found = read_row<parts>("line of a change", line, [](const json::object& in) {
    const bool is_lone = find(in, "task") != nullptr;
    return parts{text_from(at(in, is_lone ? "task" : "objective")), is_lone,
                 at(in, "sequence").to_number<std::uint64_t>(), json::serialize(at(in, "change"))};
  });
  if (!found)
    return found.error();
  auto out = read_change(found->row, found->stream, found->sequence);
  if (out && found->is_lone != (!out->task.id.empty() && out->task.lone))
    return make_error(errc::store_failed, "The line of change " + std::to_string(found->sequence)
                                              + " of " + found->stream
                                              + " does not fit: its change is of another stream.");
  return out;
}

} // namespace troupe::record
