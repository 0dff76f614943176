#include "actors/input_references.hpp"

#include "actors/reference_syntax.hpp"
#include "protocol/json/json_depth.hpp"
#include "protocol/json/json_pointer.hpp"
#include "protocol/json/quoted.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <variant>

namespace troupe {

namespace {

namespace json = boost::json;

error bad_reference(std::string message) {
  return make_error(errc::invalid_reference, std::move(message));
}

// -- looking up --------------------------------------------------------------------------------------------------------

std::string list_of(std::vector<std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < 20; ++i)
    out += (i == 0 ? "" : ", ") + troupe::quoted(names[i]);
  if (names.size() > 20)
    out += ", and " + std::to_string(names.size() - 20) + " more";
  return out;
}

error unknown_task(const artifact_reference& ref, const std::vector<dependency_result>& deps) {
  std::vector<std::string> known;
  known.reserve(deps.size());
  for (const auto& dep : deps)
    known.push_back(!dep.key.empty() ? dep.key : !dep.name.empty() ? dep.name : dep.id.str());
  auto message = ref.written + ": " + troupe::quoted(ref.task)
                 + " is not a task this one depends on; it depends on ";
  return bad_reference(message + (known.empty() ? std::string("nothing") : list_of(known)));
}

// What it is called goes before its name: it is called so by nobody else.
result<const dependency_result*> find_task(const artifact_reference& ref,
                                           const std::vector<dependency_result>& deps) {
  std::vector<const dependency_result*> named;
  for (const auto& dep : deps) {
    if (std::find(dep.called.begin(), dep.called.end(), ref.task) != dep.called.end())
      return &dep;
    if (dep.name == ref.task)
      named.push_back(&dep);
  }
  if (named.size() > 1)
    return bad_reference(ref.written + ": " + std::to_string(named.size()) + " tasks are named "
                         + troupe::quoted(ref.task) + "; use the id");
  return named.empty() ? result<const dependency_result*>{unknown_task(ref, deps)} : named.front();
}

std::string written_step(const reference_step& which) {
  if (const auto* number = std::get_if<std::size_t>(&which))
    return std::to_string(*number);
  return troupe::quoted(std::get<std::string>(which));
}

result<const artifact*> find_artifact(const artifact_reference& ref,
                                      const dependency_result& from) {
  if (const auto* number = std::get_if<std::size_t>(&ref.artifact)) {
    if (*number < from.artifacts.size())
      return from.artifacts[*number].get();
  } else {
    const auto& name = std::get<std::string>(ref.artifact);
    for (const auto& have : from.artifacts)
      if (have->name == name)
        return have.get();
    for (const auto& have : from.artifacts)
      if (have->artifact_id == name)
        return have.get();
  }
  std::vector<std::string> names;
  for (const auto& have : from.artifacts)
    names.push_back(have->name.empty() ? have->artifact_id : have->name);
  return bad_reference(ref.written + ": task " + troupe::quoted(ref.task) + " has no artifact "
                       + written_step(ref.artifact) + "; it has "
                       + (names.empty() ? std::string("none")
                                        : std::to_string(names.size()) + ": " + list_of(names)));
}

std::string_view kind_of(const part& part) {
  constexpr std::string_view names[]{"text", "bytes", "a url", "data"};
  return names[part.content.index()];
}

error wrong_kind(const artifact_reference& ref, const std::vector<part>& parts) {
  constexpr std::string_view wanted[]{"text", "url", "data"};
  std::string have;
  for (const auto& one : parts)
    if (have.find(kind_of(one)) == std::string::npos)
      have.append(have.empty() ? "" : ", ").append(kind_of(one));
  return bad_reference(ref.written + ": there is no "
                       + std::string(wanted[static_cast<std::size_t>(ref.kind)]) + " in it, only "
                       + (have.empty() ? std::string("nothing") : have));
}

result<json::value> walk(const artifact_reference& ref, const json::value& data) {
  const json::value* at = &data;
  std::string walked = "data";
  for (const auto& next : ref.path) {
    const json::value* below = nullptr;
    if (const auto* number = std::get_if<std::size_t>(&next)) {
      if (const auto* array = at->if_array(); array != nullptr && *number < array->size())
        below = &(*array)[*number];
    } else if (const auto* object = at->if_object()) {
      below = object->if_contains(std::get<std::string>(next));
    }
    if (below == nullptr) {
      std::string have = at->is_array() ? "a list of " + std::to_string(at->get_array().size())
                                        : std::string(to_string(at->kind()));
      if (const auto* object = at->if_object()) {
        std::vector<std::string> names;
        for (const auto& member : *object)
          names.emplace_back(member.key());
        have = names.empty() ? "an empty object" : "an object with " + list_of(std::move(names));
      }
      return bad_reference(ref.written + ": `" + walked + "` is " + have + ", without "
                           + written_step(next));
    }
    at = below;
    walked += "[" + written_step(next) + "]";
  }
  return *at;
}

// What a reference stands for: a string for text and url, any JSON for data.
result<json::value> look_up(const artifact_reference& ref,
                            const std::vector<dependency_result>& deps) {
  const auto task = find_task(ref, deps);
  if (!task)
    return task.error();
  const auto found = find_artifact(ref, **task);
  if (!found)
    return found.error();
  const auto& whole = (*found)->parts;
  if (ref.part && *ref.part >= whole.size())
    return bad_reference(ref.written + ": the artifact has no part " + std::to_string(*ref.part)
                         + "; it has " + std::to_string(whole.size()));
  const std::vector<part> parts =
      ref.part ? std::vector<part>{whole[*ref.part]} : std::vector<part>{};
  const auto& from = ref.part ? parts : whole;
  const auto holds = [&](auto* type) {
    using content = std::remove_pointer_t<decltype(type)>;
    return std::find_if(from.begin(), from.end(), [](const part& one) {
      return std::holds_alternative<content>(one.content);
    });
  };
  if (ref.kind == reference_kind::text) {
    if (holds(static_cast<text_content*>(nullptr)) != from.end())
      return json::value(text_of(from));
  } else if (ref.kind == reference_kind::url) {
    if (const auto at = holds(static_cast<url_content*>(nullptr)); at != from.end())
      return json::value(std::get<url_content>(at->content).url);
  } else if (const auto at = holds(static_cast<data_content*>(nullptr)); at != from.end()) {
    return walk(ref, std::get<data_content>(at->content).data);
  }
  return wrong_kind(ref, from);
}

// -- walking the input -------------------------------------------------------------------------------------------------

bool may_refer(std::string_view text) {
  return text.find("${") != std::string_view::npos;
}

// Searches `levels` deep; what lies below counts as found, so that it meets the limit.
bool any_reference(const json::value& value, std::size_t levels) {
  if (const auto* text = value.if_string())
    return may_refer(*text);
  const auto below = [levels](const json::value& child) {
    return any_reference(child, levels - 1);
  };
  if (const auto* array = value.if_array())
    return levels == 0 || std::any_of(array->begin(), array->end(), below);
  if (const auto* object = value.if_object())
    return levels == 0 || std::any_of(object->begin(), object->end(), [&](const auto& member) {
             return below(member.value());
           });
  return false;
}

result<void> check_depth(const json::object& input) {
  for (const auto& member : input)
    if (is_deeper_than(member.value(), referencing_depth_max)) {
      std::string pointer;
      append_pointer(pointer, member.key());
      return make_error(errc::limit_exceeded,
                        "the input nests deeper than " + std::to_string(referencing_depth_max)
                            + " levels (referencing_depth_max)",
                        std::move(pointer));
    }
  return {};
}

// Calls `change` on every string that may hold references; stops at the first error and sets its
// field.
using string_visitor = std::function<result<void>(json::value&)>;

result<void> visit_strings(json::value& value, std::string& pointer, const string_visitor& change) {
  const auto length = pointer.size();
  if (auto* text = value.if_string()) {
    if (!may_refer(*text))
      return {};
    auto done = change(value);
    if (!done)
      return make_error(done.error().code, done.error().message, pointer);
  } else if (auto* array = value.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      append_pointer(pointer, i);
      if (auto done = visit_strings((*array)[i], pointer, change); !done)
        return done;
      pointer.resize(length);
    }
  } else if (auto* object = value.if_object()) {
    for (auto& member : *object) {
      append_pointer(pointer, member.key());
      if (auto done = visit_strings(member.value(), pointer, change); !done)
        return done;
      pointer.resize(length);
    }
  }
  return {};
}

