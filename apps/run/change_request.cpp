#include "apps/run/change_request.hpp"

#include "apps/terminal/text.hpp"
#include "apps/text_file.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/opt/limits_opt.hpp"
#include "protocol/opt/plan_operations.hpp"
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/plan_change.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

/// Whether it is one of plans/modify. One that both methods have is, if it names no plan.
bool is_of_plan(const json::value& operation) {
  const auto op = text_in(operation, "op");
  return opt::is_plan_operation(op)
         && (!opt::is_objective_operation(op) || text_in(operation, "plan").empty());
}

/// The operations of a file, or the whole request: an array, or an object that has it.
result<json::object> read_change(const std::string& file) {
  const auto text = read_text(file, plan_operations_bytes_max);
  if (!text)
    return text.error();
  boost::system::error_code failed;
  json::parse_options how;
  how.max_depth = opt::document_depth_max;
  auto value = parse_json(*text, failed, {}, how);
  if (failed)
    return make_error(errc::invalid_document, file + ": no JSON: " + json_fault(failed));
  json::object out;
  if (value.is_array())
    out["operations"] = std::move(value);
  else if (value.is_object() && value.get_object().contains("operations"))
    out = std::move(value.get_object());
  else
    return make_error(errc::invalid_document,
                      file + ": an array of operations, or an object with \"operations\"");
  return out;
}

/// The task of `--add`, as an operation.
result<json::object> added_task(const modify_options& options) {
  json::object task{{"op", "addTask"}, {"name", options.adds}};
  if (!options.agent.empty())
    task["agent"] = options.agent;
  if (!options.input.empty()) {
    boost::system::error_code failed;
    auto input = parse_json(options.input, failed);
    if (failed || !input.is_object())
      return make_error(errc::invalid_params,
                        "--input: " + (failed ? json_fault(failed) : "must be an object"));
    task["input"] = std::move(input);
  }
  if (!options.after.empty())
    task["dependencies"] = json::array(options.after.begin(), options.after.end());
  return task;
}

} // namespace

result<json::object> modification_of(const modify_options& options) {
  if (options.adds.empty() == options.file.empty())
    return make_error(
        errc::invalid_params,
        "what is to be changed? A file of operations (- reads standard input), or --add NAME");
  json::object out;
  if (!options.adds.empty()) {
    auto task = added_task(options);
    if (!task)
      return task;
    out["operations"] = json::array{std::move(*task)};
  } else {
    auto read = read_change(options.file);
    if (!read)
      return read;
    out = std::move(*read);
  }
  if (!options.reason.empty())
    out["reason"] = options.reason;
  if (options.if_revision)
    out["ifRevision"] = static_cast<std::int64_t>(*options.if_revision); // as the parser has it
  if (options.is_dry)
    out["dryRun"] = true;
  else if (!out.contains("requestId"))
    out["requestId"] = thread_id_source().next("req"); // The same request again is one.
  return out;
}

bool is_change_of_plan(const json::object& change) {
  const auto* all = change.at("operations").if_array();
  return all && !all->empty()
         && std::ranges::all_of(*all, [](const json::value& each) { return is_of_plan(each); });
}

result<std::string> the_only_plan(const std::string& objective,
                                  const std::vector<std::string>& plans) {
  if (plans.size() == 1)
    return plans.front();
  std::string ids;
  for (const auto& id : plans)
    ids += (ids.empty() ? "" : ", ") + id;
  return make_error(errc::invalid_params,
                    "to which plan of " + objective + "? It has "
                        + (plans.empty() ? "none" : std::to_string(plans.size()) + ": " + ids)
                        + "; write the id of a plan");
}

std::string draw_report(const json::object& report, const changed_object& of) {
  const auto* revision = report.if_contains("revision");
  std::string out = (of.is_plan ? "plan " : "objective ") + clean_line(of.id)
                    + (report.contains("dryRun") ? " would be" : " is") + " at revision "
                    + (revision ? json::serialize(*revision) : "?") + "\n";
  for (const auto& [key, value] : report) {
    const auto* ids = value.if_array();
    if (ids == nullptr || key == "operations")
      continue;
    std::string line;
    for (const auto& each : *ids)
      if (each.is_string())
        line += (line.empty() ? " " : ", ") + std::string(each.get_string());
    out += "  " + clean_line(std::string(key) + line) + "\n";
  }
  return out;
}

} // namespace troupe
