// How other threads make a session go on: once for all that happened, and never after its loop has
// ended.
#include "actors/feed/feed.hpp"
#include "net/http/wakeup.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

constexpr std::size_t window = 1024 * 1024;

struct bed {
  bed() {
    news.connect([to = reader] { to->notify(); });
    news.follow(nothing);
  }
  ~bed() { ready->close(); }

  void say() const {
    news.live()->on_change(
        std::make_shared<const change>(about_lone("t", "c", 1, moved(task_state::working))));
  }

  struct silent final : feed_source {
    void open(const watcher_ptr&, feed_done<feed_snapshot>) override {}
    void close(const watcher_ptr&) override {}
    void read(const std::string&, bool, const history_range&,
              feed_done<history_page>) const override {}
    const task_id& task() const noexcept override { return id; }
    const principal& reader() const noexcept override { return program; }
    task_id id;
    principal program;
  };

  asio::io_context context;
  std::shared_ptr<ready_queue> ready = std::make_shared<ready_queue>(context);
  wakeup_ptr reader = std::make_shared<wakeup>(ready);
  feed_source_ptr nothing = std::make_shared<silent>();
  feed news{{100, window}, std::make_shared<feed_budget>()};
};

} // namespace

TEST_CASE("however many changes come, the reader is woken once per turn of its loop",
          "[net][stream]") {
  bed here;
  for (int i = 0; i < 50; ++i)
    here.say();
  CHECK(here.context.poll() == 1);
  CHECK(here.reader->take());
  CHECK_FALSE(here.reader->take());
  static_cast<void>(here.news.take(window));
  here.say();
  here.context.restart();
  CHECK(here.context.poll() == 1);
  CHECK(here.reader->take());
}

TEST_CASE("a wake-up after the end of its loop does nothing", "[net][stream]") {
  bed here;
  here.ready->close();
  here.say();
  CHECK(here.context.poll() == 0);
  CHECK(here.news.take(window).state == feed_state::waiting);
}
