#include "protocol/a2a/wire_reading.hpp"

#include "protocol/limits.hpp"

#include <algorithm>

namespace troupe::wire {

namespace json = boost::json;

namespace {

void read_scheme(const object_reader& in, const place& where, push_authentication& out,
                 first_failure& failure) {
  if (const auto* schemes = in.array("schemes"); schemes && !schemes->empty()) {
    const auto list = where / "schemes";
    if (const auto* first = schemes->front().if_string())
      out.scheme = view(*first);
    else
      failure.set(list / std::size_t{0}, "expected a string");
  } else {
    out.scheme = in.text("scheme");
  }
}

} // namespace

void check_discriminator(const object_reader& in, std::initializer_list<std::string_view> known) {
  for (const auto* name : {"kind", "type"}) {
    const auto* found = in.find(name);
    const auto* text = found ? found->if_string() : nullptr;
    if (text && std::find(known.begin(), known.end(), view(*text)) == known.end())
      in.fail(name, "unknown value");
  }
}

std::vector<part> read_parts(const object_reader& in, std::string_view name, part_reader read_part,
                             first_failure& failure) {
  std::vector<part> out;
  const auto* items = in.array(name);
  if (!items || items->empty()) {
    in.fail(name, "missing or empty; at least one part is required");
  } else if (items->size() > message_parts_max) {
    in.fail(name, "more than " + std::to_string(message_parts_max) + " parts");
  } else {
    out.reserve(items->size());
    const auto list = in.where() / name;
    for (const auto& item : *items)
      out.push_back(read_part(item, list / out.size(), failure));
  }
  return out;
}

std::string read_chosen_id(const object_reader& in, std::string_view name) {
  auto id = in.id(name);
  if (!id.empty() && !is_acceptable_id(id))
    in.fail(name, "control characters and '/' are not allowed");
  return id;
}

void read_message_rest(const object_reader& in, message& out) {
  out.context_id = read_chosen_id(in, "contextId");
  out.task_id = in.id("taskId");
  out.reference_task_ids = in.texts("referenceTaskIds", id_bytes_max);
  out.extensions = in.texts("extensions", std::string::npos);
  out.metadata = in.object("metadata");
}

artifact read_artifact(const json::value& from, const place& where, part_reader read_part,
                       first_failure& failure) {
  artifact out;
  const object_reader in{from, where, failure};
  out.artifact_id = in.required_id("artifactId");
  out.name = in.text("name");
  out.description = in.text("description");
  out.parts = read_parts(in, "parts", read_part, failure);
  out.extensions = in.texts("extensions", std::string::npos);
  out.metadata = in.object("metadata");
  return out;
}

void read_configuration(const object_reader& in, send_params& out) {
  out.history_length = in.whole_number("historyLength", 0, history_length_max);
  out.command.accepted_output_modes = in.texts("acceptedOutputModes", std::string::npos);
}

principal read_principal(const object_reader& in) {
  principal out;
  out.tenant = in.id("tenant");
  return out;
}

get_task read_get_task(const object_reader& in) {
  get_task out;
  out.who = read_principal(in);
  out.id = task_id{in.required_id("id")};
  out.view.history_length = in.whole_number("historyLength", 0, history_length_max);
  return out;
}

cancel_task read_cancel_task(const object_reader& in) {
  cancel_task out;
  out.who = read_principal(in);
  out.id = task_id{in.required_id("id")};
  out.metadata = in.object("metadata");
  return out;
}

subscribe_to_task read_subscribe(const object_reader& in) {
  subscribe_to_task out;
  out.who = read_principal(in);
  out.id = task_id{in.required_id("id")};
  return out;
}

list_tasks read_list_tasks(const object_reader& in, state_reader state_from) {
  list_tasks out;
  out.who = read_principal(in);
  out.context = in.id("contextId");
  if (const auto* status = in.find("status")) {
    out.state = state_from(*status);
    if (!out.state)
      in.fail("status", "expected the name of a task state");
    else if (*out.state == task_state::unspecified) // What ProtoJSON writes for "not given".
      out.state = std::nullopt;
  }
  out.status_after =
      in.time(in.find("statusTimestampAfter") ? "statusTimestampAfter" : "lastUpdatedAfter");
  out.page_size = in.whole_number("pageSize", 1, list_page_size_max).value_or(out.page_size);
  out.page_token = in.text("pageToken");
  out.view.history_length = in.whole_number("historyLength", 0, history_length_max);
  out.view.include_artifacts = in.boolean("includeArtifacts", false);
  return out;
}

void read_push_members(const object_reader& in, push_config& out, first_failure& failure,
                       bool is_v0_3) {
  out.id = in.text("id");
  out.url = in.text("url");
  out.token = in.text("token");
  if (const auto* found = in.find("authentication")) {
    const auto where = in.where() / "authentication";
    const object_reader authentication{*found, where, failure};
    push_authentication read;
    read_scheme(authentication, where, read, failure);
    read.credentials = authentication.text("credentials");
    if (!is_v0_3 || read != push_authentication{})
      out.authentication = std::move(read);
  }
  if (const auto right = check_push_config(out); !right) {
    // 0.3 has no member `scheme`.
    const bool is_scheme = right.error().field == "authentication.scheme";
    in.fail(is_v0_3 && is_scheme ? "authentication.schemes" : right.error().field,
            right.error().message);
  }
}

void read_page(const object_reader& in, list_push_configs& out) {
  // A plain int32 in the protos: 0 is "not given".
  if (const auto size = in.whole_number("pageSize", 0, push_page_size_max); size && *size != 0)
    out.page_size = *size;
  out.page_token = in.text("pageToken");
}

} // namespace troupe::wire