std::string inserted(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

class reference_resolver {
public:
  explicit reference_resolver(const std::vector<dependency_result>& deps) : deps_(deps) {}

  result<void> operator()(json::value& value) {
    auto segments = parse_template(value.get_string());
    if (!segments)
      return segments.error();
    if (segments->size() == 1 && std::holds_alternative<artifact_reference>(segments->front())) {
      auto found = look_up(std::get<artifact_reference>(segments->front()), deps_);
      if (!found)
        return found.error();
      if (auto counted = count(found->is_structured() ? json::serialize(*found).size()
                                                      : inserted(*found).size());
          !counted)
        return counted;
      value = std::move(*found);
      return {};
    }
    std::string text;
    for (const auto& one : *segments) {
      if (const auto* literal = std::get_if<std::string>(&one)) {
        text += *literal;
        continue;
      }
      const auto found = look_up(std::get<artifact_reference>(one), deps_);
      if (!found)
        return found.error();
      const auto piece = inserted(*found);
      if (auto counted = count(piece.size()); !counted)
        return counted;
      text += piece;
    }
    value = json::string(text);
    return {};
  }

private:
  result<void> count(std::size_t bytes) {
    inserted_bytes_ += bytes;
    if (inserted_bytes_ > referenced_bytes_max)
      return make_error(errc::limit_exceeded,
                        "the references insert more than " + std::to_string(referenced_bytes_max)
                            + " bytes into the task's input (referenced_bytes_max)");
    return {};
  }

  const std::vector<dependency_result>& deps_;
  std::size_t inserted_bytes_ = 0;
};

/// Calls `check` for each reference; stops at the first error and sets its field.
result<void> check_each(const json::object& input,
                        const std::function<result<void>(const artifact_reference&)>& check) {
  if (!has_references(input))
    return {};
  if (auto shallow = check_depth(input); !shallow)
    return shallow;
  json::value copy(input);
  std::string pointer;
  return visit_strings(copy, pointer, [&](json::value& value) -> result<void> {
    const auto segments = parse_template(value.get_string());
    if (!segments)
      return segments.error();
    for (const auto& one : *segments)
      if (const auto* ref = std::get_if<artifact_reference>(&one))
        if (auto ok = check(*ref); !ok)
          return ok;
    return {};
  });
}

} // namespace

