// A whole server on one thread, and what its parts do in their turns.
#include "store/rocksdb/rocksdb_store.hpp"
#include "tests/net/one_thread_server.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/push_receiver.hpp"
#include "tests/support/temporary_directory.hpp"
#include <troupe/store/await.hpp>

#include <filesystem>
#include <iterator>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

std::size_t threads_of_this_process() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

} // namespace

TEST_CASE("a server runs on one thread, without a listener, and answers a request from memory",
          "[net][turns]") {
  const auto threads = threads_of_this_process();
  const auto records = make_memory_store();
  one_thread_server one{*records};
  one.pipe->put(send_text());
  CHECK(one.pipe->output().empty()); // Nothing happens by itself.
  for (int turns = 0; turns < 100 && one.pipe->output().empty(); ++turns)
    one.turn();
  CHECK(one.pipe->output().starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(one.pipe->output().find("TASK_STATE_COMPLETED") != std::string::npos);
  CHECK(one.pipe->output().find("Date: Tue, 01 Jan 2030") != std::string::npos);
  CHECK(threads_of_this_process() == threads);
}

TEST_CASE("on one thread a durable answer waits for the turn of the writer", "[net][turns]") {
  const temporary_directory directory;
  auto records = make_rocksdb_store({.directory = directory / "data"}, {});
  REQUIRE(records.has_value());
  bool writes = false;
  one_thread_server one{**records, [&] {
                          if (writes)
                            static_cast<void>((*records)->turn());
                        }};
  one.pipe->put(send_text());
  for (int turns = 0; turns < 20; ++turns)
    one.turn();
  CHECK(one.pipe->output().empty());
  writes = true;
  for (int turns = 0; turns < 100 && one.pipe->output().empty(); ++turns)
    one.turn();
  CHECK(one.pipe->output().find("TASK_STATE_COMPLETED") != std::string::npos);
}

TEST_CASE("on one thread notifications are posted in the sender's turns", "[net][turns][push]") {
  push_receiver receiver;
  const auto records = make_memory_store();
  one_thread_server one{*records};
  one.pipe->put(send_text(R"(,"configuration":{"taskPushNotificationConfig":{"url":")"
                          + receiver.url() + R"("}})"));
  const auto told = [&] {
    const auto posts = receiver.received();
    return !posts.empty() && posts.back().body.find("TASK_STATE_COMPLETED") != std::string::npos;
  };
  CHECK(comes_true([&] {
    one.turn();
    return told();
  }));
}

TEST_CASE("deadlines of connections pass by the clock that was handed in", "[net][turns]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  one.pipe->put("POST / HTTP/1.1\r\nHost: loc");
  for (int turns = 0; turns < 20; ++turns)
    one.turn();
  CHECK(one.state->connections == 1);
  for (int seconds = 0; seconds < 60 && one.pipe->output().empty(); ++seconds) {
    one.clock.advance(1s);
    one.turn();
    one.turn();
  }
  CHECK(one.pipe->output().starts_with("HTTP/1.1 408 "));
}

TEST_CASE(
    "a connection that takes nothing has nothing encoded for it, and misses no change of state",
    "[net][turns][window]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  one.agents.default_agent = "scripted";
  std::string steps;
  for (int i = 1; i <= 10; ++i)
    steps += R"({\"progress\":{\"id\":\"pages\",\"progress\":)" + std::to_string(i)
             + R"(,\"total\":10}},{\"sleep\":1},)";
  one.pipe->stop_reading();
  one.pipe->put(post(
      R"({"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"messageId":"m","role":"ROLE_USER",)"
      R"("parts":[{"text":"{\"steps\":[)"
          + steps + R"({\"complete\":\"done\"}]}"}]}}})",
      "A2A-Extensions: " + std::string(progress_uri) + "\r\n"));
  const auto turn_for = [&](std::chrono::seconds span) {
    for (int turns = 0; turns < 20; ++turns)
      one.turn();
    one.clock.advance(span);
    for (int turns = 0; turns < 20; ++turns)
      one.turn();
  };
  for (int i = 0; i < 12; ++i)
    turn_for(1s);
  CHECK(one.pipe->output().empty());
  one.pipe->go_on_reading();
  turn_for(0s);
  const auto& output = one.pipe->output();
  CHECK(output.find("TASK_STATE_COMPLETED") != std::string::npos);
  // Had each change been encoded when it came, there would be as many events.
  std::size_t events = 0;
  for (auto at = output.find("data: "); at != std::string::npos; at = output.find("data: ", at + 1))
    ++events;
  CHECK(events < 10);
}

