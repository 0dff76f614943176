// What clients have done: plans that multiply, programs that leave their group, questions without
// answers, notifications to a host that never answers, reads of large things, subscriptions and
// cancels.
#include "tests/attack/attackers.hpp"
#include "tests/attack/strays.hpp"

#include <algorithm>
#include <array>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::attack {

namespace {

using namespace std::chrono_literals;

std::string create(const std::string& id, const std::string& tasks) {
  return rpc_text("objectives/create",
                  R"({"id":")" + id + R"(","name":"x","start":true,"plans":[{"name":"p","tasks":[)"
                      + tasks + "]}]}");
}

void end(attacker& self, connection& at, const std::string& objective) {
  self.ask(at,
           rpc_text("objectives/update", R"({"id":")" + objective + R"(","status":"canceled"})"));
}

/// A text of 1 kB becomes 256 MB: far above `limits.objective-bytes`.
constexpr std::size_t doublings_too_many = 18;

/// Each task doubles the text of the one before it; at last some copy the longest.
void multiply(attacker& self) {
  const auto doublings = self.below(4) == 0 ? doublings_too_many : self.how_much.doublings;
  auto one = self.connect();
  std::string tasks =
      R"({"name":"t0","agent":"echo","input":{"text":")" + std::string(1'000, 'x') + "\"}}";
  const auto twice = [](std::size_t of) {
    const auto text = "${tasks.t" + std::to_string(of) + ".artifacts[0].text}";
    return text + text;
  };
  for (std::size_t i = 1; i <= doublings; ++i)
    tasks += R"(,{"name":"t)" + std::to_string(i) + R"(","agent":"echo","dependencies":["t)"
             + std::to_string(i - 1) + R"("],"input":{"text":")" + twice(i - 1) + "\"}}";
  for (std::size_t i = 0; i < self.how_much.of(150); ++i)
    tasks += R"(,{"name":"copy)" + std::to_string(i) + R"(","agent":"echo","dependencies":["t)"
             + std::to_string(doublings) + R"("],"input":{"text":")" + twice(doublings) + "\"}}";
  const auto id = "m" + std::to_string(self.dice());
  self.ask(one, create(id, tasks));
  self.pause(2s);
  end(self, one, id);
  one.reset();
}

/// A plan as large as may be. It is canceled a moment later.
void plan_much(attacker& self) {
  auto one = self.connect();
  std::string tasks;
  for (std::size_t i = 0; i < self.how_much.of(self.how_much.plan_tasks); ++i)
    tasks.append(i > 0 ? "," : "")
        .append(R"({"name":"t)")
        .append(std::to_string(i))
        .append(R"(","agent":"noop"})");
  const auto id = "w" + std::to_string(self.dice());
  self.ask(one, create(id, tasks));
  self.pause(std::chrono::milliseconds(self.below(1'000)));
  self.ask(one, rpc_text("objectives/get",
                         R"({"id":")" + id + R"(","includePlans":true,"includeTasks":true})"));
  end(self, one, id);
  one.reset();
  self.pause(5s);
}

/// Programs that begin others in sessions of their own, and end, hang or are canceled.
void leave_groups(attacker& self) {
  static constexpr auto ends = std::to_array<std::string_view>({"exit 0", "exit 1", "sleep 60"});
  auto one = self.connect();
  const auto script = "(setsid sleep " + stray_seconds(::getppid()) + " &); "
                      + std::string(ends[self.below(ends.size())]);
  const auto id = "g" + std::to_string(self.dice());
  self.ask(one, create(id, R"({"name":"t","agent":"command","input":{"argv":["/bin/sh","-c",")"
                               + script + "\"]}}"));
  self.pause(std::chrono::milliseconds(self.below(500)));
  end(self, one, id);
  one.reset();
}

/// Questions that nobody answers; the oldest are canceled, and at the end all.
void ask_questions(attacker& self) {
  auto one = self.connect();
  std::vector<std::string> tasks;
  while (!self.is_over()) {
    if (!one.is_open())
      one = self.connect();
    if (auto id = self.begin_task(one, R"({"ask":"Which?"})"); !id.empty())
      tasks.push_back(std::move(id));
    if (tasks.size() > self.how_much.of(2'000)) {
      self.ask(one, rpc_text("CancelTask", R"({"id":")" + tasks.front() + "\"}"));
      tasks.erase(tasks.begin());
    }
    self.pause(5ms);
  }
  for (const auto& each : tasks)
    self.ask(one, rpc_text("CancelTask", R"({"id":")" + each + "\"}"));
  one.reset();
}

