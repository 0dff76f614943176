// What a message must keep to, as decisions (docs/a2a.md, "Tasks and messages").
#include "actors/commands/message_rules.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"
#include <troupe/actors/limits.hpp>

#include <map>

using namespace troupe;

namespace {

artifact_ptr an_artifact(std::string id) {
  auto out = std::make_shared<artifact>();
  out->artifact_id = std::move(id);
  return out;
}

/// Tasks that can be seen: "old" with artifacts a and b, "other" with b, "bare" without.
task_ptr find(const task_id& id) {
  static const std::map<std::string, std::vector<std::string>> all{
      {"old", {"a", "b"}}, {"other", {"b"}}, {"bare", {}}};
  const auto at = all.find(id.str());
  if (at == all.end())
    return nullptr;
  auto out = std::make_shared<task>();
  out->id = id;
  for (const auto& made : at->second)
    out->artifacts.push_back(an_artifact(made));
  return out;
}

message referring(std::vector<std::string> tasks, const boost::json::value& pin = nullptr) {
  message out;
  out.reference_task_ids = std::move(tasks);
  out.parts.push_back(text_part("x"));
  if (!pin.is_null())
    out.parts.back().metadata["referenceArtifactId"] = pin;
  return out;
}

class picky final : public agent {
public:
  start_result start(const order_ptr&, const agent_port_ptr&) override {
    return report_completed{};
  }
  std::vector<std::string> output_modes() const override { return {"image/png", "text/plain"}; }
  std::vector<std::string> input_modes() const override { return {"text/*", "application/json"}; }
};

} // namespace

TEST_CASE("a message may refer to tasks that can be seen, and what else it names is ignored",
          "[actors][messages]") {
  CHECK(check_task_references(referring({}), find));
  CHECK(check_task_references(referring({"old", "bare", "old"}), find));
  CHECK(check_task_references(referring({"old", "foreign"}), find));
  CHECK(check_task_references(referring({"foreign"}, "a"), find).error().field
        == check_task_references(referring({"nobody"}, "a"), find).error().field);
}

TEST_CASE("references of a message are kept without its text", "[actors][messages]") {
  CHECK(references_in(referring({})) == nullptr);
  auto said = referring({"old"}, "b");
  said.parts[0].metadata["note"] = "beside";
  said.parts[0].content = raw_content{"content"};
  said.parts[0].media_type = "image/png";
  said.parts.push_back(text_part("please"));
  const auto kept = references_in(said);
  REQUIRE(kept);
  CHECK(kept->reference_task_ids == std::vector<std::string>{"old"});
  REQUIRE(kept->parts.size() == 1);
  CHECK(kept->parts[0].metadata == boost::json::object{{reference_artifact_key, "b"}});
  CHECK(bytes_of(*kept) < bytes_of(said));
  CHECK(kept->parts[0].media_type.empty());
  CHECK(kept->parts[0].content == part{}.content);
}

TEST_CASE("a message refers to no more tasks than allowed", "[actors][messages]") {
  CHECK(check_task_references(referring(std::vector<std::string>(referenced_tasks_max, "old")),
                              find));
  const auto many = check_task_references(
      referring(std::vector<std::string>(referenced_tasks_max + 1, "old")), find);
  REQUIRE(many.has_error());
  CHECK_THAT(many.error().message, ContainsSubstring(std::to_string(referenced_tasks_max)));
}

TEST_CASE("a pinned artifact is one of the referenced tasks or of the task itself",
          "[actors][messages]") {
  CHECK(check_task_references(referring({"bare", "other"}, "b"), find));
  auto own = referring({}, "a");
  own.task_id = "old";
  CHECK(check_task_references(own, find));
  for (const auto& wrong : {referring({"other"}, "a"), referring({}, "a"), referring({"old"}, 7),
                            referring({"old"}, "")}) {
    const auto refused = check_task_references(wrong, find);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == errc::invalid_params);
    CHECK(refused.error().field == "message.parts[0].metadata.referenceArtifactId");
  }
}

TEST_CASE("an agent is given each referenced task once, with what is pinned of it",
          "[actors][messages]") {
  const auto first = std::make_shared<const message>(referring({"old", "gone"}, "b"));
  const auto second = std::make_shared<const message>(referring({"other", "old"}));
  std::map<std::string, std::vector<artifact_ptr>> all_made;
  const auto made = [&](const task_id& id) -> const std::vector<artifact_ptr>* {
    const auto record = find(id);
    return record ? &(all_made[id.str()] = record->artifacts) : nullptr;
  };
  const auto all = gather_references({first, second}, made);
  REQUIRE(all.size() == 2);
  CHECK(all[0].id.str() == "old");
  CHECK(all[0].artifacts.size() == 2);
  CHECK(all[0].pinned == std::vector<std::string>{"b"});
  CHECK(all[1].id.str() == "other");
  CHECK(all[1].pinned == std::vector<std::string>{"b"}); // ambiguous: the agent decides
  CHECK(gather_references({std::make_shared<const message>(referring({}))}, made).empty());
}

TEST_CASE("media types that an agent cannot make or does not take are refused",
          "[actors][messages]") {
  const picky who;
  const auto text = referring({});
  CHECK(check_media_types(text, {}, who));
  CHECK(check_media_types(text, {"image/*"}, who));
  CHECK(check_media_types(text, {"audio/mpeg", "*/*"}, who));
  const auto output = check_media_types(text, {"application/json"}, who);
  REQUIRE(output.has_error());
  CHECK(output.error().code == errc::content_type_not_supported);
  CHECK(output.error().field == "configuration.acceptedOutputModes");

  auto file = text;
  file.parts.push_back(part{raw_content{"x"}, {}, {}, {}}); // does not say what it is
  CHECK(check_media_types(file, {}, who));
  file.parts.push_back(part{raw_content{"x"}, "application/zip", {}, {}});
  const auto input = check_media_types(file, {}, who);
  REQUIRE(input.has_error());
  CHECK(input.error().code == errc::content_type_not_supported);
  CHECK(input.error().field == "message.parts[2].mediaType");
}
