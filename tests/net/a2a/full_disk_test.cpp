// What clients see while the disk is full, fails or does not answer: a whole server on one thread,
// whose store is on a disk that the test fills and frees.
#include "tests/net/net_bed.hpp"
#include "tests/net/one_thread_server.hpp"
#include "tests/store/journal/held_disk.hpp"
#include "tests/store/kinds.hpp"
#include "tests/store/rocksdb/image.hpp"
#include "tests/store/rocksdb/small_file_system.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

std::string rpc_call(const std::string& method, const std::string& params,
                     const std::string& headers = {}) {
  return post(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}",
              headers);
}

/// A message that is answered as soon as it was taken.
std::string quick_send(const std::string& id, const std::string& text,
                       const std::string& headers = {}) {
  return rpc_call("SendMessage",
                  R"({"message":{"messageId":")" + id + R"(","role":"ROLE_USER","parts":[{"text":")"
                      + text + R"("}]},"configuration":{"returnImmediately":true}})",
                  headers);
}

const std::string ready_request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// The server, its store and its disk. Nothing happens but in `turn`.
struct full_disk_bed {
  explicit full_disk_bed(durability how = durability::sync)
      : records([&] {
          left.clock = &clock;
          left.options.journal_files = &disk;
          return left.open(how);
        }()),
        one(
            *records, [this] { take_store_turns(); }, &clock),
        other(one.connect()) {}
  ~full_disk_bed() {
    other->hang_up();
    disk.is_held = false;
    make_room();
  }
  full_disk_bed(const full_disk_bed&) = delete;
  full_disk_bed& operator=(const full_disk_bed&) = delete;

  void take_store_turns() {
    while (records->turn()) {
    }
  }
  void turn() {
    for (int turns = 0; turns < 20; ++turns)
      one.turn();
  }
  /// In steps after which the gateway's housekeeper has its turn, as it has of its own thread.
  void pass(std::chrono::milliseconds span) {
    for (; span > 0ms; span -= 100ms) {
      clock.advance(100ms);
      turn();
    }
  }

  /// The answer to a request on `by`; empty if none comes without time passing.
  std::string ask(memory_pipe& by, const std::string& request) {
    const auto seen = by.output().size();
    by.put(request);
    turn();
    return by.output().substr(seen);
  }
  std::string ask(const std::string& request) { return ask(*other, request); }

  /// No write from now on.
  void refuse(int reason) {
    left.disk().refuse = [reason](journal::disk_call kind, const std::string&) {
      using enum journal::disk_call;
      const bool writes = kind == write || kind == allocate || kind == sync;
      return writes ? std::error_code{reason, std::generic_category()} : std::error_code{};
    };
  }
  void fill() { refuse(ENOSPC); }
  void make_room() { left.disk().refuse = nullptr; }
  [[nodiscard]] std::uint64_t used() {
    std::uint64_t out = 0;
    for (const auto& [name, content] : left.journal())
      out += content.size();
    return out;
  }

  /// A task that works and is durable.
  std::string working_task() {
    one.agents.default_agent = "scripted";
    const auto answer =
        ask(quick_send("begun", R"({\"steps\":[{\"sleep\":2},{\"complete\":\"done\"}]})"));
    const auto body = boost::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
    turn();
    return std::string{body.at("result").at("task").at("id").as_string()};
  }

  image left;
  held_disk disk{left.disk()};
  manual_clock clock{timestamp{std::chrono::sys_days{std::chrono::year{2030} / 1 / 1}}};
  std::unique_ptr<turned_store> records;
  one_thread_server one;
  std::shared_ptr<memory_pipe> other; ///< A second connection.
};

void check_refused_for_disk(const std::string& answer) {
  CHECK_THAT(answer, StartsWith("HTTP/1.1 503 ") && ContainsSubstring("Retry-After: ")
                         && ContainsSubstring("is full"));
}

} // namespace

TEST_CASE("while the disk is full sends are refused with the reason, reads go on, and all goes on "
          "within a second of room",
          "[net][disk]") {
  full_disk_bed bed;
  const auto task = bed.working_task();
  bed.fill();
  auto& first = *bed.one.pipe;
  CHECK(bed.ask(first, quick_send("m1", "waits")).empty());
  // Its change waits: from the housekeeper's next look on, others are refused at once.
  bed.pass(100ms);
  check_refused_for_disk(bed.ask(quick_send("m2", "late")));
  check_refused_for_disk(bed.ask(rpc_call("objectives/create", R"({"name":"o","plans":[]})")));
  check_refused_for_disk(bed.ask(ready_request));
  CHECK_THAT(bed.ask(rpc_call("GetTask", R"({"id":")" + task + "\"}")),
             StartsWith("HTTP/1.1 200 ") && ContainsSubstring("TASK_STATE_WORKING"));
  CHECK_THAT(bed.ask(rpc_call("ListTasks", "{}")),
             StartsWith("HTTP/1.1 200 ") && ContainsSubstring(task));
  CHECK(first.output().empty());
  bed.make_room();
  bed.pass(1s);
  CHECK_THAT(first.output(), StartsWith("HTTP/1.1 200 "));
  CHECK_THAT(bed.ask(ready_request), ContainsSubstring("\"ready\""));
  CHECK_THAT(bed.ask(quick_send("m2", "late")), StartsWith("HTTP/1.1 200 "));
}

