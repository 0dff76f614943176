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

/// Under both of its names; if they differ, it is not known which is meant.
std::optional<std::uint64_t> read_revision(const document_reader& in) {
  constexpr std::uint64_t most = 9'007'199'254'740'991;
  const auto revision = in.whole_number_64("revision", 0, most);
  const auto if_revision = in.whole_number_64("ifRevision", 0, most);
  if (revision && if_revision && *revision != *if_revision)
    in.fail("ifRevision", "\"ifRevision\" and \"revision\" are the same member; send one of them");
  return if_revision ? if_revision : revision;
}

edits read_edits(const document_reader& in) {
  return {in.text("name", name_rule), in.text("description", description_rule),
          in.free_object("metadata")};
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

/// The same for a command about what `id_name` names: `read` fills in the rest, and what is wrong
/// with that is said in the command.
template<class Command, class Id, class Read>
result<Command> read_change(const json::value& params, std::string_view id_name, Id Command::*id,
                            Read read) {
  auto command = read_params<Command>(
      params, [&](const document_reader& in, Command& out) { out.*id = Id{in.id(id_name, true)}; });
  if (!command)
    return command;
  auto whole =
      read_params<Command>(params, [&](const document_reader& in, Command& out) { read(in, out); });
  if (!whole) {
    command->wrong = std::move(whole).error();
    return command;
  }
  (*whole).*id = std::move((*command).*id);
  return whole;
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
  return read_change(params, "id", &update_objective::id,
                     [](const document_reader& in, update_objective& out) {
                       out.state = read_objective_status(in);
                       out.edited = read_edits(in);
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
    out.include_plans = in.boolean("includePlans", out.include_plans);
    out.include_tasks = in.boolean("includeTasks", out.include_tasks);
  });
}

result<create_plan> read_create_plan(const json::value& params) {
  auto command = read_change(params, "objectiveId", &create_plan::objective,
                             [](const document_reader& in, create_plan& out) {
                               out.start = in.boolean("start", false);
                               out.if_revision = read_revision(in);
                             });
  if (!command || command->wrong)
    return command;
  auto spec = read_plan(params, unknown_members::ignore);
  if (spec)
    command->spec = std::move(*spec);
  else
    command->wrong = located(std::move(spec).error());
  return command;
}

result<update_plan> read_update_plan(const json::value& params) {
  return read_change(
      params, "id", &update_plan::id, [](const document_reader& in, update_plan& out) {
        out.state = read_plan_status(in);
        out.edited = read_edits(in);
        out.if_revision = read_revision(in);
        for (const std::string_view fixed : {"tasks", "dependencies", "alternatives"})
          if (in.find(fixed) != nullptr)
            in.fail(fixed, "plans/update changes \"status\", \"name\", \"description\" and "
                           "\"metadata\" of a plan, not its \""
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