TEST_CASE("a blocking send notices that its client has gone, and gives it nothing",
          "[net][turns][waiting]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  one.agents.default_agent = "scripted";
  one.pipe->put(post(
      R"({"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER",)"
      R"("parts":[{"text":"{\"steps\":[{\"sleep\":60},{\"complete\":\"done\"}]}"}]}}})"));
  const auto turn_for = [&](std::chrono::seconds span) {
    one.clock.advance(span);
    for (int turns = 0; turns < 20; ++turns)
      one.turn();
  };
  turn_for(0s);
  CHECK(one.state->in_flight == 1);
  CHECK(one.pipe->output().empty());
  one.pipe->hang_up();
  turn_for(1s); // The next sweep looks.
  CHECK(one.state->in_flight == 0);
  CHECK(one.state->connections == 0);
  // The task goes on without it.
  turn_for(61s);
  const auto page =
      await_read<task_page>([&](auto done) { records->list(list_tasks{}, std::move(done)); });
  REQUIRE(page.has_value());
  REQUIRE(page->tasks.size() == 1);
  CHECK(page->tasks[0]->status.state == task_state::completed);
  CHECK(one.pipe->output().empty());
}

TEST_CASE("an empty line before a request may come in pieces", "[net][turns]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  for (const char* const piece :
       {"\r", "\nGET /heal", "thz HTTP/1.1\r\nHost: localhost\r\n\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"}) {
    one.pipe->put(piece);
    for (int turns = 0; turns < 20; ++turns)
      one.turn();
  }
  const auto& output = one.pipe->output();
  const auto second = output.find("HTTP/1.1 200 OK\r\n", 1);
  CHECK(output.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(second != std::string::npos);
}

namespace {

std::string create_objective_of(std::size_t tasks) {
  std::string all;
  for (std::size_t i = 0; i < tasks; ++i)
    all += (i == 0 ? "" : ",") + (R"({"name":"t)" + std::to_string(i) + R"(","agent":"noop"})");
  return post(R"({"jsonrpc":"2.0","id":1,"method":"objectives/create","params":)"
              R"({"id":"o","name":"o","plans":[{"name":"p","tasks":[)"
              + all + "]}]}}");
}

constexpr auto get_objective_body =
    R"({"jsonrpc":"2.0","id":1,"method":"objectives/get","params":{"id":"o"}})";

} // namespace

