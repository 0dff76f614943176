#include "apps/serve/reload.hpp"
#include "apps/serve/welcome.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;

TEST_CASE("a reload takes what it can, and says what needs a restart", "[apps][serve]") {
  serve_settings now;
  auto fresh = now;
  CHECK(take_changes(now, fresh) == "configuration read again: nothing has changed");
  fresh.log.level = log_level::warn;
  fresh.drain_bound = std::chrono::milliseconds{2500};
  fresh.server.port = 9;
  fresh.agent = "sleep";
  CHECK(
      take_changes(now, fresh)
      == "configuration read again: drain-seconds = 2.5, log-level = \"warn\"; a restart is needed "
         "for: listen, agent");
  CHECK(now.log.level == log_level::warn);
  CHECK(now.drain_bound == fresh.drain_bound);
  CHECK(now.server.port == 8080);
  CHECK(take_changes(now, fresh)
        == "configuration read again; a restart is needed for: listen, agent");
}

TEST_CASE("a reload names the tables that are no settings and have changed", "[apps][serve]") {
  const auto tables = [](const std::string& text) {
    auto out = read_other_tables(text, "c.toml");
    REQUIRE(out.has_value());
    return *out;
  };
  const auto before = tables("[models.fast]\nurl = \"https://a/v1\"\nmodel = \"x\"\n"
                             "[[targets]]\nalias = \"harbour\"\nurl = \"https://h\"\n"
                             "[[targets]]\nalias = \"gone\"\nurl = \"https://g\"\n"
                             "[remote-agent]\nenabled = true\n");
  serve_settings now;
  const auto same = tables("[remote-agent]\nenabled = true\n"
                           "[[targets]]\nurl = \"https://h\"\nalias = \"harbour\"\n"
                           "[[targets]]\nalias = \"gone\"\nurl = \"https://g\"\n"
                           "[models.fast]\nmodel = \"x\"\nurl = \"https://a/v1\"\n");
  CHECK(take_changes(now, now, before, same) == "configuration read again: nothing has changed");
  const auto after = tables("[models.fast]\nurl = \"https://b/v1\"\nmodel = \"x\"\n"
                            "[models.new]\nurl = \"https://n/v1\"\nmodel = \"n\"\n"
                            "[[targets]]\nalias = \"harbour\"\nurl = \"https://h\"\n"
                            "[remote-agent]\nenabled = false\n");
  CHECK(take_changes(now, now, before, after)
        == "configuration read again; a restart is needed for: models.fast, models.new, "
           "remote-agent, targets.gone");
}

TEST_CASE("what differs from the defaults is told without secrets", "[apps][serve]") {
  serve_settings settings;
  CHECK(changed_settings(settings).empty());
  settings.server.port = 9;
  settings.server.card.extended.tokens = {"secret-words"};
  const auto told = changed_settings(settings);
  CHECK_THAT(told, ContainsSubstring("listen = \"127.0.0.1:9\"")
                       && ContainsSubstring("card.extended.tokens is set"));
  CHECK_THAT(told, !ContainsSubstring("secret-words"));
}

TEST_CASE("an address that others reach is told from one that they do not", "[apps][serve]") {
  for (const auto* here : {"127.0.0.1", "127.9.9.9", "::1", "localhost"})
    CHECK(is_loopback(here));
  for (const auto* there : {"0.0.0.0", "::", "192.168.0.7", "example.org"})
    CHECK_FALSE(is_loopback(there));
  CHECK_THAT(exposure_warning("0.0.0.0", true), ContainsSubstring("run any program"));
  CHECK_THAT(exposure_warning("0.0.0.0", false), !ContainsSubstring("run any program"));
}
