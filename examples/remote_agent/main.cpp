// Speaks to an A2A agent by the tool `remote_agent`: sends the text of the second argument to the
// agent at the URL of the first, and prints what it answers. Without arguments it says what a model
// would read of the tool's targets.
#include <troupe/client/remote_agent.hpp>

#include <boost/json/serialize.hpp>

#include <iostream>
#include <string>

namespace json = boost::json;

int main(int argc, char** argv) {
  const std::string url = argc > 1 ? argv[1] : "http://127.0.0.1:8080/";
  const json::object target{{"alias", "support"}, {"baseUrl", url}, {"default", true}};
  auto tool = troupe::remote_agent_tool::make({{"targets", json::array{target}}});
  if (!tool) {
    std::cerr << tool.error().message << '\n';
    return 1;
  }
  json::object request{{"action", "list_targets"}};
  if (argc > 2)
    request = {{"action", "send"},
               {"follow_updates", true},
               {"parts", json::array{json::object{{"kind", "text"}, {"text", argv[2]}}}}};
  const auto answer = tool->call(
      request, [](const json::object& update) { std::cerr << json::serialize(update) << '\n'; });
  std::cout << json::serialize(answer.contains("summary") ? answer.at("summary")
                                                          : answer.at("error"))
            << '\n';
  return answer.at("ok").as_bool() ? 0 : 1;
}
