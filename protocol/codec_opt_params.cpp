// The params of `objectives/*` and `plans/*`: what is not known is ignored, what is known must be right.
#include "protocol/codec_opt.hpp"
#include "protocol/document_reader.hpp"
#include "protocol/limits_opt.hpp"

namespace troupe::opt {

namespace json = boost::json;

namespace {

constexpr document_reader::text_rule name_rule{.bytes_max = name_bytes_max};
constexpr document_reader::text_rule description_rule{.bytes_max = description_bytes_max, .single_line = false};
constexpr document_reader::text_rule token_rule{.bytes_max = name_bytes_max};

/// An error somewhere below a direct parameter says where in its message as well: not every client shows `field`.
error located(error cause) {
  if (cause.field.find('/', 1) != std::string::npos)
    cause.message.insert(0, cause.field + ": ");
  return cause;
}

/// A status in OPT's spelling; `parse` turns it into the state.
template<class Parse>
auto read_status(document_reader& in, const json::object& params, const place& where, std::string_view expected,
                 Parse parse) -> decltype(parse(std::string_view{})) {
  const auto* found = in.member(params, "status");
  if (found == nullptr)
    return std::nullopt;
  if (const auto* text = found->if_string())
    if (const auto state = parse(std::string_view(text->data(), text->size())))
      return state;
  in.fail_type(where / "status", "status", expected, *found);
  return std::nullopt;
}

std::optional<objective_state> read_objective_status(document_reader& in, const json::object& params,
                                                     const place& where) {
  return read_status(in, params, where,
                     "one of submitted, planning, working, blocked, completed, failed, canceled", objective_state_from);
}

std::optional<plan_state> read_plan_status(document_reader& in, const json::object& params, const place& where) {
  return read_status(in, params, where, "one of pending, working, blocked, completed, failed, skipped",
                     plan_state_from);
}

std::optional<std::uint64_t> read_revision(document_reader& in, const json::object& params, const place& where) {
  return in.whole_number(params, where, "revision", 0, 9'007'199'254'740'991);
}

/// Reads an object of params with `read(in, object, where, command)`. Absent params (null) are empty ones.
template<class Command, class Read>
result<Command> read_params(const json::value& params, Read read) {
  document_reader in(unknown_members::ignore);
  const place root;
  Command command;
  const json::object none;
  if (const auto* object = params.is_null() ? &none : in.object(params, root, "params"))
    read(in, *object, root, command);
  if (in.failed())
    return located(in.take_failure());
  return command;
}

} // namespace

result<create_objective> read_create_objective(const json::value& params) {
  auto head = read_params<create_objective>(
      params, [](document_reader& in, const json::object& from, const place& where, create_objective& out) {
        out.start = in.boolean(from, where, "start", false);
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
  return read_params<update_objective>(
      params, [](document_reader& in, const json::object& from, const place& where, update_objective& out) {
        out.id = objective_id{in.id(from, where, true)};
        out.state = read_objective_status(in, from, where);
        out.name = in.text(from, where, "name", name_rule);
        out.description = in.text(from, where, "description", description_rule);
        out.revision = read_revision(in, from, where);
      });
}

result<get_objective> read_get_objective(const json::value& params) {
  return read_params<get_objective>(
      params, [](document_reader& in, const json::object& from, const place& where, get_objective& out) {
        out.id = objective_id{in.id(from, where, true)};
        out.include_plans = in.boolean(from, where, "includePlans", out.include_plans);
        out.include_tasks = in.boolean(from, where, "includeTasks", out.include_tasks);
      });
}

result<list_objectives> read_list_objectives(const json::value& params) {
  return read_params<list_objectives>(
      params, [](document_reader& in, const json::object& from, const place& where, list_objectives& out) {
        out.state = read_objective_status(in, from, where);
        if (const auto size = in.whole_number(from, where, "pageSize", 1, page_size_max))
          out.page_size = static_cast<std::uint32_t>(*size);
        out.page_token = in.text(from, where, "pageToken", token_rule);
      });
}

result<create_plan> read_create_plan(const json::value& params) {
  auto head = read_params<create_plan>(
      params, [](document_reader& in, const json::object& from, const place& where, create_plan& out) {
        out.objective = objective_id{in.named_id(from, where, "objectiveId", true)};
        out.start = in.boolean(from, where, "start", false);
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
  return read_params<update_plan>(
      params, [](document_reader& in, const json::object& from, const place& where, update_plan& out) {
        out.id = plan_id{in.id(from, where, true)};
        out.state = read_plan_status(in, from, where);
        out.revision = read_revision(in, from, where);
        for (const std::string_view fixed : {"tasks", "name", "description", "dependencies", "alternatives"})
          if (in.member(from, fixed) != nullptr)
            in.fail(where / fixed, "plans/update changes the \"status\" of a plan, not its \"" + std::string(fixed)
                                       + "\"; plans/create adds a plan");
      });
}

result<get_plan> read_get_plan(const json::value& params) {
  return read_params<get_plan>(
      params, [](document_reader& in, const json::object& from, const place& where, get_plan& out) {
        out.id = plan_id{in.id(from, where, true)};
        out.include_tasks = in.boolean(from, where, "includeTasks", out.include_tasks);
      });
}

} // namespace troupe::opt
