#include "protocol/json/json_location.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/document_reader.hpp"
#include "protocol/opt/limits_opt.hpp"
#include "protocol/opt/plan_params.hpp"
#include "protocol/opt/wfformat.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/plan_document.hpp>

#include <boost/json/monotonic_resource.hpp>

#include <memory>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

error syntax_error(std::string_view text, std::size_t offset, const std::string& message) {
  const auto at = position_at(text, offset);
  return make_error(errc::parse_error, "line " + std::to_string(at.line) + ", column "
                                           + std::to_string(at.column) + ": " + message);
}

/// The character at which the parser gave up, for people.
std::string unexpected(std::string_view text, std::size_t offset) {
  const char c = text[offset];
  const auto before = text.find_last_not_of(" \t\r\n", offset == 0 ? 0 : offset - 1);
  const auto comma_before = offset > 0 && before != std::string_view::npos && text[before] == ',';
  if ((c == '}' || c == ']') && comma_before)
    return "a comma before " + quoted(std::string(1, c)) + " is not allowed";
  if (c == '/' || c == '#')
    return "comments are not allowed";
  if (c == '\'')
    return "strings stand in double quotes";
  if (c == '"')
    return "unexpected \"; is a comma or a colon missing before it?";
  if (c == '\n' || c == '\r')
    return "a string must end on the line it begins on (write \\n for a line break)";
  if (static_cast<unsigned char>(c) < 0x20)
    return "a control character must be escaped in a string";
  auto end = offset + 1;
  while (end < text.size() && continues_utf8(text[end]))
    ++end;
  return "unexpected " + std::string(text.substr(offset, end - offset));
}

std::string explain(boost::system::error_code cause, std::string_view text, std::size_t offset) {
  if (cause == json::error::too_deep)
    return "nested deeper than " + std::to_string(opt::document_depth_max) + " levels";
  if (cause == json::error::incomplete)
    return "not valid JSON: the text ends in the middle";
  if (cause == json::error::extra_data)
    return "not valid JSON: something follows after the end of the document";
  if (cause == json::error::syntax && offset < text.size())
    return "not valid JSON: " + unexpected(text, offset);
  if (cause == json::error::exponent_overflow)
    return json_fault(cause);
  return "not valid JSON: " + json_fault(cause);
}

/// The error of a reader, with line and pointer in front of its message. Of what is missing, the
/// line of what should have it. Line 0 is not known.
error with_line(error cause, const find_line_fn& line_of) {
  auto line = line_of(cause.field);
  for (std::string_view at = cause.field; line == 0 && at.rfind('/') > 0 && at.starts_with('/');) {
    at = at.substr(0, at.rfind('/'));
    line = line_of(at);
  }
  auto prefix = line == 0 ? cause.field : "line " + std::to_string(line);
  if (line != 0 && !cause.field.empty())
    prefix += " (" + cause.field + ")";
  if (!prefix.empty())
    cause.message = prefix + ": " + cause.message;
  return cause;
}

result<json::value> parse(std::string_view text, const json::storage_ptr& memory) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return make_error(errc::parse_error, "the document is empty");
  if (const auto invalid = find_invalid_utf8(text))
    return syntax_error(text, *invalid, "not valid UTF-8");
  json::parse_options options;
  options.max_depth = opt::document_depth_max;
  json_parser parser(options);
  boost::system::error_code ec;
  std::size_t offset = 0;
  auto value = parser.parse(text, memory, ec, offset);
  if (ec)
    return syntax_error(text, offset, explain(ec, text, offset));
  if (const auto twin = find_duplicate_member(text))
    return syntax_error(text, twin->offset,
                        quoted(twin->name.substr(0, 60)) + " appears twice in one object");
  return value;
}

/// An objective without work never ends; as a document it is a mistake.
result<void> check_work(const objective_spec& objective, bool bare_plan) {
  if (objective.plans.empty())
    return make_error(errc::invalid_document, "\"plans\" has no plan: there is nothing to do");
  for (std::size_t i = 0; i < objective.plans.size(); ++i)
    if (objective.plans[i]->tasks.empty())
      return make_error(errc::invalid_document,
                        "plan " + quoted(objective.plans[i]->name)
                            + " has no tasks: it would never complete",
                        (bare_plan ? std::string{} : "/plans/" + std::to_string(i)) + "/tasks");
  return {};
}

bool is_bare_plan(const json::object& root) {
  return root.contains("tasks") && !root.contains("plans");
}

result<objective_spec> read_opt(const json::value& document) {
  const auto* root = document.if_object();
  if (root == nullptr)
    return make_error(errc::invalid_document,
                      "a plan document must be an object, found " + opt::describe(document));
  const bool bare_plan = is_bare_plan(*root);
  if (!bare_plan && !root->contains("plans") && !root->contains("name"))
    return make_error(errc::invalid_document, "neither a plan document (\"plans\", or \"tasks\" "
                                              "for a single plan) nor a WfFormat instance "
                                              "(\"schemaVersion\" and \"workflow\")");
  auto objective = [&]() -> result<objective_spec> {
    if (!bare_plan)
      return opt::read_objective(document, opt::unknown_members::refuse);
    auto plan = opt::read_plan(document, opt::unknown_members::refuse);
    if (!plan)
      return std::move(plan).error();
    return opt::objective_of(std::move(*plan));
  }();
  if (!objective)
    return objective;
  if (auto ok = check_work(*objective, bare_plan); !ok)
    return std::move(ok).error();
  return objective;
}

} // namespace

result<plan_document> read_plan_document(std::string_view text) {
  if (text.starts_with(byte_order_mark))
    text.remove_prefix(byte_order_mark.size());
  json::monotonic_resource memory;
  auto document = parse(text, &memory);
  if (!document)
    return std::move(document).error();
  return read_plan_document(std::move(*document),
                            [text](std::string_view pointer) { return line_of(text, pointer); });
}

result<plan_document> read_plan_document(json::value document, const find_line_fn& line_of) {
  auto params = opt::take_params(document);
  if (!params)
    return with_line(std::move(params).error(), line_of);
  auto env = opt::take_env(document);
  if (!env)
    return with_line(std::move(env).error(), line_of);
  plan_document read;
  read.params = std::move(*params);
  read.env = std::move(*env);
  read.kind = wfformat::is_instance(document) ? document_kind::wfformat : document_kind::opt;
  auto objective =
      read.kind == document_kind::wfformat ? wfformat::read_instance(document) : read_opt(document);
  if (!objective)
    return with_line(std::move(objective).error(), line_of);
  read.is_bare_plan = read.kind == document_kind::opt && is_bare_plan(document.get_object());
  read.objective = std::move(*objective);
  return read;
}

} // namespace troupe
