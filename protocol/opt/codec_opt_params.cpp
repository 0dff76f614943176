// The params of `objectives/*` and `plans/*`: what is not known is ignored, what is known must be
// right.
#include "protocol/limits.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/document_reader.hpp"
#include "protocol/opt/limits_opt.hpp"

namespace troupe::opt {

namespace json = boost::json;

namespace {

constexpr text_rule token_rule{.bytes_max = name_bytes_max};

/// An error somewhere below a direct parameter says where in its message as well: not every client
/// shows `field`.
error located(error cause) {
  if (cause.field.find('/', 1) != std::string::npos)
    cause.message.insert(0, cause.field + ": ");
  return cause;
}

/// A status in OPT's spelling; `parse` turns it into the state.
template<class Parse>
auto read_status(const document_reader& in, std::string_view expected, Parse parse)
    -> decltype(parse(std::string_view{})) {
  const auto* found = in.find("status");
  if (found == nullptr)
    return std::nullopt;
  if (const auto* text = found->if_string())
    if (const auto state = parse(std::string_view(text->data(), text->size())))
      return state;
  in.fail_type("status", expected, *found);
  return std::nullopt;
}

std::optional<objective_state> read_objective_status(const document_reader& in) {
  return read_status(in,
                     "one of submitted, planning, working, blocked, completed, failed, canceled",
                     objective_state_from);
}

std::optional<plan_state> read_plan_status(const document_reader& in) {
  return read_status(in, "one of pending, working, blocked, completed, failed, skipped",
                     plan_state_from);
}

std::optional<std::uint64_t> read_revision(const document_reader& in) {
  return in.whole_number_64("revision", 0, 9'007'199'254'740'991);
}

/// Reads an object of params with `read(in, command)`. Absent params (null) are empty ones.
template<class Command, class Read>
result<Command> read_params(const json::value& params, Read read) {
  static const json::value none = json::object{};
  document_reading reading(unknown_members::ignore);
  const place root;
  Command command;
  if (const document_reader in(params.is_null() ? none : params, root, reading, "params"); in)
    read(in, command);
  if (reading.failed())
    return located(reading.failure.take());
  return command;
}

} // namespace

result<create_objective> read_create_objective(const json::value& params) {
  auto head =
      read_params<create_objective>(params, [](const document_reader& in, create_objective& out) {
        out.start = in.boolean("start", false);
      });
  if (!head)
    return head;
  auto spec = read_objective(params.is_null() ? json::value(json::object{}) : params,
                             unknown_members::ignore);
  if (!spec)
    return located(std::move(spec).error());
  head->spec = std::move(*spec);
  return head;
}

result<update_objective> read_update_objective(const json::value& params) {
  return read_params<update_objective>(params,
                                       [](const document_reader& in, update_objective& out) {
                                         out.id = objective_id{in.id("id", true)};
                                         out.state = read_objective_status(in);
                                         out.name = in.text("name", name_rule);
                                         out.description = in.text("description", description_rule);
                                         out.if_revision = read_revision(in);
                                       });
}

result<get_objective> read_get_objective(const json::value& params) {
  return read_params<get_objective>(params, [](const document_reader& in, get_objective& out) {
    out.id = objective_id{in.id("id", true)};
    out.include_plans = in.boolean("includePlans", out.include_plans);
    out.include_tasks = in.boolean("includeTasks", out.include_tasks);
  });
}

result<list_objectives> read_list_objectives(const json::value& params) {
  return read_params<list_objectives>(params, [](const document_reader& in, list_objectives& out) {
    out.state = read_objective_status(in);
    if (const auto size = in.whole_number("pageSize", 1, list_page_size_max))
      out.page_size = *size;
    out.page_token = in.text("pageToken", token_rule);
  });
}

result<create_plan> read_create_plan(const json::value& params) {
  auto head = read_params<create_plan>(params, [](const document_reader& in, create_plan& out) {
    out.objective = objective_id{in.id("objectiveId", true)};
    out.start = in.boolean("start", false);
  });
  if (!head)
    return head;
  auto spec = read_plan(params, unknown_members::ignore);
  if (!spec)
    return located(std::move(spec).error());
  head->spec = std::move(*spec);
  return head;
}

result<update_plan> read_update_plan(const json::value& params) {
  return read_params<update_plan>(params, [](const document_reader& in, update_plan& out) {
    out.id = plan_id{in.id("id", true)};
    out.state = read_plan_status(in);
    out.if_revision = read_revision(in);
    for (const std::string_view fixed :
         {"tasks", "name", "description", "dependencies", "alternatives"})
      if (in.find(fixed) != nullptr)
        in.fail(fixed, "plans/update changes the \"status\" of a plan, not its \""
                           + std::string(fixed) + "\"; plans/create adds a plan");
  });
}

result<get_plan> read_get_plan(const json::value& params) {
  return read_params<get_plan>(params, [](const document_reader& in, get_plan& out) {
    out.id = plan_id{in.id("id", true)};
    out.include_tasks = in.boolean("includeTasks", out.include_tasks);
  });
}

} // namespace troupe::opt