/// A listener that takes connections and never says a word.
class silent_host {
public:
  silent_host() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(socket_, 1'000); // The kernel takes them; nobody accepts.
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~silent_host() { ::close(socket_); }
  silent_host(const silent_host&) = delete;
  silent_host& operator=(const silent_host&) = delete;

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/hook";
  }

private:
  int socket_;
  std::uint16_t port_ = 0;
};

void hang_webhooks(attacker& self) {
  const silent_host host;
  auto one = self.connect();
  while (!self.is_over() && one.is_open()) {
    self.ask(one,
             rpc_text("SendMessage",
                      R"({"message":{"messageId":"p","role":"ROLE_USER","parts":[{"text":"x"}]},)"
                      R"("configuration":{"taskPushNotificationConfig":{"url":")"
                          + host.url() + R"("}}})"));
    self.pause(20ms);
  }
  one.reset();
}

/// Each notification goes to a host of another name. None of the names is known.
void notify_many_names(attacker& self) {
  auto one = self.connect();
  while (!self.is_over() && one.is_open()) {
    self.ask(one,
             rpc_text("SendMessage",
                      R"({"message":{"messageId":"p","role":"ROLE_USER","parts":[{"text":"x"}]},)"
                      R"("configuration":{"taskPushNotificationConfig":{"url":"http://h)"
                          + std::to_string(self.dice()) + R"(.invalid/hook"}}})"));
    self.pause(20ms);
  }
  one.reset();
}

/// Each send has a key of its own, as long as may be, or one that came with another message.
void use_up_keys(attacker& self) {
  auto one = self.connect();
  while (!self.is_over() && one.is_open()) {
    const auto number = self.below(4) == 0 ? 0 : self.dice();
    auto key = "k" + std::to_string(number);
    key.resize(250, '-');
    const auto id = std::to_string(self.dice());
    self.ask(one, request_text("POST", "/message:send",
                               R"({"message":{"messageId":")" + id
                                   + R"(","role":"ROLE_USER","parts":[{"text":"x"}]}})",
                               "Idempotency-Key: \"" + key + "\"\r\n"));
    self.pause(2ms);
  }
  one.reset();
}

/// Many at once create an objective with one id, by plans of 1 MB. Each waits for the one before.
void fight_for_an_id(attacker& self) {
  const auto id = "f" + std::to_string(self.dice());
  const auto request =
      create(id, R"({"name":"t","agent":"scripted","input":{"text":")" + std::string(1'000'000, 'x')
                     + R"(","steps":[{"sleep":60}]}})");
  std::vector<connection> all;
  for (std::size_t i = 0; i < self.how_much.of(30) && !self.is_over(); ++i) {
    all.push_back(self.connect());
    all.back().send(request);
  }
  self.pause(500ms);
  for (auto& each : all) {
    self.look_at(each);
    each.reset();
  }
  auto one = self.connect();
  end(self, one, id);
  one.reset();
  self.pause(1s);
}

/// Lists, and reads of large tasks, as fast as they are answered.
void read_much(attacker& self) {
  auto one = self.connect();
  const auto large = self.make_large_task(one, 3);
  if (large.empty())
    return self.pause(1s);
  for (int i = 0; i < 100 && !self.is_over() && one.is_open(); ++i) {
    self.ask(one, rpc_text("GetTask", R"({"id":")" + large + "\"}"));
    self.ask(one, rpc_text("ListTasks", R"({"pageSize":100,"includeArtifacts":true})"));
    self.ask(one, request_text("GET", "/tasks?pageSize=" + std::to_string(1 + self.below(100))));
    self.pause(50ms);
  }
  one.reset();
  self.cancel_task(large);
}

