// `troupe session` as an operator meets it: from a server's directory to files, and from these into
// the directory of another server.
#include "tests/apps/served.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

using namespace troupe::testing;
namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

outcome session(std::vector<std::string> words) {
  words.insert(words.begin(), {troupe_binary(), "session"});
  return run_program(words);
}

std::string file_bytes(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// CRC-32 as zlib has it, in eight digits (docs/sessions.md).
std::string crc32_of(const std::string& text) {
  std::uint32_t sum = ~0U;
  for (const auto each : text) {
    sum ^= static_cast<unsigned char>(each);
    for (int bit = 0; bit < 8; ++bit)
      sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  std::string out(8, '0');
  std::snprintf(out.data(), out.size() + 1, "%08x", ~sum);
  return out;
}

std::string shown_objective(const served& server, const std::string& id) {
  const auto body =
      server.client().post(request_of("objectives/get", R"({"id":")" + id + R"("})")).body;
  const std::string head = R"("result":{"objective":)";
  const auto begin = body.find(head);
  if (begin == std::string::npos || !body.ends_with("}}"))
    throw std::runtime_error("no objective: " + body);
  return body.substr(begin + head.size(), body.size() - 2 - begin - head.size());
}

std::string shown_task(const served& server, const std::string& id) {
  const auto body = server.client().post(request_of("GetTask", R"({"id":")" + id + R"("})")).body;
  const std::string head = R"("result":)";
  const auto begin = body.find(head);
  if (begin == std::string::npos)
    throw std::runtime_error("no task: " + body);
  return body.substr(begin + head.size(), body.size() - 1 - begin - head.size());
}

struct shown_things {
  std::string done;
  std::string asking;
  std::string root;
  std::string task;
  std::string root_id;
};

shown_things show(const served& server) {
  shown_things out{shown_objective(server, "done"), shown_objective(server, "asking"), {}, {}, {}};
  out.root_id = at(json::parse(out.done), "/rootTaskId");
  out.root = shown_task(server, out.root_id);
  out.task = shown_task(server, "done.p0.t0");
  return out;
}

/// A server's directory with an objective that has ended, of a message, and one with a question.
/// `stopping`: the signal with which it ends.
shown_things make_objectives(const std::string& directory, std::vector<std::string> words = {},
                             int stopping = SIGKILL) {
  words.insert(words.begin(), {"--data", directory});
  served server{words};
  server.ask("SendMessage",
             R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"go"}],)"
             R"("metadata":{"opt/v1/objective":{"id":"done","name":"A \"party\"","plans":[)"
             R"({"name":"p","tasks":[{"name":"a","agent":"echo"},)"
             R"({"name":"b","agent":"echo"}]}]}}}})");
  server.ask("objectives/create",
             R"({"id":"asking","name":"o","start":true,"plans":[{"name":"p","tasks":[)"
             R"({"name":"q","agent":"scripted","input":{"steps":[{"ask":"which?"}]}}]}]})");
  // The last change that the question leads to: before it, what is shown may be older than the
  // file.
  const auto is_blocked = [&] {
    return at(json::parse(shown_objective(server, "asking")), "/status") == "blocked";
  };
  if (!comes_true(is_blocked))
    throw std::runtime_error("nobody asks");
  auto out = show(server);
  server.program().signal(stopping);
  server.program().wait();
  return out;
}

} // namespace

