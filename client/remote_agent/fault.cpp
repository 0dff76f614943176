#include "client/remote_agent/fault.hpp"

#include "protocol/json/quoted.hpp"

namespace troupe::remote_agent {

namespace json = boost::json;

namespace {

constexpr std::string_view validation_words = "remote_agent input validation failed";

fault invalid(json::array errors) {
  json::object details;
  details["source"] = "ajv"; // the word of the contract for errors in this shape
  details["tool"] = "remote_agent";
  details["errors"] = std::move(errors);
  return {"VALIDATION_ERROR", std::string(validation_words), std::move(details)};
}

json::object shown_item(const invalid_item& one) {
  json::object out;
  out["keyword"] = one.keyword;
  out["instancePath"] = one.instance_path;
  out["schemaPath"] = one.schema_path;
  out["params"] = one.params;
  out["message"] = one.message;
  return out;
}

} // namespace

fault validation_fault(const std::vector<invalid_item>& found) {
  json::array errors;
  for (const auto& each : found)
    errors.push_back(shown_item(each));
  return invalid(std::move(errors));
}

fault conflict_fault(std::string_view member, std::string_view given, std::string_view known,
                     std::string_view known_by) {
  invalid_item one;
  one.keyword = "const";
  one.instance_path = "/" + std::string(member);
  one.schema_path = "#/properties/" + std::string(member) + "/const";
  one.params["allowedValue"] = known;
  one.message = std::string(member) + " is " + quoted(given) + ", but " + std::string(known_by)
                + " has " + quoted(known) + "; leave one of them out";
  json::array errors;
  errors.push_back(shown_item(one));
  auto out = invalid(std::move(errors));
  json::object both;
  both["field"] = member;
  both["given"] = given;
  both["expected"] = known;
  out.details["conflict"] = std::move(both);
  return out;
}

fault target_fault(std::string_view reason, std::string message, json::object details) {
  json::object out;
  out["reason"] = reason;
  for (auto& each : details)
    out[each.key()] = std::move(each.value());
  out["suggested_action"] = "list_targets";
  return {"TARGET_RESOLUTION_ERROR", std::move(message), std::move(out)};
}

fault internal_fault(std::string message) {
  return {"INTERNAL_ERROR", std::move(message), {}};
}

json::object failure(std::string_view action, fault why) {
  json::object inner;
  inner["code"] = why.code;
  inner["message"] = why.message;
  inner["details"] = std::move(why.details);
  json::object out;
  out["ok"] = false;
  out["operation"] = "remote_agent";
  out["action"] = action;
  out["error"] = std::move(inner);
  return out;
}

} // namespace troupe::remote_agent