/// Tasks that are followed and canceled at once, by streams that are left open.
void follow_and_cancel(attacker& self) {
  auto one = self.connect();
  std::vector<connection> followers;
  while (!self.is_over() && one.is_open()) {
    const auto id = self.begin_task(
        one, R"({"artifact":{"name":"a","text":"x"}},{"sleep":60},{"complete":"done"})");
    for (int i = 0; i < 3 && !id.empty(); ++i) {
      auto follower = self.connect();
      follower.send(request_text("GET", "/tasks/" + id + ":subscribe"));
      followers.push_back(std::move(follower));
    }
    if (!id.empty())
      self.ask(one, rpc_text("CancelTask", R"({"id":")" + id + "\"}"));
    std::erase_if(followers, [&](auto& each) { return !self.look_at(each); });
    while (followers.size() > self.how_much.of(200)) {
      followers.front().reset();
      followers.erase(followers.begin());
    }
    self.pause(10ms);
  }
  for (auto& each : followers)
    each.reset();
  one.reset();
}

/// Objectives that are planned anew again and again, by long lists, lists that are none, templates
/// and forms that nobody answers, from several connections at once, while they are paused, resumed
/// and canceled.
void replan_much(attacker& self) {
  std::vector<connection> others;
  while (!self.is_over()) {
    auto one = self.connect();
    const auto id = "r" + std::to_string(self.dice());
    self.ask(one,
             create(id, R"({"name":"a","agent":"scripted","input":{"steps":[{"sleep":60}]}})"));
    std::string list;
    for (std::size_t i = 1; i <= self.how_much.of(1'000); ++i)
      list += std::to_string(i) + ". Do part " + std::to_string(i) + "\\n";
    const auto texts = std::to_array<std::string>(
        {R"("text":")" + list + '"', R"("text":")" + list + R"(Step 1 needs step 2000.")",
         R"("text":"First eat, then sleep.")", R"("text":"Make tea")", R"("template":"blog-post")",
         R"("template":"birthday-party","params":{"guests":-5})"});
    for (int i = 0; i < 20 && !self.is_over() && one.is_open(); ++i) {
      const auto params = R"({"id":")" + id + R"(",)" + texts[self.below(texts.size())]
                          + (self.below(2) == 0 ? R"(,"dryRun":true})" : "}");
      auto other = self.connect();
      other.send(rpc_text("objectives/replan", params));
      others.push_back(std::move(other));
      const auto* status = self.below(2) == 0 ? "blocked" : "working";
      self.ask(one, rpc_text("objectives/update",
                             R"({"id":")" + id + R"(","status":")" + status + "\"}"));
      self.ask(one, rpc_text("objectives/replan", params));
    }
    end(self, one, id);
    one.reset();
    std::erase_if(others, [&](auto& each) { return !self.look_at(each); });
    while (others.size() > self.how_much.of(100)) {
      others.front().reset();
      others.erase(others.begin());
    }
  }
  for (auto& each : others)
    each.reset();
}

constexpr auto kinds =
    std::to_array<attacker_kind>({{"plans that multiply", multiply},
                                  {"large plans", plan_much},
                                  {"programs", leave_groups},
                                  {"questions", ask_questions},
                                  {"hanging webhooks", hang_webhooks},
                                  {"unknown webhooks", notify_many_names},
                                  {"keys", use_up_keys},
                                  {"one id", fight_for_an_id},
                                  {"reads", read_much},
                                  {"subscriptions and cancels", follow_and_cancel},
                                  {"objectives planned anew", replan_much}});

} // namespace

std::span<const attacker_kind> work_attackers() {
  return kinds;
}

} // namespace troupe::attack