TEST_CASE("objectives go into files and into the directory of another server, byte for byte",
          "[apps][binary][session]") {
  const temporary_directory place;
  const auto before = make_objectives(place / "data");
  const auto wrote = session({"export", "--all", "--data", place / "data", "--json"});
  INFO(wrote.out + wrote.err);
  REQUIRE(wrote.code == 0);
  const auto lines = lines_of(wrote.out);
  REQUIRE(lines.size() == 3);
  CHECK(at(json::parse(lines[0]), "/objective") == "asking");
  const auto asking = at(json::parse(lines[0]), "/file");
  const auto done = at(json::parse(lines[1]), "/file");
  CHECK(asking == place / "data/sessions/a2a_obj_asking.jsonl");
  CHECK(done.starts_with(place / "data/sessions/a2a_obj_done.jsonl.archived."));
  CHECK(at(json::parse(lines[2]), "/sessions") == "2");
  const auto index = json::parse(file_bytes(place / "data/sessions/sessions.json"));
  CHECK(at(index, "/agent:main:a2a:obj:done/displayName") == "A \"party\"");

  const auto check = session({"check", place / "data/sessions"});
  CHECK(check.code == 0);
  CHECK_THAT(check.out, Catch::Matchers::Contains("a2a_obj_asking.jsonl: asking, blocked, ")
                            && Catch::Matchers::Contains(": done, completed, ")
                            && Catch::Matchers::Contains(", archived\n"));
  const auto state = session({"check", done, "--state"});
  CHECK(state.code == 0);
  CHECK(state.out.starts_with("{\"objective\":" + before.done + ",\"plans\":["));
  CHECK_THAT(state.out,
             Catch::Matchers::Contains("\"done.p0.t0\":" + before.task)
                 && Catch::Matchers::Contains("\"" + before.root_id + "\":" + before.root));
  const auto open = session({"check", asking, "--state"});
  CHECK(open.out.starts_with("{\"objective\":" + before.asking + ",\"plans\":["));

  for (const auto& file : {done, asking}) {
    const auto read = session({"import", file, "--data", place / "other", "--json"});
    INFO(read.out + read.err);
    CHECK(read.code == 0);
    const auto again = session({"import", file, "--data", place / "other"});
    CHECK(again.code == 1);
    CHECK_THAT(again.err, Catch::Matchers::Contains("--as NEW"));
  }
  CHECK(session({"import", done, "--data", place / "other", "--as", "copy"}).code == 0);
  CHECK(run_program({troupe_binary(), "store", "check", "--data", place / "other"}).code == 0);
  served other{{"--data", place / "other"}};
  CHECK(shown_objective(other, "done") == before.done);
  CHECK(shown_task(other, before.root_id) == before.root);
  CHECK(shown_task(other, "done.p0.t0") == before.task);
  CHECK(at(json::parse(shown_objective(other, "copy")), "/plans/0/tasks/1/id") == "copy.p0.t1");
  // What had not ended goes on.
  REQUIRE(other.reaches("asking.p0.t0", "TASK_STATE_INPUT_REQUIRED"));
  other.ask("SendMessage",
            R"({"message":{"messageId":"a","role":"ROLE_USER","taskId":"asking.p0.t0",)"
            R"("parts":[{"text":"this one"}]}})");
  CHECK(other.reaches("asking.p0.t0", "TASK_STATE_COMPLETED"));
  CHECK(other.stop() == 0);
}

TEST_CASE("a session that is cut short is said, and a damaged one refused with its line",
          "[apps][binary][session]") {
  const temporary_directory place;
  make_objectives(place / "data");
  REQUIRE(session({"export", "asking", "--data", place / "data", "--dir", place / "s"}).code == 0);
  const auto path = place / "s/a2a_obj_asking.jsonl";
  const auto whole = file_bytes(path);
  place.file("s/a2a_obj_asking.jsonl", whole.substr(0, whole.size() - 9));
  const auto cut = session({"check", path});
  CHECK(cut.code == 0);
  CHECK_THAT(cut.out, Catch::Matchers::Contains("note: " + path + " was cut short in line "));
  CHECK_THAT(session({"check", path, "--json"}).out,
             Catch::Matchers::Contains("\"cut\":{\"line\":"));
  // It is whole again after the next export.
  CHECK(session({"export", "asking", "--data", place / "data", "--dir", place / "s"}).code == 0);
  CHECK(file_bytes(path) == whole);

  auto damaged = whole;
  damaged[whole.find("\"seq\":2,") + 40] ^= 1;
  place.file("s/a2a_obj_asking.jsonl", damaged);
  for (const auto& words : {std::vector<std::string>{"check", path},
                            {"check", place / "s"},
                            {"import", path, "--data", place / "new"},
                            {"export", "asking", "--data", place / "data", "--dir", place / "s"}}) {
    const auto refused = session(words);
    CAPTURE(refused.err);
    CHECK(refused.code == 1);
    CHECK_THAT(refused.err, Catch::Matchers::Contains(path) && Catch::Matchers::Contains("line 3: ")
                                && Catch::Matchers::Contains("line 4 behind it is whole"));
  }
  CHECK_FALSE(fs::exists(place / "new"));
  CHECK(file_bytes(path) == damaged);
}

