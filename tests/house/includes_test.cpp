#include "tests/house/include_rules.hpp"
#include "tests/house/source_tree.hpp"
#include "tests/support/catch.hpp"

using namespace troupe::house;

TEST_CASE("every include follows an arrow between rooms or passes its library's door", "[house][includes]") {
  std::size_t seen = 0;
  for (const auto& file : read_tree(TROUPE_SOURCE_DIR)) {
    if (!file.ends_with(".hpp") && !file.ends_with(".cpp")) {
      continue;
    }
    for (const auto line : lines_of(file.text)) {
      if (const auto target = include_of(line)) {
        ++seen;
        if (const auto why = refuse_include(file.path, *target)) {
          FAIL_CHECK(file.path << " includes " << *target << ", which " << *why);
        }
      }
    }
  }
  REQUIRE(seen > 300);
}

TEST_CASE("the include rules refuse what goes against an arrow", "[house][includes]") {
  struct row {
    std::string_view path;
    std::string_view target;
    bool allowed;
  };
  const auto [path, target, allowed] = GENERATE(values<row>({
      {"store/memory_store.cpp", "\"protocol/task.hpp\"", true},
      {"protocol/task.hpp", "\"store/store.hpp\"", false},
      {"net/routes.cpp", "\"actors/gateway.hpp\"", true},
      {"net/routes.cpp", "\"actors/task_actor.hpp\"", false},
      {"net/routes.cpp", "\"agents/echo.hpp\"", false},
      {"agents/echo.cpp", "\"actors/agent.hpp\"", true},
      {"agents/echo.cpp", "\"store/store.hpp\"", false},
      {"actors/task_actor.cpp", "\"net/session.hpp\"", false},
      {"actors/task_actor.cpp", "\"task_actor.hpp\"", false},
      {"apps/troupe.cpp", "\"net/listener.hpp\"", true},
      {"apps/troupe.cpp", "\"tests/support/catch.hpp\"", false},
      {"actors/caf.hpp", "<caf/all.hpp>", true},
      {"net/session.cpp", "<caf/all.hpp>", false},
      {"net/session.cpp", "<boost/beast/http.hpp>", true},
      {"apps/serve.cpp", "<boost/beast/http.hpp>", false},
      {"store/rocksdb_store.cpp", "<rocksdb/db.h>", true},
      {"actors/gateway.cpp", "<rocksdb/db.h>", false},
      {"protocol/codec.cpp", "<boost/json/value.hpp>", true},
      {"protocol/codec.cpp", "<boost/asio/buffer.hpp>", false},
      {"protocol/codec.cpp", "<spdlog/spdlog.h>", false},
      {"protocol/codec.cpp", "<unistd.h>", false},
      {"protocol/codec.cpp", "<vector>", true},
      {"agents/process.cpp", "<unistd.h>", true},
      {"agents/process.cpp", "<curl/curl.h>", false},
      {"tests/store/store_test.cpp", "<rocksdb/db.h>", true},
      {"tests/store/store_test.cpp", "<caf/all.hpp>", false},
      {"tests/store/store_test.cpp", "\"actors/gateway.hpp\"", true},
      {"store/store.hpp", "<catch2/catch.hpp>", false},
      {"somewhere/else.cpp", "<vector>", false},
  }));
  CAPTURE(path, target);
  CHECK(refuse_include(path, target).has_value() == !allowed);
}

TEST_CASE("include lines are recognised however they are spaced", "[house][includes]") {
  CHECK(include_of("#include <vector>") == "<vector>");
  CHECK(include_of("  #  include \"store/store.hpp\" // why") == "\"store/store.hpp\"");
  CHECK_FALSE(include_of("// #include <vector>"));
  CHECK_FALSE(include_of("#define include <vector>"));
  CHECK_FALSE(include_of("#include MACRO"));
}