TEST_CASE("a command that waits for a disk that takes nothing is told in time that it may still be "
          "done, and it is done when there is room",
          "[net][disk]") {
  const auto reason = GENERATE(ENOSPC, EIO, EROFS);
  CAPTURE(reason);
  full_disk_bed bed;
  const auto task = bed.working_task();
  bed.refuse(reason);
  const std::string message =
      R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}})";
  std::vector<std::shared_ptr<memory_pipe>> waiting;
  for (const auto& request :
       {rpc_call("SendMessage", message), rpc_call("SendStreamingMessage", message),
        rpc_call("CancelTask", R"({"id":")" + task + "\"}"),
        rpc_call("CreateTaskPushNotificationConfig",
                 R"({"taskId":")" + task + R"(","url":"http://127.0.0.1:1/"})"),
        rpc_call("objectives/create", R"({"id":"o","name":"o","plans":[]})")}) {
    waiting.push_back(bed.one.connect());
    CHECK(bed.ask(*waiting.back(), request).empty());
  }
  bed.pass(4s);
  for (const auto& each : waiting)
    CHECK(each->output().empty());
  bed.pass(2s);
  for (const auto& each : waiting) {
    CHECK_THAT(each->output(), StartsWith("HTTP/1.1 503 ") && ContainsSubstring("Retry-After: ")
                                   && ContainsSubstring("{\"mayBeDone\":true}")
                                   && ContainsSubstring("may still be done"));
    each->hang_up();
  }
  bed.make_room();
  bed.pass(1s);
  CHECK(find_task(*bed.records, task_id{task})->status.state == task_state::canceled);
  CHECK(bed.records->pushes().list(task_id{task}).size() == 1);
  CHECK(find_objective(*bed.records, objective_id{"o"}));
  CHECK(list(*bed.records, list_tasks{})->total_size == 3);
}

TEST_CASE("a blocking send whose task was taken gets the task as it is when the disk is full",
          "[net][disk]") {
  full_disk_bed bed;
  bed.one.agents.default_agent = "scripted";
  auto& first = *bed.one.pipe;
  const auto request = rpc_call(
      "SendMessage",
      R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"{\"steps\":[{\"sleep\":1},{\"complete\":\"done\"}]}"}]}})");
  CHECK(bed.ask(first, request).empty());
  bed.fill();
  bed.pass(3s);
  CHECK(first.output().empty());
  bed.pass(3s);
  CHECK_THAT(first.output(),
             StartsWith("HTTP/1.1 200 ") && ContainsSubstring("TASK_STATE_WORKING"));
  bed.make_room();
  bed.pass(1s);
  CHECK_THAT(bed.ask(rpc_call("ListTasks", "{}")), ContainsSubstring("TASK_STATE_COMPLETED"));
}

TEST_CASE("a disk that does not answer is treated as one that is full, until it answers",
          "[net][disk]") {
  full_disk_bed bed;
  auto& first = *bed.one.pipe;
  bed.disk.is_held = true;
  CHECK(bed.ask(first, quick_send("m1", "waits")).empty());
  CHECK_THAT(bed.ask(ready_request), ContainsSubstring("\"ready\""));
  bed.pass(6s);
  CHECK_THAT(first.output(), StartsWith("HTTP/1.1 503 ")
                                 && ContainsSubstring("{\"mayBeDone\":true}")
                                 && ContainsSubstring("has not answered"));
  CHECK_THAT(bed.ask(ready_request),
             StartsWith("HTTP/1.1 503 ") && ContainsSubstring("has not answered"));
  CHECK_THAT(bed.ask(quick_send("m2", "late")),
             StartsWith("HTTP/1.1 503 ") && ContainsSubstring("has not answered"));
  bed.disk.is_held = false;
  bed.pass(1s);
  CHECK_THAT(bed.ask(quick_send("m2", "late")), StartsWith("HTTP/1.1 200 "));
  CHECK(list(*bed.records, list_tasks{})->total_size == 2);
}