TEST_CASE("a line of a session that is whole and says what cannot be is named",
          "[apps][binary][session]") {
  const temporary_directory place;
  make_objectives(place / "data");
  const auto wrote =
      session({"export", "done", "--data", place / "data", "--dir", place / "s", "--json"});
  REQUIRE(wrote.code == 0);
  const auto path = at(json::parse(lines_of(wrote.out).front()), "/file");
  const auto whole = file_bytes(path);
  const auto begin = whole.rfind('\n', whole.size() - 2) + 1;
  auto last = whole.substr(begin, whole.size() - 1 - begin);
  const std::string state = R"("archived":"completed")";
  REQUIRE(last.find(state) != std::string::npos);
  last.replace(last.find(state), state.size(), R"("archived":"failed")");
  const std::string mark = R"("crc":")";
  const auto sum = last.find(mark) + mark.size();
  last.replace(sum, 8, "00000000");
  last.replace(sum, 8, crc32_of(last));
  place.file("s/" + fs::path(path).filename().string(), whole.substr(0, begin) + last + "\n");
  const auto line = std::to_string(std::count(whole.begin(), whole.end(), '\n'));
  for (const auto& named : {path, place / "s"}) {
    const auto checked = session({"check", named});
    CHECK(checked.code == 1);
    CHECK_THAT(checked.err, Catch::Matchers::Contains(path)
                                && Catch::Matchers::Contains(
                                    "line " + line
                                    + ": it does not have the state of the objective, completed"));
  }
  const auto shown = session({"check", path, "--json"});
  CHECK(shown.code == 1);
  CHECK(at(json::parse(lines_of(shown.out).front()), "/faults/0/line") == line);
}

TEST_CASE("session says what is wrong with what it was given", "[apps][binary][session]") {
  const temporary_directory place;
  {
    served server{{"--data", place / "data"}};
    const auto busy = session({"export", "--all", "--data", place / "data"});
    CHECK(busy.code == 2);
    CHECK_THAT(busy.err, Catch::Matchers::Contains("in use by another process"));
    CHECK(server.stop() == 0);
  }
  CHECK_FALSE(fs::exists(place / "data/sessions"));
  const auto which = session({"export", "--data", place / "data"});
  CHECK(which.code == 2);
  CHECK_THAT(which.err, Catch::Matchers::Contains("which objectives?"));
  const auto unknown = session({"export", "nobody", "--data", place / "data", "--json"});
  CHECK(unknown.code == 1);
  CHECK(at(json::parse(lines_of(unknown.out).front()), "/objective") == "nobody");
  CHECK(session({"export", "--all", "--data", place / "nowhere"}).code == 2);
  CHECK(session({"check", place / "nowhere"}).code == 2);
  CHECK(session({"import", place / "nowhere", "--data", place / "new"}).code == 2);
  CHECK_FALSE(fs::exists(place / "new"));
  fs::create_directories(place / "claw/agents/main/agent");
  place.file("claw/agents/main/agent/openclaw-agent.sqlite", "");
  const auto live = session(
      {"export", "--all", "--data", place / "data", "--dir", place / "claw/agents/main/sessions"});
  CHECK(live.code == 2);
  CHECK_THAT(live.err, Catch::Matchers::Contains("openclaw-agent.sqlite"));
  for (const auto* tool : {"export", "check", "import"}) {
    const auto help = session({tool, "--help"});
    CHECK(help.code == 0);
    CHECK_THAT(help.out, Catch::Matchers::Contains("troupe session " + std::string{tool})
                             && Catch::Matchers::Contains("Exit codes: 0"));
  }
  CHECK(session({}).code == 2);
  const auto lost = run_program(
      {"/bin/sh", "-c",
       troupe_binary() + " session export --all --data " + (place / "data") + " > /dev/full"});
  CHECK(lost.code == 1);
}