TEST_CASE("a long answer is not encoded by its loop, which answers others meanwhile",
          "[net][turns][long]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  one.pipe->put(create_objective_of(2'000));
  const auto turn = [&] {
    for (int turns = 0; turns < 20; ++turns)
      one.turn();
  };
  turn();
  CHECK(one.pipe->output().empty());
  const auto other = one.connect();
  other->put("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  turn();
  CHECK(other->output().starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(one.pipe->output().empty());
  CHECK(one.state->answers.turn());
  CHECK_FALSE(one.state->answers.turn());
  turn();
  CHECK(one.pipe->output().starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(one.pipe->output().ends_with("}}}"));
  other->hang_up();
}

TEST_CASE(
    "a long request is parsed, read and carried out apart from its loop, which answers others",
    "[net][turns][long]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  const auto turn = [&] {
    for (int turns = 0; turns < 20; ++turns)
      one.turn();
  };
  one.pipe->put(create_objective_of(20'000));
  turn();
  const auto other = one.connect();
  other->put("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  turn();
  CHECK(other->output().starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(one.state->answers.turn()); // The body.
  turn();
  CHECK_FALSE(await_objective(*records, objective_id{"o"}).has_value());
  CHECK(one.state->answers.turn()); // The command.
  turn();
  CHECK(await_objective(*records, objective_id{"o"}).has_value());
  CHECK(one.state->answers.turn()); // Its answer.
  turn();
  CHECK(one.pipe->output().starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(one.pipe->output().ends_with("}}}"));
  other->hang_up();
}

TEST_CASE("a search through texts is made apart from its loop, which answers others",
          "[net][turns][long]") {
  const auto method = GENERATE(as<std::string>{}, "plans/list", "objectives/list");
  const auto records = make_memory_store();
  one_thread_server one{*records};
  const auto turn = [&] {
    for (int turns = 0; turns < 20; ++turns)
      one.turn();
  };
  one.pipe->put(create_objective_of(1));
  turn();
  const auto list = [&](std::string_view text) {
    const auto before = one.pipe->output().size();
    const std::string of = method == "plans/list" ? R"("objectiveId":"o",)" : "";
    one.pipe->put(post(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + of
                       + R"("text":")" + std::string(text) + R"("}})"));
    turn();
    return one.pipe->output().substr(before);
  };
  CHECK(list("").ends_with(R"("totalSize":1}})"));
  CHECK(list("no such text").empty());
  CHECK(one.state->answers.turn());
  turn();
  CHECK(one.pipe->output().ends_with(R"("totalSize":0}})"));
}

TEST_CASE("a long command whose client has gone before its turn is not done",
          "[net][turns][long]") {
  const bool is_parsed = GENERATE(false, true);
  const auto records = make_memory_store();
  one_thread_server one{*records};
  const auto turn = [&] {
    for (int turns = 0; turns < 20; ++turns)
      one.turn();
  };
  one.pipe->put(create_objective_of(20'000));
  turn();
  if (is_parsed) {
    CHECK(one.state->answers.turn());
    turn();
  }
  one.pipe->hang_up();
  one.clock.advance(1s); // The sweep notices.
  turn();
  CHECK(one.state->connections == 0);
  one.state->answers.turn();
  turn();
  CHECK_FALSE(await_objective(*records, objective_id{"o"}).has_value());
}

TEST_CASE("a long message is sent, and a wrong one refused, as a short one is",
          "[net][turns][long]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  const std::string text(2 * long_request_bytes, 'x');
  const auto is_rest = GENERATE(false, true);
  const auto ask = [&](const std::string& params) {
    const auto before = one.pipe->output().size();
    one.pipe->put(is_rest ? "POST /message:send HTTP/1.1\r\nHost: localhost\r\nA2A-Version: "
                            "1.0\r\nContent-Type: application/json\r\nContent-Length: "
                                + std::to_string(params.size()) + "\r\n\r\n" + params
                          : post(R"({"jsonrpc":"2.0","id":1,"method":"SendMessage","params":)"
                                 + params + "}"));
    for (int turns = 0; turns < 60; ++turns) {
      one.turn();
      one.state->answers.turn();
    }
    return one.pipe->output().substr(before);
  };
  CHECK_THAT(ask(R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":")" + text
                 + R"("}]}})"),
             StartsWith("HTTP/1.1 200 OK\r\n") && ContainsSubstring("TASK_STATE_COMPLETED")
                 && ContainsSubstring(text));
  CHECK_THAT(
      ask(R"({"message":{"messageId":"m","role":"nobody","parts":[{"text":")" + text + R"("}]}})"),
      ContainsSubstring("role"));
  CHECK_THAT(ask(R"({"message":")" + text), ContainsSubstring("at byte"));
  CHECK_THAT(ask(R"({"message":{"messageId":"s","role":"ROLE_USER","parts":[{"text":"short"}]}})"),
             ContainsSubstring("TASK_STATE_COMPLETED"));
}

TEST_CASE("a long answer is written in pieces, and another connection is answered between two",
          "[net][turns][long]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  const auto turn = [&] {
    for (int turns = 0; turns < 20; ++turns) {
      one.turn();
      one.state->answers.turn();
    }
  };
  one.pipe->put(create_objective_of(8'000));
  turn();
  REQUIRE(one.pipe->output().starts_with("HTTP/1.1 200 OK\r\n"));
  const auto other = one.connect();
  turn();
  std::vector<std::string> written;
  one.pipe->on_write = [&](std::string_view piece) {
    CHECK(piece.size() <= written_at_once_max);
    if (written.empty())
      other->put("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    written.emplace_back("long");
  };
  other->on_write = [&](std::string_view) { written.emplace_back("short"); };
  one.pipe->put(post(get_objective_body));
  turn();
  REQUIRE(written.size() > 3);
  CHECK(written.back() == "long");
  CHECK(written[1] == "short");
  other->hang_up();
}

TEST_CASE("a long answer is given up when its client has gone", "[net][turns][long]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  const auto turn = [&] {
    for (int turns = 0; turns < 20; ++turns)
      one.turn();
  };
  one.pipe->put(create_objective_of(2'000));
  turn();
  CHECK(one.state->answers.turn());
  turn();
  const auto shown = await_objective(*records, objective_id{"o"}).value();
  const auto held = shown.use_count();
  one.pipe->put(post(get_objective_body));
  turn();
  CHECK(shown.use_count() > held); // What the answer is made of.
  one.pipe->hang_up();
  one.clock.advance(1s); // The sweep notices.
  turn();
  CHECK(one.state->connections == 0);
  CHECK(shown.use_count() == held);
}

TEST_CASE(
    "a stream's long snapshot is begun apart from its loop, and what comes meanwhile follows it",
    "[net][turns][long][stream]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  one.agents.default_agent = "scripted";
  const auto turn = [&] {
    for (int turns = 0; turns < 20; ++turns)
      one.turn();
  };
  // The message is long, and is part of the task.
  const auto& first = one.pipe->output();
  one.pipe->put(
      post(R"({"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":)"
           R"({"messageId":"m","role":"ROLE_USER","parts":[{"text":)"
           R"("{\"steps\":[{\"sleep\":1},{\"complete\":\"done\"}]})"
           + std::string(2 * long_answer_bytes, ' ') + R"("}]}}})"));
  turn();
  CHECK(one.state->answers.turn()); // The body.
  turn();
  CHECK(one.state->answers.turn()); // The message.
  turn();
  CHECK_THAT(first, ContainsSubstring("text/event-stream") && !ContainsSubstring("data: "));
  CHECK(one.state->answers.turn());
  turn();
  CHECK(first.size() > 2 * long_answer_bytes);
  const auto created = first.find("TASK_STATE_SUBMITTED");
  REQUIRE(created != std::string::npos);
  CHECK(first.find("TASK_STATE_WORKING") > created);
  CHECK(first.find("TASK_STATE_WORKING") != std::string::npos);

  const auto all = await_read<task_page>([&](auto done) {
                     records->list(list_tasks{}, std::move(done));
                   }).value();
  REQUIRE(all.tasks.size() == 1);
  const auto later = one.connect();
  later->put(post(R"({"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":")"
                  + all.tasks.front()->id.str() + R"("}})"));
  turn();
  CHECK_THAT(later->output(),
             ContainsSubstring("text/event-stream") && !ContainsSubstring("data: "));
  one.clock.advance(1s);
  turn();
  CHECK_THAT(first, ContainsSubstring("TASK_STATE_COMPLETED"));
  CHECK_THAT(later->output(), !ContainsSubstring("data: "));
  CHECK(one.state->answers.turn());
  turn();
  const auto& second = later->output();
  const auto shown = second.find("TASK_STATE_WORKING");
  REQUIRE(shown != std::string::npos);
  CHECK(second.find("TASK_STATE_COMPLETED") > shown);
  CHECK(second.find("TASK_STATE_COMPLETED") != std::string::npos);
  CHECK(second.ends_with("0\r\n\r\n"));
  later->hang_up();
}
