// The settings of the tool `remote_agent` as a configuration file has them: section A of the
// contract, as far as files and credentials are concerned.
#include "apps/remote/tool_setup.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <fstream>
#include <map>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

struct file_bed {
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(where.path() / name) << text;
  }
  [[nodiscard]] result<remote_agent::settings> read(const std::string& toml) const {
    const std::map<std::string, std::string> variables{{"TOKEN", "secret"}};
    return tool_settings(toml, (where.path() / "config.toml").string(),
                         [variables](const char* name) -> const char* {
                           const auto found = variables.find(name);
                           return found == variables.end() ? nullptr : found->second.c_str();
                         });
  }
  [[nodiscard]] std::string refused(const std::string& toml) const {
    const auto done = read(toml);
    return done ? std::string{} : done.error().message;
  }

  const temporary_directory where;
};

bool says(const std::string& text, const std::string& part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("remote-agent line 1: the tool is enabled by its table", "[apps][remote-agent]") {
  const file_bed bed;
  CHECK_FALSE(bed.read("")->enabled);
  CHECK_FALSE(bed.read("[[targets]]\nalias = \"a\"\nurl = \"https://a.example\"\n")->enabled);
  CHECK(bed.read("[remote-agent]\n")->enabled);
  CHECK_FALSE(bed.read("[remote-agent]\nenabled = false\n")->enabled);
}

TEST_CASE("remote-agent line 18: the settings stand in the file, or in a JSON document beside it",
          "[apps][remote-agent]") {
  const file_bed bed;
  const auto own = bed.read(R"(listen = "127.0.0.1:1"
[remote-agent]
defaults.timeout-ms = 5
task-handles.max-entries = 7
policy.trust-continuations = true
[remote-agent.defaults.service-parameters]
X-Team = "blue"
[[targets]]
alias = "a"
url = "https://a.example"
description = "d"
tags = ["t"]
examples = ["e"]
default = true
preferred-transports = ["HTTP+JSON"]
)");
  REQUIRE(own.has_value());
  CHECK(own->timeout == 5ms);
  CHECK(own->handles_max == 7);
  CHECK(own->trusts_continuations);
  CHECK(own->service_parameters.at(0).second == "blue");
  const auto& target = own->targets.at(0);
  CHECK(target.base_url == "https://a.example/");
  CHECK(target.description == "d");
  CHECK(target.tags == std::vector<std::string>{"t"});
  CHECK(target.examples == std::vector<std::string>{"e"});
  CHECK(target.is_default);
  CHECK(target.how.preferred == std::vector{wire::a2a_binding::rest});
  CHECK(says(bed.refused("[remote-agent]\npolicy.trust-continuation = true\n"),
             "did you mean \"trust-continuations\"?"));
  CHECK(says(bed.refused("[remote-agent]\npolicy.trustContinuations = true\n"),
             "\"policy.trustContinuations\""));
  CHECK(says(bed.refused("remote-agent = 1\n"), "must be a table"));

  bed.write("plugin.json", R"({"targets":[{"alias":"b","baseUrl":"https://b.example"}]})");
  const auto named = bed.read("[remote-agent]\nconfig = \"plugin.json\"\n[[targets]]\nalias = "
                              "\"a\"\nurl = \"https://a.example\"\n");
  REQUIRE(named.has_value());
  CHECK(named->enabled);
  REQUIRE(named->targets.size() == 2);
  CHECK(named->targets[0].alias == "b");
  CHECK(says(bed.refused("[remote-agent]\nconfig = \"plugin.json\"\n[[targets]]\nalias = \"b\"\n"
                         "url = \"https://a.example\"\n"),
             "another target has already"));
  CHECK(says(bed.refused("[remote-agent]\nconfig = \"plugin.json\"\nenabled = true\n"),
             "must be the only setting"));
  CHECK(says(bed.refused("[remote-agent]\nconfig = \"none.json\"\n"), "none.json"));
  bed.write("plugin.json", R"({"targets":[{"alias":"b","url":"https://b.example"}]})");
  CHECK(says(bed.refused("[remote-agent]\nconfig = \"plugin.json\"\n"), "\"targets[0].url\""));
}

TEST_CASE("remote-agent line 19: credentials are read from variables and files",
          "[apps][remote-agent]") {
  const file_bed bed;
  const auto own = bed.read("[remote-agent]\n[[targets]]\nalias = \"a\"\nurl = "
                            "\"https://a.example\"\nbearer-env = \"TOKEN\"\n[[targets]]\nalias = "
                            "\"b\"\nurl = \"https://b.example\"\nbearer-env = \"NONE\"\n");
  REQUIRE(own.has_value());
  CHECK(own->targets.at(0).how.authentication.bearer == "secret");
  CHECK(own->targets.at(0).unusable.code == errc::none);
  CHECK(own->targets.at(1).how.authentication.bearer.empty());
  CHECK(says(own->targets.at(1).unusable.message, "NONE"));

  bed.write("own.pem", "certificate");
  bed.write("own.key", "key");
  const auto at = [&](const std::string& name) { return (bed.where.path() / name).string(); };
  bed.write("plugin.json",
            R"({"targets":[{"alias":"c","baseUrl":"https://c.example","auth":{"bearerEnv":"TOKEN",)"
            R"("certificateFile":")"
                + at("own.pem") + R"(","keyFile":")" + at("own.key") + R"("}}]})");
  const auto named = bed.read("[remote-agent]\nconfig = \"plugin.json\"\n");
  REQUIRE(named.has_value());
  const auto& how = named->targets.at(0).how;
  CHECK(how.authentication.bearer == "secret");
  CHECK(how.certificate_pem == "certificate");
  CHECK(how.key_pem == "key");
  CHECK(how.url == "https://c.example/");
  CHECK(says(bed.refused("[[targets]]\nalias = \"a\"\nurl = \"https://a\"\ncertificate-file = "
                         "\"x\"\n"),
             "belong together"));
}

TEST_CASE("remote-agent line 121: handles are kept for the next process, with those of others",
          "[apps][remote-agent]") {
  const file_bed bed;
  const auto path = (bed.where.path() / "state" / "remote-agent.json").string();
  const remote_agent::handle_target there{"a", "https://a.example/", "/c", {"JSONRPC"}};
  const timestamp now{1h};
  remote_agent::handles one(24h, 10);
  remote_agent::handles other(24h, 10);
  one.keep(there, "t1", "", now, "rah_1");
  other.keep(there, "t2", "", now, "rah_2");
  REQUIRE(keep_handles(path, one).has_value());
  REQUIRE(keep_handles(path, other).has_value());
  remote_agent::handles next(24h, 10);
  read_handles(path, next);
  CHECK(next.find("rah_1") != nullptr);
  CHECK(next.find("rah_2") != nullptr);
  std::ofstream(path) << "no JSON";
  remote_agent::handles none(24h, 10);
  read_handles(path, none);
  CHECK(none.size() == 0);
}
