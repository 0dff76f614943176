// The four methods about push configurations: rules of docs/push.md, limits, and what others may
// see.
#include "net/push/push_sender.hpp"
#include "net/push/push_service.hpp"
#include "tests/net/push_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/full_pushes.hpp"
#include "tests/support/passing_store.hpp"
#include <troupe/store/limits.hpp>

#include <set>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr auto public_url = "https://hooks.example.com/x";

/// One configuration, "mine" of the task "t", whose owner is "me".
class one_push final : public full_pushes {
public:
  [[nodiscard]] std::optional<push_row> find(const task_id&, const std::string&) const override {
    push_row row;
    row.config = hook("t", public_url, "mine");
    row.config.owner.id = "me";
    row.serial = 1;
    return row;
  }
  void erase(const task_id&, const std::string&, std::uint64_t, erased_fn then,
             const std::string& client) override {
    erased_for.push_back(client);
    then({});
  }

  std::vector<std::string> erased_for;
};

class store_of_one_push final : public passing_store {
public:
  [[nodiscard]] push_configs& pushes() override { return kept; }
  one_push kept;
};

} // namespace

TEST_CASE("A delete counts for the client that asks for it", "[net][push]") {
  store_of_one_push records;
  net::push_service service(records, {}, std::make_shared<feed_budget>(), net::push_seams{});
  const principal who{.id = "me", .peer = "10.0.0.1"};
  bool is_done = false;
  service.erase({.who = who, .task = task_id{"t"}, .id = "mine"},
                [&](const result<void>& erased) { is_done = erased.has_value(); });
  CHECK(is_done);
  CHECK(records.kept.erased_for == std::vector{client_of(who)});
}

TEST_CASE("A configuration is made, read, listed and deleted", "[net][push]") {
  push_bed bed(GENERATE(push_bed::kind::memory, push_bed::kind::rocksdb));
  bed.start();
  bed.put_task("t");
  auto full = hook("t", public_url, "mine");
  full.token = "tok";
  full.authentication = push_authentication{"Bearer", "secret"};
  const auto made = bed.create(full);
  REQUIRE(made.has_value());
  CHECK(made->id == "mine");
  CHECK(made->authentication == full.authentication); // To its creator.
  const auto unnamed = bed.create(hook("t", public_url));
  REQUIRE(unnamed.has_value());
  CHECK_FALSE(unnamed->id.empty());

  CHECK(bed.get("t", "mine")->token == "tok");
  CHECK(bed.get("t", "").has_value());
  CHECK(bed.get("t", "other").error().code == errc::task_not_found);
  CHECK(bed.get("nothing", "mine").error().code == errc::task_not_found);

  full.url = "https://elsewhere.example.com/";
  REQUIRE(bed.create(full).has_value());
  CHECK(bed.get("t", "mine")->url == full.url); // Replaced.

  CHECK(bed.erase("t", "mine") == errc::none);
  CHECK(bed.erase("t", "mine") == errc::none);
  CHECK(bed.erase("nothing", "mine") == errc::task_not_found);
  CHECK(bed.get("t", "mine").error().code == errc::task_not_found);
  CHECK(bed.create(hook("nothing", public_url)).error().code == errc::task_not_found);
}

TEST_CASE("A configuration of another client gives the same error as a missing one",
          "[net][push]") {
  push_bed bed;
  bed.start();
  bed.put_task("t");
  REQUIRE(bed.create(hook("t", public_url, "mine")).has_value());
  CHECK(bed.get("t", "mine", "you").error().code == errc::task_not_found);
  CHECK(bed.list({.who = {.id = "you"}, .task = task_id{"t"}, .page_size = 10, .page_token = {}})
            .error()
            .code
        == errc::task_not_found);
  CHECK(bed.erase("t", "mine", "you") == errc::task_not_found);
  CHECK(bed.get("t", "mine").has_value());
  CHECK(bed.create(hook("t", public_url, "mine"), "you").error().code == errc::task_not_found);
}

