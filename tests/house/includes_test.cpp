#include "tests/house/include_rules.hpp"
#include "tests/house/source_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

using namespace troupe::house;

TEST_CASE("every include follows an arrow between rooms, or its room may use the library",
          "[house][includes]") {
  std::size_t seen = 0;
  for (const auto& file : read_tree(troupe::testing::source_dir())) {
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
      {"store/memory/memory_store.cpp", "<troupe/protocol/task.hpp>", true},
      {"include/troupe/protocol/task.hpp", "<troupe/store/store.hpp>", false},
      {"net/routes.cpp", "<troupe/actors/gateway.hpp>", true},
      {"net/routes.cpp", "\"actors/task/task_actor.hpp\"", false},
      {"net/routes.cpp", "\"agents/builtin/echo.hpp\"", false},
      {"net/a2a/operation.cpp", "<troupe/store/store.hpp>", false},
      {"net/push/push_items.cpp", "<troupe/store/store.hpp>", true},
      {"actors/service/service.cpp", "\"protocol/json/json_writer.hpp\"", false},
      {"actors/service/service.cpp", "\"protocol/json/quoted.hpp\"", true},
      {"actors/service/service.cpp", "<boost/json/value.hpp>", false},
      {"protocol/errc.cpp", "\"protocol/json/quoted.hpp\"", true},
      {"protocol/errc.cpp", "\"protocol/json/json_writer.hpp\"", false},
      {"actors/service/service.cpp", "\"protocol/fold/rollup.hpp\"", true},
      {"actors/gateway/gateway_tasks.cpp", "\"protocol/json/json_writer.hpp\"", true},
      {"agents/builtin/echo.cpp", "<troupe/actors/agent.hpp>", true},
      {"agents/builtin/echo.cpp", "<troupe/store/store.hpp>", false},
      {"actors/task/task_actor.cpp", "\"net/http/session.hpp\"", false},
      {"actors/task/task_actor.cpp", "\"task_actor.hpp\"", false},
      {"apps/troupe.cpp", "\"net/http/listener.hpp\"", true},
      {"apps/troupe.cpp", "\"tests/support/catch.hpp\"", false},
      {"actors/caf.hpp", "<caf/all.hpp>", true},
      {"net/http/session.cpp", "<caf/all.hpp>", false},
      {"net/http/session.cpp", "<boost/beast/http.hpp>", true},
      {"apps/serve.cpp", "<boost/beast/http.hpp>", false},
      {"store/rocksdb/rocksdb_store.cpp", "<rocksdb/db.h>", true},
      {"actors/gateway/gateway.cpp", "<rocksdb/db.h>", false},
      {"protocol/codec.cpp", "<boost/json/value.hpp>", true},
      {"protocol/codec.cpp", "<boost/asio/buffer.hpp>", false},
      {"protocol/codec.cpp", "<spdlog/spdlog.h>", false},
      {"protocol/codec.cpp", "<unistd.h>", false},
      {"protocol/codec.cpp", "<vector>", true},
      {"agents/process.cpp", "<unistd.h>", true},
      {"agents/process.cpp", "<curl/curl.h>", false},
      {"tests/store/store_test.cpp", "<rocksdb/db.h>", true},
      {"tests/store/store_test.cpp", "<caf/all.hpp>", false},
      {"tests/store/store_test.cpp", "<troupe/actors/gateway.hpp>", true},
      {"include/troupe/store/store.hpp", "<catch2/catch.hpp>", false},
      {"include/troupe/store/store.hpp", "<troupe/protocol/task.hpp>", true},
      {"include/troupe/store/store.hpp", "\"protocol/text/text.hpp\"", false},
      {"include/troupe/store/store.hpp", "\"store/ledger.hpp\"", false},
      {"protocol/opt/codec_opt.cpp", "\"protocol/json/json_writer.hpp\"", true},
      {"protocol/json/json_writer.cpp", "\"protocol/opt/codec_opt.hpp\"", false},
      {"protocol/json/json_writer.cpp", "\"protocol/text/text.hpp\"", true},
      {"net/server.cpp", "\"net/push/push_service.hpp\"", true},
      {"net/push/push_sender.cpp", "\"net/http/session.hpp\"", false},
      {"client/http_client.cpp", "\"net/http/session.hpp\"", false},
      {"somewhere/else.cpp", "<vector>", false},
  }));
  CAPTURE(path, target);
  CHECK(refuse_include(path, target).has_value() == !allowed);
}

TEST_CASE("include lines are recognised however they are spaced", "[house][includes]") {
  CHECK(include_of("#include <vector>") == "<vector>");
  CHECK(include_of("  #  include \"store/ledger.hpp\" // why") == "\"store/ledger.hpp\"");
  CHECK_FALSE(include_of("// #include <vector>"));
  CHECK_FALSE(include_of("#define include <vector>"));
  CHECK_FALSE(include_of("#include MACRO"));
}