TEST_CASE("a server whose store is session files has lost nothing after kill -9",
          "[apps][binary][session]") {
  const temporary_directory place;
  const std::vector<std::string> kind{"--store", "session-jsonl"};
  const auto before = make_objectives(place / "data", kind);
  for (const int stopping : {SIGKILL, SIGTERM}) { // Of the process that comes next.
    served server{{"--store", "session-jsonl", "--data", place / "data"}};
    CHECK(shown_objective(server, "done") == before.done);
    CHECK(shown_task(server, before.root_id) == before.root);
    CHECK(shown_task(server, "done.p0.t0") == before.task);
    CHECK(server.reaches("asking.p0.t0", "TASK_STATE_INPUT_REQUIRED"));
    const auto ready = server.client().get("/readyz");
    CHECK(ready.status == 200);
    CHECK(at(json::parse(ready.body), "/sessions/directory") == place / "data/sessions");
    server.program().signal(stopping);
    server.program().wait();
  }
  const auto check = session({"check", place / "data/sessions"});
  INFO(check.out + check.err);
  CHECK(check.code == 0);
  CHECK_THAT(check.out, Catch::Matchers::Contains(": done, completed, ")
                            && Catch::Matchers::Contains(", archived\n"));
  // Each kind of store knows that the directory is not its own.
  const auto other =
      run_program({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--data", place / "data"});
  CHECK(other.code == 1);
  CHECK_THAT(other.err, Catch::Matchers::Contains("session-jsonl"));
}

TEST_CASE("whenever a server of session files is killed, what it acknowledged is there",
          "[apps][binary][session]") {
  const temporary_directory place;
  const std::vector<std::string> words{"--store", "session-jsonl", "--data", place / "data"};
  std::vector<std::string> acknowledged;
  for (int kill = 0; kill < 5; ++kill) {
    CAPTURE(kill, acknowledged.size());
    served server{words};
    for (const auto& id : acknowledged)
      REQUIRE(at(json::parse(shown_objective(server, id)), "/status") == "completed");
    std::atomic<int> answers{0};
    std::thread client{[&] { // Until the connection breaks.
      for (int i = 0;; ++i) {
        const auto id = "k" + std::to_string(kill) + "-" + std::to_string(i);
        try {
          const auto body = server.client().post(request_of(
              "SendMessage",
              R"({"message":{"messageId":")" + id
                  + R"(","role":"ROLE_USER","parts":[{"text":"go"}],"metadata":{)"
                    R"("opt/v1/objective":{"id":")"
                  + id
                  + R"(","name":"o","plans":[{"name":"p","tasks":[{"name":"a","agent":"echo"},)"
                    R"({"name":"b","agent":"echo"}]}]}}}})"));
          if (body.body.find("TASK_STATE_COMPLETED") == std::string::npos)
            return;
          acknowledged.push_back(id);
          ++answers;
        } catch (const std::exception&) {
          return;
        }
      }
    }};
    CHECK(comes_true([&] { return answers >= 5 + 23 * kill; }));
    server.program().signal(SIGKILL);
    client.join();
    server.program().wait();
  }
  served server{words};
  for (const auto& id : acknowledged)
    CHECK(at(json::parse(shown_objective(server, id)), "/status") == "completed");
}

TEST_CASE("a server keeps session files beside its store, and says how far they are",
          "[apps][binary][session]") {
  const temporary_directory place;
  const std::vector<std::string> beside{"--sessions-dir", place / "s"};
  const auto before = make_objectives(place / "data", beside, SIGTERM);
  const auto index = json::parse(file_bytes(place / "s/sessions.json"));
  const auto done = at(index, "/agent:main:a2a:obj:done/sessionFile");
  CHECK(done.starts_with("a2a_obj_done.jsonl.archived."));
  const auto state = session({"check", place / ("s/" + done), "--state"});
  CHECK(state.code == 0);
  CHECK(state.out.starts_with("{\"objective\":" + before.done + ",\"plans\":["));
  CHECK_THAT(state.out, Catch::Matchers::Contains("\"done.p0.t0\":" + before.task));
  const auto open = session({"check", place / "s/a2a_obj_asking.jsonl", "--state"});
  CHECK(open.out.starts_with("{\"objective\":" + before.asking + ",\"plans\":["));
  // An export has nothing to add.
  const auto wrote =
      session({"export", "--all", "--data", place / "data", "--dir", place / "s", "--json"});
  INFO(wrote.out + wrote.err);
  CHECK(wrote.code == 0);
  CHECK(at(json::parse(lines_of(wrote.out).back()), "/newChanges") == "0");
  // It goes on with them.
  served server{{"--data", place / "data", "--sessions-dir", place / "s"}};
  server.ask("SendMessage",
             R"({"message":{"messageId":"a","role":"ROLE_USER","taskId":"asking.p0.t0",)"
             R"("parts":[{"text":"this one"}]}})");
  CHECK(server.reaches("asking.p0.t0", "TASK_STATE_COMPLETED"));
  const auto second = run_program({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--data",
                                   place / "other", "--sessions-dir", place / "s"});
  CHECK(second.code == 1);
  CHECK_THAT(second.err, Catch::Matchers::Contains("writes sessions in " + (place / "s") + ";")
                             && Catch::Matchers::Contains("--sessions-dir"));
  CHECK(comes_true([&] {
    return at(json::parse(server.client().get("/readyz").body), "/sessions/lagGroups") == "0"
           && !fs::exists(place / "s/a2a_obj_asking.jsonl");
  }));
  CHECK(server.stop() == 0);
}

TEST_CASE("a cut archive with a live successor refuses the start in words about session files",
          "[apps][binary][session]") {
  const temporary_directory place;
  const std::vector<std::string> words{"--store", "session-jsonl", "--data", place / "data"};
  {
    served server{words};
    const auto status = [&](const std::string& state) {
      server.ask("objectives/update", R"({"id":"twice","status":")" + state + R"("})");
    };
    server.ask("objectives/create",
               R"({"id":"twice","name":"Twice","start":true,"plans":[{"name":"p","tasks":[)"
               R"({"name":"a","agent":"scripted","input":{"steps":[{"ask":"go?"}]}}]}]})");
    const auto is_blocked = [&] {
      return at(server.ask("objectives/get", R"({"id":"twice"})"), "/objective/status")
             == "blocked";
    };
    CHECK(comes_true(is_blocked));
    status("canceled");
    status("submitted");
    status("working");
    CHECK(comes_true(is_blocked));
    CHECK(server.stop() == 0);
  }
  fs::path archive;
  for (const auto& each : fs::directory_iterator(place / "data/sessions"))
    if (each.path().filename().string().find("twice.jsonl.archived") != std::string::npos)
      archive = each.path();
  REQUIRE_FALSE(archive.empty());
  fs::resize_file(archive, 900);
  const auto refused = run_program({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--store",
                                    "session-jsonl", "--data", place / "data"});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.err, Catch::Matchers::Contains("does not match the session files")
                              && !Catch::Matchers::Contains("tables"));
}

TEST_CASE("session files are kept in a directory of their own", "[apps][binary][session]") {
  const temporary_directory place;
  const auto refused = [&](const std::string& where) {
    const auto done = run_program({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--data",
                                   place / "data", "--sessions-dir", where});
    CHECK(done.code == 2);
    return done.err;
  };
  CHECK_THAT(refused(""), Catch::Matchers::Contains("--sessions-dir is empty"));
  for (const auto* where : {"data/journal", "data/journal/deep", "data/x/../journal"})
    CHECK_THAT(refused(place / where), Catch::Matchers::Contains("where the journal"));
  CHECK_FALSE(fs::exists(place / "data"));
}

TEST_CASE("the tools for tables name those for session files", "[apps][binary][session]") {
  const temporary_directory place;
  make_objectives(place / "data", {"--store", "session-jsonl"}, SIGTERM);
  const auto checked = run_program({troupe_binary(), "store", "check", "--data", place / "data"});
  CHECK(checked.code == 2);
  CHECK_THAT(checked.err, Catch::Matchers::Contains("are session files (store session-jsonl)")
                              && Catch::Matchers::Contains("troupe session check "
                                                           + (place / "data") + "/sessions"));
}

TEST_CASE("session files are not kept where OpenClaw keeps its own", "[apps][binary][session]") {
  const temporary_directory place;
  fs::create_directories(place / "main/agent");
  place.file("main/agent/openclaw-agent.sqlite", "");
  const auto refused = run_program({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--store",
                                    "memory", "--sessions-dir", place / "main/sessions"});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.err, Catch::Matchers::Contains("openclaw-agent.sqlite"));
  CHECK_FALSE(fs::exists(place / "main/sessions"));
}
