#include "actors/task/input_references.hpp"

#include "actors/task/reference_syntax.hpp"
#include "protocol/json/json_depth.hpp"
#include "protocol/json/json_pieces.hpp"
#include "protocol/json/json_pointer.hpp"
#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

namespace troupe {

namespace {

namespace json = boost::json;

error bad_reference(std::string message) {
  return make_error(errc::invalid_reference, std::move(message));
}

// -- looking up -----------------------------------------------------------------------------------

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

// What it is called goes before its name: no other task is called so.
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

result<artifact_ptr> find_artifact(const artifact_reference& ref, const dependency_result& from) {
  if (const auto* number = std::get_if<std::size_t>(&ref.artifact)) {
    if (*number < from.artifacts.size())
      return from.artifacts[*number];
  } else {
    const auto& name = std::get<std::string>(ref.artifact);
    for (const auto& have : from.artifacts)
      if (have->name == name)
        return have;
    for (const auto& have : from.artifacts)
      if (have->artifact_id == name)
        return have;
  }
  std::vector<std::string> names;
  for (const auto& have : from.artifacts)
    names.push_back(have->name.empty() ? have->artifact_id : have->name);
  return bad_reference(ref.written + ": task " + troupe::quoted(ref.task) + " has no artifact "
                       + written_step(ref.artifact) + "; it has "
                       + (names.empty() ? std::string("none")
                                        : std::to_string(names.size()) + ": " + list_of(names)));
}

std::string_view content_name(const part& part) {
  constexpr std::string_view names[]{"text", "bytes", "a url", "data"};
  return names[part.content.index()];
}

// The position in part::content of what such a reference finds.
std::size_t content_of(reference_kind kind) {
  constexpr std::size_t positions[]{0, 2, 3};
  return positions[static_cast<std::size_t>(kind)];
}

error wrong_kind(const artifact_reference& ref, std::span<const part> parts) {
  constexpr std::string_view wanted[]{"text", "url", "data"};
  std::string have;
  for (const auto& one : parts)
    if (have.find(content_name(one)) == std::string::npos)
      have.append(have.empty() ? "" : ", ").append(content_name(one));
  return bad_reference(ref.written + ": there is no "
                       + std::string(wanted[static_cast<std::size_t>(ref.kind)]) + " in it, only "
                       + (have.empty() ? std::string("nothing") : have));
}

result<const json::value*> walk(const artifact_reference& ref, const json::value& data) {
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
  return at;
}

// What a reference stands for: a value for data, else a text. `keeper` is the artifact.
result<string_replacement> look_up(const artifact_reference& ref,
                                   const std::vector<dependency_result>& deps,
                                   std::shared_ptr<const void>& keeper) {
  const auto task = find_task(ref, deps);
  if (!task)
    return task.error();
  const auto found = find_artifact(ref, **task);
  if (!found)
    return found.error();
  keeper = *found;
  const auto& parts = (*found)->parts;
  if (ref.part && *ref.part >= parts.size())
    return bad_reference(ref.written + ": the artifact has no part " + std::to_string(*ref.part)
                         + "; it has " + std::to_string(parts.size()));
  const auto from =
      ref.part ? std::span{parts}.subspan(*ref.part, 1) : std::span<const part>{parts};
  const auto first = std::find_if(from.begin(), from.end(), [&](const part& one) {
    return one.content.index() == content_of(ref.kind);
  });
  if (first == from.end())
    return wrong_kind(ref, from);
  string_replacement out;
  switch (ref.kind) {
    case reference_kind::text: out.text.emplace_back(from); break;
    case reference_kind::url:
      out.text.emplace_back(std::string_view{std::get<url_content>(first->content).url});
      break;
    case reference_kind::data:
      const auto value = walk(ref, std::get<data_content>(first->content).data);
      if (!value)
        return value.error();
      out.value = *value;
  }
  return out;
}

// -- walking the input ----------------------------------------------------------------------------

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

// Gets each string that may hold references, its place and its segments.
using string_visitor =
    std::function<result<void>(const json::value&, const std::vector<template_segment>&)>;

// Stops at the first error and sets its field.
result<void> visit_strings(const json::value& value, std::string& pointer,
                           const string_visitor& visit) {
  const auto length = pointer.size();
  if (const auto* text = value.if_string()) {
    if (!may_refer(*text))
      return {};
    const auto segments = parse_template(*text);
    const auto done = segments ? visit(value, *segments) : result<void>{segments.error()};
    if (!done)
      return make_error(done.error().code, done.error().message, pointer);
  } else if (const auto* array = value.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      append_pointer(pointer, i);
      if (auto done = visit_strings((*array)[i], pointer, visit); !done)
        return done;
      pointer.resize(length);
    }
  } else if (const auto* object = value.if_object()) {
    for (const auto& member : *object) {
      append_pointer(pointer, member.key());
      if (auto done = visit_strings(member.value(), pointer, visit); !done)
        return done;
      pointer.resize(length);
    }
  }
  return {};
}

result<void> visit_strings(const json::object& input, const string_visitor& visit) {
  if (auto shallow = check_depth(input); !shallow)
    return shallow;
  for (const auto& member : input) {
    std::string pointer;
    append_pointer(pointer, member.key());
    if (auto done = visit_strings(member.value(), pointer, visit); !done)
      return done;
  }
  return {};
}

// Collects what stands in the places of the strings that refer.
class reference_follower {
public:
  explicit reference_follower(const std::vector<dependency_result>& deps) : deps_(deps) {}