TEST_CASE("The list of configurations comes in pages, each once", "[net][push]") {
  push_bed bed;
  bed.start();
  bed.put_task("t");
  std::set<std::string> made;
  for (int i = 0; i < 7; ++i)
    made.insert(bed.create(hook("t", public_url))->id);
  list_push_configs query{
      .who = {.id = "me"}, .task = task_id{"t"}, .page_size = 3, .page_token = {}};
  std::set<std::string> seen;
  std::vector<std::size_t> sizes;
  do {
    const auto page = bed.list(query);
    REQUIRE(page.has_value());
    sizes.push_back(page->configs.size());
    for (const auto& each : page->configs)
      CHECK(seen.insert(each.id).second);
    query.page_token = page->next_page_token;
  } while (!query.page_token.empty());
  CHECK(seen == made);
  CHECK(sizes == std::vector<std::size_t>{3, 3, 1});
  query.page_token = GENERATE("x", "!!!!", "AAAA");
  CHECK(bed.list(query).error().code == errc::invalid_params);
  query.page_token.clear();
  query.page_size = GENERATE(0U, 101U);
  CHECK(bed.list(query).error().code == errc::invalid_params);
}

TEST_CASE("A configuration whose URL cannot be posted to is refused", "[net][push]") {
  push_bed bed;
  bed.options.address = {};
  bed.start();
  bed.put_task("t");
  const auto url =
      GENERATE("http://hooks.example.com/", "https://127.0.0.1/", "https://[::1]/",
               "https://10.1.2.3/x", "https://169.254.169.254/", "https://u:p@hooks.example.com/",
               "https://localhost/", "not a url", "", "https://0x7f.1/");
  CAPTURE(url);
  CHECK(bed.create(hook("t", url)).error().code == errc::invalid_params);
  CHECK(bed.attach(hook("t", url), true).error().code == errc::invalid_params);
  CHECK(bed.service->check(hook("t", url)).error().code == errc::invalid_params);
  CHECK(bed.records->pushes().all().empty());
}

TEST_CASE("A value that would break a header is refused", "[net][push]") {
  push_bed bed;
  bed.start();
  bed.put_task("t");
  auto config = hook("t", public_url);
  SECTION("token") {
    config.token = "a\r\nX-Injected: 1";
  }
  SECTION("long token") {
    config.token = std::string(4097, 'a');
  }
  SECTION("credentials") {
    config.authentication = push_authentication{"Bearer", "a\nb"};
  }
  SECTION("scheme") {
    config.authentication = push_authentication{"Bea rer", "x"};
  }
  SECTION("no scheme") {
    config.authentication = push_authentication{"", "x"};
  }
  SECTION("id") {
    config.id = "a/b";
  }
  CHECK(bed.create(config).error().code == errc::invalid_params);
}

TEST_CASE("The seventeenth configuration of a task is refused", "[net][push]") {
  push_bed bed;
  bed.start();
  bed.put_task("t");
  for (std::size_t i = 0; i < push_configs_per_task_max; ++i)
    REQUIRE(bed.create(hook("t", public_url)).has_value());
  CHECK(bed.create(hook("t", public_url)).error().code == errc::limit_exceeded);
}

TEST_CASE("A configuration on a task that has ended is kept and sends nothing", "[net][push]") {
  push_receiver receiver;
  push_bed bed(GENERATE(push_bed::kind::memory, push_bed::kind::rocksdb));
  bed.start();
  bed.put_task("t");
  bed.move("t", task_state::completed);
  bed.flush();
  REQUIRE(bed.create(hook("t", receiver.url(), "mine")).has_value());
  CHECK(bed.get("t", "mine").has_value());
  bed.put_task("t2");
  REQUIRE(bed.create(hook("t2", receiver.url("/second"))).has_value());
  bed.move("t2", task_state::completed);
  const auto got = receiver.wait_for(1);
  CHECK(got[0].target == "/second");
  CHECK(bed.get("t", "mine").has_value());
  CHECK(bed.erase("t", "mine") == errc::none);
}

TEST_CASE("With notifications off every call is refused with the reason", "[net][push]") {
  push_bed bed;
  bed.options.enabled = false;
  bed.start();
  bed.put_task("t");
  CHECK_FALSE(bed.service->is_enabled());
  CHECK(bed.create(hook("t", public_url)).error().code == errc::push_not_supported);
  CHECK(bed.get("t", "x").error().code == errc::push_not_supported);
  CHECK(bed.erase("t", "x") == errc::push_not_supported);
  CHECK(bed.service->list({}).error().code == errc::push_not_supported);
  CHECK(bed.service->check(hook("t", public_url)).error().code == errc::push_not_supported);
  CHECK(bed.attach(hook("t", public_url), true).error().code == errc::push_not_supported);
}