TEST_CASE("a server whose disk is full fifty times keeps every message once, and goes on",
          "[net][disk]") {
  full_disk_bed bed{GENERATE(durability::sync, durability::async)};
  auto& first = *bed.one.pipe;
  auto& disk = bed.left.disk();
  const std::string text(5000, 'x');
  std::size_t sent = 0;
  const auto request = [&](std::size_t number) {
    const auto id = std::to_string(number);
    return quick_send(id, text, "Idempotency-Key: k" + id + "\r\n");
  };
  for (int episode = 0; episode < 50; ++episode) {
    CAPTURE(episode);
    disk.capacity = bed.used(); // From now on no file grows.
    std::string answer;
    for (std::size_t i = 0; i == 0 || !answer.empty(); ++i) {
      REQUIRE(i < 2000);
      answer = bed.ask(first, request(++sent));
      REQUIRE((answer.empty() || answer.starts_with("HTTP/1.1 200 ")));
    }
    const auto seen = first.output().size();
    bed.pass(6s);
    REQUIRE_THAT(first.output().substr(seen),
                 StartsWith("HTTP/1.1 503 ") && ContainsSubstring("{\"mayBeDone\":true}"));
    check_refused_for_disk(bed.ask(quick_send("late", "late")));
    check_refused_for_disk(bed.ask(ready_request));
    REQUIRE_THAT(bed.ask(rpc_call("ListTasks", R"({"pageSize":1})")), StartsWith("HTTP/1.1 200 "));
    disk.capacity = bed.used() + 2 * image::segment_bytes;
    bed.pass(1s);
    REQUIRE_THAT(bed.ask(ready_request), ContainsSubstring("\"ready\""));
    REQUIRE_THAT(bed.ask(first, request(sent)), StartsWith("HTTP/1.1 200 "));
  }
  CHECK(list(*bed.records, list_tasks{})->total_size == sent);
}

TEST_CASE("a server on a small file system that is full again and again goes on, and loses nothing",
          "[net][disk]") {
  const auto how = GENERATE(durability::sync, durability::async);
  const small_file_system place;
  if (!place.is_mounted) {
    WARN("skipped: this user may not mount a tmpfs");
    return;
  }
  rocksdb_internals internals{.retry_interval = 1ms,
                              .write_buffer_bytes = 128 << 10,
                              .journal_behind_bytes = 256 << 10,
                              .journal_forget_bytes = 64 << 10};
  internals.journal.segment_bytes_min = internals.journal.segment_bytes_max = 256 << 10;
  const auto params = text_message(std::string(5000, 'x'));
  std::vector<std::string> acknowledged;
  {
    auto opened =
        open_rocksdb_store({.directory = place.path + "/data", .durability = how}, internals);
    REQUIRE(opened.has_value());
    server_options options;
    options.disk_wait_max = 150ms;
    const net_bed bed{options, "echo", std::move(*opened)};
    auto client = bed.connect();
    const auto send = [&] {
      auto answer = client.post(rpc("SendMessage", params));
      if (answer.status == 200)
        acknowledged.push_back(at(boost::json::parse(answer.body), "/result/task/id"));
      return answer;
    };
    for (int episode = 0; episode < 10; ++episode) {
      CAPTURE(episode);
      place.fill();
      auto answer = send();
      for (int i = 0; answer.status == 200; ++i) {
        REQUIRE(i < 2000);
        answer = send();
      }
      CHECK(answer.status == 503);
      CHECK(answer.header("retry-after") == "1");
      CHECK_THAT(answer.body, ContainsSubstring("the store cannot write"));
      // Whether it is ready now is open: the store may have given a segment back meanwhile.
      if (!acknowledged.empty())
        CHECK(at(bed.result_of("GetTask", R"({"id":")" + acknowledged.front() + "\"}"), "/id")
              == acknowledged.front());
      place.make_room();
      CHECK(comes_true([&] { return send().status == 200; }));
      CHECK(comes_true([&] { return client.get("/readyz").status == 200; }));
    }
  }
  const auto records = open_or_fail(place.path + "/data");
  recover_or_fail(*records);
  for (const auto& id : acknowledged)
    REQUIRE(find_task(*records, task_id{id}));
}

TEST_CASE("a server whose data directory is removed refuses every later send, and still answers "
          "reads",
          "[net][disk]") {
  const auto how = GENERATE(durability::sync, durability::async);
  const temporary_directory place;
  auto opened =
      open_rocksdb_store({.directory = place / "data", .durability = how}, {.retry_interval = 1ms});
  REQUIRE(opened.has_value());
  server_options options;
  options.disk_wait_max = 150ms;
  const net_bed bed{options, "echo", std::move(*opened)};
  auto client = bed.connect();
  const auto send = [&] { return client.post(rpc("SendMessage", text_message("x"))); };
  const auto first = send();
  REQUIRE(first.status == 200);
  const auto id = at(boost::json::parse(first.body), "/result/task/id");
  std::filesystem::remove_all(place / "data");
  for (int i = 0; i < 5; ++i) {
    const auto answer = send();
    CHECK(answer.status == 503);
    CHECK_FALSE(answer.header("retry-after").empty());
  }
  CHECK(comes_true([&] { return client.get("/readyz").status == 503; }));
  CHECK(at(bed.result_of("GetTask", R"({"id":")" + id + "\"}"), "/id") == id);
}