  result<void> operator()(const json::value& place, const std::vector<template_segment>& segments) {
    string_replacement out;
    for (const auto& one : segments) {
      if (const auto* literal = std::get_if<std::string_view>(&one)) {
        out.text.emplace_back(*literal);
        continue;
      }
      std::shared_ptr<const void> keeper;
      auto found = look_up(std::get<artifact_reference>(one), deps_, keeper);
      if (!found)
        return found.error();
      if (auto counted = count(*found); !counted)
        return counted;
      found_->owners.push_back(std::move(keeper));
      if (found->value == nullptr)
        out.text.insert(out.text.end(), found->text.begin(), found->text.end());
      else if (segments.size() == 1)
        out.value = found->value;
      else
        out.text.emplace_back(found->value);
    }
    found_->by_place.emplace(&place, std::move(out));
    return {};
  }

  [[nodiscard]] std::shared_ptr<const string_replacements> found() const { return found_; }

private:
  result<void> count(const string_replacement& found) {
    if (found.value != nullptr)
      bytes_ += inserted_bytes(*found.value);
    for (const auto& segment : found.text)
      bytes_ += inserted_bytes(segment);
    if (bytes_ > referenced_bytes_max)
      return make_error(errc::limit_exceeded,
                        "the references insert more than " + std::to_string(referenced_bytes_max)
                            + " bytes into the task's input (referenced_bytes_max)");
    return {};
  }

  const std::vector<dependency_result>& deps_;
  std::shared_ptr<string_replacements> found_ = std::make_shared<string_replacements>();
  std::size_t bytes_ = 0;
};

/// Calls `check` for each reference; stops at the first error and sets its field.
result<void> check_each(const json::object& input,
                        const std::function<result<void>(const artifact_reference&)>& check) {
  if (!has_references(input))
    return {};
  return visit_strings(input, [&](const json::value&, const auto& segments) -> result<void> {
    for (const auto& one : segments)
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

result<order_input> follow_references(std::shared_ptr<const json::object> input,
                                      const std::vector<dependency_result>& deps) {
  if (!has_references(*input))
    return order_input{std::move(input)};
  reference_follower follow(deps);
  if (auto done = visit_strings(*input, std::ref(follow)); !done)
    return done.error();
  return order_input{std::move(input), follow.found()};
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