bool has_references(const json::object& input) {
  return std::any_of(input.begin(), input.end(), [](const auto& member) {
    return any_reference(member.value(), referencing_depth_max);
  });
}

result<json::object> resolve_references(const json::object& input,
                                        const std::vector<dependency_result>& deps) {
  if (!has_references(input))
    return input;
  if (auto shallow = check_depth(input); !shallow)
    return shallow.error();
  json::value out(input);
  std::string pointer;
  reference_resolver change(deps);
  if (auto done = visit_strings(out, pointer, std::ref(change)); !done)
    return done.error();
  return std::move(out.get_object());
}

result<void> check_references(const json::object& input,
                              const std::vector<dependency_result>& deps) {
  return check_each(input, [&](const artifact_reference& ref) -> result<void> {
    if (const auto found = find_task(ref, deps); !found)
      return found.error();
    return {};
  });
}

result<void> check_references_kept(const json::object& input,
                                   const std::vector<dependency_result>& before,
                                   const std::vector<dependency_result>& after) {
  return check_each(input, [&](const artifact_reference& ref) -> result<void> {
    const auto was = find_task(ref, before);
    const auto is = find_task(ref, after);
    const bool is_kept = was ? is && (*is)->id == (*was)->id : !is;
    if (is_kept)
      return {};
    return bad_reference(
        ref.written + ": "
        + (is ? "it would refer to another task than before"
              : "it would depend on no task, or on several, called " + troupe::quoted(ref.task)));
  });
}

std::vector<std::string> names_for_references(const task_spec& spec,
                                              std::vector<std::string> written) {
  for (const auto& id : {spec.key, spec.id.str()})
    if (!id.empty())
      written.push_back(id);
  return written;
}

} // namespace troupe
