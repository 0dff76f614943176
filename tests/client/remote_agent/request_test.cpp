// The requests of `remote_agent`: sections B and C of the contract, and what is said about wrong
// ones.
#include "tests/client/remote_agent/contract.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;
using remote_agent::action;

namespace json = boost::json;

namespace {

texts of_part(const std::string& part) {
  return errors_of(R"({"action":"send","parts":[)" + part + "]}");
}

texts of_continuation(const std::string& continued) {
  return errors_of(R"({"action":"status","continuation":)" + continued + "}");
}

const std::string plain_target =
    R"("target":{"target_url":"https://support.example/","card_path":"/c","preferred_transports":["JSONRPC"]})";

} // namespace

TEST_CASE("remote-agent line 20: an action is required, and there are five",
          "[client][remote-agent]") {
  CHECK(valid(R"({"action":"list_targets"})").which == action::list_targets);
  CHECK(valid(a_send()).which == action::send);
  for (const auto* name : {"watch", "status", "cancel"})
    CHECK(to_string(valid(R"({"action":")" + std::string(name) + R"(","task_id":"t"})").which)
          == name);
  CHECK(errors_of("{}") == texts{" required"});
}

TEST_CASE("remote-agent line 21: unknown fields are refused", "[client][remote-agent]") {
  CHECK(errors_of(a_send(R"(,"url":"x","Parts":[])"))
        == texts{" additionalProperties", " additionalProperties"});
}

TEST_CASE("remote-agent line 22: without a text to repeat the action is unknown",
          "[client][remote-agent]") {
  CHECK(errors_of("[]") == texts{" type"});
  CHECK(errors_of(R"({"action":"stop"})") == texts{"/action enum"});
  CHECK(errors_of(R"({"action":1})") == texts{"/action type"});
  CHECK(remote_agent::action_text(tree("[]")) == "unknown");
  CHECK(remote_agent::action_text(tree(R"({"action":1})")) == "unknown");
  CHECK(remote_agent::action_text(tree(R"({"action":"stop"})")) == "stop");
}

TEST_CASE("remote-agent line 23: target_alias is a text", "[client][remote-agent]") {
  CHECK(valid(a_send(R"(,"target_alias":"billing")")).target_alias == "billing");
  CHECK(errors_of(a_send(R"(,"target_alias":"")")) == texts{"/target_alias minLength"});
  CHECK(errors_of(a_send(R"(,"target_alias":1)")) == texts{"/target_alias type"});
}

