// References from a task's input to the artifacts of the tasks it depends on:
// `${tasks.search.artifacts[0].text}`. Used by acceptance (check_references, before anything runs)
// and by the task's actor (follow_references, when it becomes ready): both look tasks up in the
// same way, by the names that names_for_references gives. Plain functions over values.
//
//     reference := "${tasks" task ".artifacts" "[" (number | name | quoted) "]"
//                  [ ".parts[" number "]" ] value "}"
//
//     task := "." bare-name | "[" quoted "]"
//
//     value := ".text" | ".url"
//            | ".data" { "." bare-name | "[" number "]" | "[" quoted "]" }
//
// The task is the id or the name of a task that this one depends on, or the name that its
// `dependencies` use.
// A bare name holds no blank and none of `. [ ] { } " $`; everything else is written quoted, as a
// JSON string:
// `${tasks["Search papers"].artifacts["top 10"].data.hits[0].title}`. `$${` stands for a literal
// `${`.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/actors/order_input.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/spec.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// The most that references may insert into one task's input, in bytes; beyond it
/// errc::limit_exceeded. An agent that resolves its input must not fill the memory by one reference
/// to a large artifact, repeated.
inline constexpr std::size_t referenced_bytes_max = std::size_t{64} << 20;

/// The deepest nesting of an input in which references are replaced; beyond it
/// errc::limit_exceeded.
inline constexpr std::size_t referencing_depth_max = 500;

/// Whether any string in `input` holds `${` (an escaped one counts): if not, it may be used as it
/// is. Also true beyond the depth that is looked at.
[[nodiscard]] bool has_references(const boost::json::object& input);

/// `input` with what its references find among the artifacts of the dependencies. A string that is
/// nothing but one reference to data becomes that JSON value; everywhere else text is inserted
/// (data that is not a string as JSON). Member names are left alone. Everything is checked here,
/// but no text is made; the result shares `input` and the artifacts. Errors:
/// errc::invalid_reference; the field is the JSON pointer of the string in `input`.
[[nodiscard]] result<order_input>
follow_references(std::shared_ptr<const boost::json::object> input,
                  const std::vector<dependency_result>& deps);

/// Finds before anything runs what cannot work: wrong syntax, and tasks that are not among `deps`
/// (which have no artifacts yet) or cannot be told apart. Errors as above.
[[nodiscard]] result<void> check_references(const boost::json::object& input,
                                            const std::vector<dependency_result>& deps);

/// Whether each reference finds among the dependencies `after` a change of a plan the task that it
/// found `before`. A reference that found none names a task of another plan: both lists have the
/// tasks of its own plan only. Error: invalid_reference.
[[nodiscard]] result<void> check_references_kept(const boost::json::object& input,
                                                 const std::vector<dependency_result>& before,
                                                 const std::vector<dependency_result>& after);

/// What references may call a task beside its name: its id, as written and as it was before any
/// retry, and what the `dependencies` of the task that refers to it call it.
[[nodiscard]] std::vector<std::string> names_for_references(const task_spec& spec,
                                                            std::vector<std::string> written);

} // namespace troupe