TEST_CASE("remote-agent line 24: target_url is a URL of http or https", "[client][remote-agent]") {
  CHECK(valid(a_send(R"(,"target_url":"https://support.example")")).target_url
        == "https://support.example");
  CHECK(errors_of(a_send(R"(,"target_url":"ftp://a")")) == texts{"/target_url pattern"});
  CHECK(errors_of(a_send(R"(,"target_url":"https://")")) == texts{"/target_url format"});
}

TEST_CASE("remote-agent line 25: parts are texts, files and data, and at least one",
          "[client][remote-agent]") {
  const auto read = valid(
      R"({"action":"send","parts":[{"kind":"text","text":"a"},{"kind":"data","data":{"b":1}},{"kind":"file","uri":"https://c"}]})");
  REQUIRE(read.parts.size() == 3);
  CHECK(std::get<text_content>(read.parts[0].content).text == "a");
  CHECK(std::get<data_content>(read.parts[1].content).data == tree(R"({"b":1})"));
  CHECK(std::get<url_content>(read.parts[2].content).url == "https://c");
  CHECK(errors_of(R"({"action":"send","parts":[]})") == texts{"/parts minItems"});
  CHECK(errors_of(R"({"action":"send","parts":"hi"})") == texts{"/parts type"});
  CHECK(of_part(R"({"text":"a"})") == texts{"/parts/0 required"});
  CHECK(of_part(R"({"kind":"text"})") == texts{"/parts/0 required"});
  CHECK(of_part(R"({"kind":"data","data":[1]})") == texts{"/parts/0/data type"});
  CHECK(of_part(R"({"kind":"image"})") == texts{"/parts/0/kind enum"});
}

TEST_CASE("remote-agent line 26: a part may have metadata", "[client][remote-agent]") {
  const auto read =
      valid(R"({"action":"send","parts":[{"kind":"text","text":"a","metadata":{"x":1}}]})");
  CHECK(read.parts[0].metadata.at("x") == 1);
  CHECK(of_part(R"({"kind":"text","text":"a","metadata":1})") == texts{"/parts/0/metadata type"});
}

TEST_CASE("remote-agent line 27: a file is a URI or bytes, and the URI wins",
          "[client][remote-agent]") {
  const auto read = valid(
      R"({"action":"send","parts":[{"kind":"file","bytes":"aGk=","name":"a.txt","mime_type":"text/plain"},)"
      R"({"kind":"file","bytes":"aGk=","uri":"https://f"},{"kind":"file","file":{"uri":"https://g"}}]})");
  CHECK(std::get<raw_content>(read.parts[0].content).bytes == "hi");
  CHECK(read.parts[0].filename == "a.txt");
  CHECK(read.parts[0].media_type == "text/plain");
  CHECK(std::get<url_content>(read.parts[1].content).url == "https://f");
  CHECK(std::get<url_content>(read.parts[2].content).url == "https://g");
  CHECK(of_part(R"({"kind":"file","name":"a"})") == texts{"/parts/0 anyOf"});
  CHECK(of_part(R"({"kind":"file","bytes":"?"})") == texts{"/parts/0/bytes format"});
  CHECK(of_part(R"({"kind":"file","uri":"https://f","size":1})")
        == texts{"/parts/0 additionalProperties"});
}

TEST_CASE("remote-agent line 28: message_id is the caller's, if there is one",
          "[client][remote-agent]") {
  CHECK(valid(a_send(R"(,"message_id":"m")")).message_id == "m");
  CHECK(valid(a_send()).message_id.empty());
  CHECK(errors_of(a_send(R"(,"message_id":"")")) == texts{"/message_id minLength"});
}

TEST_CASE("remote-agent line 29: a handle has its form", "[client][remote-agent]") {
  CHECK(valid(a_send(R"(,"task_handle":"rah_0aB-9")")).task_handle == "rah_0aB-9");
  for (const auto* wrong : {"rah_", "0a", "rah_a b"})
    CHECK(errors_of(a_send(R"(,"task_handle":")" + std::string(wrong) + R"(")"))
          == texts{"/task_handle pattern"});
}

TEST_CASE("remote-agent line 30: task_id is a text", "[client][remote-agent]") {
  CHECK(valid(a_send(R"(,"task_id":"t")")).task_id == "t");
  CHECK(errors_of(a_send(R"(,"task_id":"")")) == texts{"/task_id minLength"});
}

TEST_CASE("remote-agent line 31: context_id is for send only", "[client][remote-agent]") {
  CHECK(valid(a_send(R"(,"context_id":"c")")).context_id == "c");
  CHECK(errors_of(R"({"action":"status","task_id":"t","context_id":"c"})")
        == texts{"/context_id not"});
}

TEST_CASE("remote-agent line 32: reference_task_ids are texts, and at least one",
          "[client][remote-agent]") {
  CHECK(valid(a_send(R"(,"reference_task_ids":["a","b"])")).reference_task_ids == texts{"a", "b"});
  CHECK(errors_of(a_send(R"(,"reference_task_ids":[])")) == texts{"/reference_task_ids minItems"});
}

TEST_CASE("remote-agent line 33: a task is optional unless it is required",
          "[client][remote-agent]") {
  CHECK_FALSE(valid(a_send()).needs_task);
  CHECK_FALSE(valid(a_send(R"(,"task_requirement":"optional")")).needs_task);
  CHECK(valid(a_send(R"(,"task_requirement":"required")")).needs_task);
  CHECK(errors_of(a_send(R"(,"task_requirement":"yes")")) == texts{"/task_requirement enum"});
}

TEST_CASE("remote-agent line 34: follow_updates is true or false", "[client][remote-agent]") {
  CHECK(valid(a_send(R"(,"follow_updates":true)")).follows);
  CHECK(errors_of(a_send(R"(,"follow_updates":1)")) == texts{"/follow_updates type"});
}

TEST_CASE("remote-agent line 35: an empty list of output modes counts", "[client][remote-agent]") {
  CHECK_FALSE(valid(a_send()).accepted_output_modes.has_value());
  CHECK(valid(a_send(R"(,"accepted_output_modes":[])")).accepted_output_modes->empty());
  CHECK(errors_of(a_send(R"(,"accepted_output_modes":[""])"))
        == texts{"/accepted_output_modes/0 minLength"});
}

TEST_CASE("remote-agent line 36: blocking is refused with follow_updates, whichever it is",
          "[client][remote-agent]") {
  CHECK(valid(a_send(R"(,"blocking":false)")).blocking == false);
  CHECK_FALSE(valid(a_send()).blocking.has_value());
  for (const auto* value : {"true", "false"})
    CHECK(errors_of(a_send(R"(,"follow_updates":true,"blocking":)" + std::string(value)))
          == texts{"/blocking not"});
  CHECK(valid(a_send(R"(,"follow_updates":false,"blocking":true)")).blocking == true);
}

TEST_CASE("remote-agent line 37: history_length is a whole number from 0",
          "[client][remote-agent]") {
  CHECK(valid(a_send(R"(,"history_length":0)")).history_length == 0);
  CHECK(valid(R"({"action":"status","task_id":"t","history_length":2})").history_length == 2);
  CHECK(errors_of(a_send(R"(,"history_length":-1)")) == texts{"/history_length minimum"});
  CHECK(errors_of(a_send(R"(,"history_length":1.5)")) == texts{"/history_length type"});
  CHECK(errors_of(R"({"action":"cancel","task_id":"t","history_length":2})")
        == texts{"/history_length not"});
}

TEST_CASE("remote-agent line 38: a push configuration has a URL, and may have more",
          "[client][remote-agent]") {
  const auto read = valid(a_send(
      R"(,"push_notification_config":{"url":"https://h","id":"i","token":"k","authentication":{"schemes":["Bearer"],"credentials":"s"}})"));
  REQUIRE(read.push.has_value());
  CHECK(read.push->url == "https://h");
  CHECK(read.push->schemes == texts{"Bearer"});
  CHECK(read.push->credentials == "s");
  CHECK(errors_of(a_send(R"(,"push_notification_config":{"id":"i"})"))
        == texts{"/push_notification_config required"});
  CHECK(errors_of(a_send(
            R"(,"push_notification_config":{"url":"https://h","authentication":{"scheme":"x"}})"))
        == texts{"/push_notification_config/authentication additionalProperties",
                 "/push_notification_config/authentication required"});
}

TEST_CASE("remote-agent line 39: timeout_ms is a whole number from 1", "[client][remote-agent]") {
  CHECK(valid(a_send(R"(,"timeout_ms":1)")).timeout == 1ms);
  CHECK(errors_of(a_send(R"(,"timeout_ms":0)")) == texts{"/timeout_ms minimum"});
  CHECK(errors_of(a_send(R"(,"timeout_ms":3000000000)")) == texts{"/timeout_ms maximum"});
}

TEST_CASE("remote-agent line 40: service parameters are texts", "[client][remote-agent]") {
  CHECK(valid(a_send(R"(,"service_parameters":{"X-A":"b"})")).service_parameters.at(0).second
        == "b");
  CHECK(errors_of(a_send(R"(,"service_parameters":{"X-A":1})"))
        == texts{"/service_parameters/X-A type"});
}

TEST_CASE("remote-agent line 41: metadata is an object, for send only", "[client][remote-agent]") {
  CHECK(valid(a_send(R"(,"metadata":{"a":1})")).metadata.at("a") == 1);
  CHECK(errors_of(a_send(R"(,"metadata":[])")) == texts{"/metadata type"});
  CHECK(errors_of(R"({"action":"watch","task_id":"t","metadata":{}})") == texts{"/metadata not"});
}

TEST_CASE("remote-agent line 42: a continuation is taken by all that ask an agent",
          "[client][remote-agent]") {
  for (const auto* name : {"watch", "status", "cancel"})
    CHECK(valid(R"({"action":")" + std::string(name) + R"(","continuation":)" + a_continuation()
                + "}")
              .continued->task_id
          == "t1");
  CHECK(valid(a_send(R"(,"continuation":)" + a_continuation())).continued->context_id == "c1");
  CHECK(errors_of(R"({"action":"list_targets","continuation":{}})") == texts{"/continuation not"});
}

TEST_CASE("remote-agent line 43: a continuation needs its target, whole",
          "[client][remote-agent]") {
  CHECK(of_continuation(R"({"task":{"task_id":"t"}})") == texts{"/continuation required"});
  CHECK(of_continuation(R"({"target":{},"task":{"task_id":"t"}})")
        == texts{"/continuation/target required", "/continuation/target required",
                 "/continuation/target required"});
  CHECK(
      of_continuation(
          R"({"target":{"target_url":"https://a","card_path":"/c","preferred_transports":[]},"task":{"task_id":"t"}})")
      == texts{"/continuation/target/preferred_transports minItems"});
  CHECK(of_continuation("{" + plain_target + R"(,"task":{"task_id":"t"},"url":1})")
        == texts{"/continuation additionalProperties"});
}

TEST_CASE("remote-agent line 44: a task of a continuation needs its id; the rest is ignored",
          "[client][remote-agent]") {
  CHECK(of_continuation("{" + plain_target
                        + R"(,"task":{"task_id":"t","task_handle":"rah_1","status":"working",)"
                          R"("can_send":true,"can_resume_send":true,"can_status":true,)"
                          R"("can_cancel":true,"can_watch":true}})")
        == texts{});
  CHECK(of_continuation("{" + plain_target + R"(,"task":{"task_handle":"rah_1"}})")
        == texts{"/continuation/task required"});
}

TEST_CASE("remote-agent line 45: a conversation needs its context, and can be sent to",
          "[client][remote-agent]") {
  const auto of = [](const std::string& conversation) {
    return errors_of(
        a_send(R"(,"continuation":{)" + plain_target + R"(,"conversation":)" + conversation + "}"));
  };
  CHECK(of(R"({"context_id":"c"})") == texts{});
  CHECK(of(R"({"can_send":true})") == texts{"/continuation/conversation required"});
  CHECK(of(R"({"context_id":"c","can_send":false})")
        == texts{"/continuation/conversation/can_send const"});
}

TEST_CASE("remote-agent line 47: list_targets takes nothing besides", "[client][remote-agent]") {
  CHECK(errors_of(R"({"action":"list_targets","target_alias":"support","timeout_ms":1})")
        == texts{"/target_alias not", "/timeout_ms not"});
}

TEST_CASE("remote-agent line 48: send takes every field", "[client][remote-agent]") {
  CHECK(
      errors_of(a_send(
          R"(,"target_alias":"support","target_url":"https://support.example","task_handle":"rah_1",)"
          R"("task_id":"t","context_id":"c","message_id":"m","reference_task_ids":["r"],)"
          R"("task_requirement":"required","follow_updates":false,"accepted_output_modes":[],)"
          R"("blocking":true,"history_length":1,"push_notification_config":{"url":"https://h"},)"
          R"("timeout_ms":1,"service_parameters":{},"metadata":{})"))
      == texts{});
}

TEST_CASE("remote-agent line 49: watch and cancel take what names a task, and how it is asked",
          "[client][remote-agent]") {
  for (const auto* name : {"watch", "cancel"})
    CHECK(errors_of(R"({"action":")" + std::string(name)
                    + R"(","target_alias":"support","target_url":"https://support.example",)"
                      R"("task_handle":"rah_1","task_id":"t","timeout_ms":1,)"
                      R"("service_parameters":{}})")
          == texts{});
}

TEST_CASE("remote-agent line 50: status takes the same, and how much history",
          "[client][remote-agent]") {
  CHECK(errors_of(
            R"({"action":"status","target_alias":"support","target_url":"https://support.example",)"
            R"("task_handle":"rah_1","task_id":"t","timeout_ms":1,"service_parameters":{},)"
            R"("history_length":3})")
        == texts{});
}

TEST_CASE("remote-agent line 51: a field of another action is refused with field and action",
          "[client][remote-agent]") {
  const auto done = read(R"({"action":"watch","task_id":"t","parts":[]})");
  const auto one = done.error().details.at("errors").at(0);
  CHECK(found_at(one, "/keyword") == "not");
  CHECK(found_at(one, "/params/property") == "parts");
  CHECK(found_at(one, "/params/action") == "watch");
  CHECK(found_at(one, "/message").find("\"parts\"") != std::string::npos);
}

TEST_CASE("remote-agent line 52: what a continuation says must not stand beside it",
          "[client][remote-agent]") {
  CHECK(errors_of(a_send(
            R"(,"continuation":)" + a_continuation()
            + R"(,"task_handle":"rah_1","task_id":"t","context_id":"c","target_alias":"support",)"
              R"("target_url":"https://support.example")"))
        == texts{"/task_handle not", "/task_id not", "/context_id not", "/target_alias not",
                 "/target_url not"});
}

TEST_CASE("remote-agent line 53: a send needs something that says whom", "[client][remote-agent]") {
  const auto nobody = two_targets("", false);
  CHECK(errors_of(a_send(), nobody) == texts{" anyOf"});
  CHECK(errors_of(a_send(R"(,"task_id":"t")"), nobody) == texts{" anyOf"});
  CHECK(errors_of(a_send(R"(,"target_alias":"support")"), nobody) == texts{});
  CHECK(errors_of(a_send(R"(,"target_url":"https://support.example")"), nobody) == texts{});
  CHECK(errors_of(a_send(R"(,"task_handle":"rah_1")"), nobody) == texts{});
  CHECK(errors_of(a_send(R"(,"continuation":)" + a_continuation()), nobody) == texts{});
  CHECK(errors_of(a_send()) == texts{});
}

TEST_CASE("remote-agent line 54: a continuation that is sent to has a task or a conversation",
          "[client][remote-agent]") {
  CHECK(errors_of(a_send(R"(,"continuation":{)" + plain_target + "}"))
        == texts{"/continuation anyOf"});
}

TEST_CASE("remote-agent line 55: to watch, ask for and cancel takes a task",
          "[client][remote-agent]") {
  const auto nobody = two_targets("", false);
  for (const std::string name : {"watch", "status", "cancel"}) {
    const auto of = [&](const std::string& more) {
      return errors_of(R"({"action":")" + name + R"(")" + more + "}", nobody);
    };
    CHECK(of("") == texts{" anyOf"});
    CHECK(of(R"(,"task_id":"t")") == texts{" anyOf"});
    CHECK(of(R"(,"target_alias":"support")") == texts{" anyOf"});
    CHECK(of(R"(,"task_id":"t","target_alias":"support")") == texts{});
    CHECK(of(R"(,"task_handle":"rah_1")") == texts{});
    CHECK(of(R"(,"continuation":{)" + plain_target + R"(,"conversation":{"context_id":"c"}})")
          == texts{"/continuation required"});
    CHECK(errors_of(R"({"action":")" + name + R"(","task_id":"t"})") == texts{});
  }
}

TEST_CASE("remote-agent line 56: a send without parts is refused as such",
          "[client][remote-agent]") {
  const auto done = read(R"({"action":"send"})");
  const auto one = done.error().details.at("errors").at(0);
  CHECK(found_at(one, "/keyword") == "required");
  CHECK(found_at(one, "/params/missingProperty") == "parts");
}

TEST_CASE("remote-agent line 58: an alias that is none is refused with those that are",
          "[client][remote-agent]") {
  const auto done = read(a_send(R"(,"target_alias":"supprt")"));
  const auto one = done.error().details.at("errors").at(0);
  CHECK(found_at(one, "/instancePath") == "/target_alias");
  CHECK(found_at(one, "/keyword") == "enum");
  CHECK(found_at(one, "/params/allowedValues") == R"(["support","billing"])");
}

TEST_CASE("remote-agent line 73: headers of the connection, the body and the credentials are not a "
          "caller's",
          "[client][remote-agent]") {
  for (const auto* name : {"Host", "content-length", "Content-Type", "Connection",
                           "Transfer-Encoding", "AUTHORIZATION", "Cookie", "X A", "X:A"}) {
    CAPTURE(name);
    const auto done = read(a_send(R"(,"service_parameters":{")" + std::string(name) + R"(":"v"})"));
    REQUIRE_FALSE(done.has_value());
    CHECK(found_at(done.error().details.at("errors").at(0), "/instancePath")
          == "/service_parameters/" + std::string(name));
  }
  CHECK(errors_of(a_send(R"(,"service_parameters":{"X-A":"v\r\nHost: b"})"))
        == texts{"/service_parameters/X-A pattern"});
  CHECK(settings_error(R"({"defaults":{"serviceParameters":{"Host":"b"}}})").field
        == "defaults.serviceParameters.Host");
}

TEST_CASE("remote-agent line 100: a request that is refused says by whom and why",
          "[client][remote-agent]") {
  const auto why = read("{}").error();
  CHECK(why.code == "VALIDATION_ERROR");
  CHECK(why.message == "remote_agent input validation failed");
  CHECK(found_at(why.details, "/source") == "ajv");
  CHECK(found_at(why.details, "/tool") == "remote_agent");
  CHECK(why.details.at("errors").as_array().size() == 1);
}

TEST_CASE("remote-agent line 101: each error has keyword, place, message, rule and params",
          "[client][remote-agent]") {
  const auto done = read(a_send(R"(,"timeout_ms":0)"));
  const auto one = done.error().details.at("errors").at(0);
  CHECK(found_at(one, "/keyword") == "minimum");
  CHECK(found_at(one, "/instancePath") == "/timeout_ms");
  CHECK(found_at(one, "/message") == "must be >= 1");
  CHECK(found_at(one, "/schemaPath") == "#/properties/timeout_ms/minimum");
  CHECK(found_at(one, "/params/limit") == "1");
}

TEST_CASE("remote-agent line 102: all errors are said at once, of parts those of their kind",
          "[client][remote-agent]") {
  CHECK(
      errors_of(
          R"({"action":"send","x":1,"timeout_ms":"a","parts":[{"kind":"text","text":1},{"kind":"data","text":"b"}]})")
      == texts{" additionalProperties", "/timeout_ms type", "/parts/0/text type",
               "/parts/1 additionalProperties", "/parts/1 required"});
}

TEST_CASE("remote-agent line 103: the message about a missing target names every way",
          "[client][remote-agent]") {
  const auto done = read(a_send(), two_targets("", false));
  CHECK(found_at(done.error().details.at("errors").at(0), "/message")
        == "send requires task_handle, target_alias, target_url, or a configured default target");
}
