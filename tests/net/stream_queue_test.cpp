#include "net/stream_queue.hpp"

#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::net;

namespace {

change_ptr make_change(const std::string& task, event what) {
  change made;
  made.context = "ctx";
  made.task.id = task_id(task);
  made.events.push_back(std::move(what));
  return std::make_shared<const change>(std::move(made));
}

change_ptr progress(const std::string& task, double value) {
  auto report = std::make_shared<progress_report>();
  report->trackers.push_back({.id = "t",
                              .progress = value,
                              .total = {},
                              .message = {},
                              .status = {},
                              .started_at = {},
                              .updated_at = {}});
  return make_change(task, task_progress{std::move(report)});
}

change_ptr moved(const std::string& task) {
  return make_change(task, task_moved{task_state::working, 1, nullptr});
}

change_ptr output(const std::string& task, std::size_t bytes) {
  auto made = std::make_shared<artifact>();
  made->parts.push_back(text_part(std::string(bytes, 'x')));
  return make_change(task, task_artifact{std::move(made), false, true});
}

struct bed {
  explicit bed(std::size_t events_max = 100, std::size_t bytes_max = 1024 * 1024)
    : ready(std::make_shared<ready_queue>(context)), reader(std::make_shared<wakeup>(ready)),
      queue(reader, events_max, bytes_max) {}

  ~bed() { ready->close(); }

  asio::io_context context;
  std::shared_ptr<ready_queue> ready;
  wakeup_ptr reader;
  stream_queue queue;
};

} // namespace

TEST_CASE("changes come out in the order they went in, once", "[net][stream]") {
  bed here;
  const std::vector<change_ptr> all{moved("a"), output("a", 10), moved("b")};
  for (const auto& one : all)
    here.queue.on_change(one);
  CHECK(here.queue.take().changes == all);
  CHECK(here.queue.take().changes.empty());
}

TEST_CASE("the latest progress of a task replaces what waits, and nothing else", "[net][stream]") {
  bed here;
  const auto start = moved("a");
  const auto other = progress("b", 1);
  const auto file = output("a", 10);
  const auto last = progress("a", 3);
  for (const auto& one : {start, progress("a", 1), other, file, progress("a", 2), last})
    here.queue.on_change(one);
  CHECK(here.queue.take().changes == std::vector<change_ptr>{start, other, file, last});
  // What was taken is gone: later progress does not reach back.
  const auto next = progress("a", 4);
  here.queue.on_change(next);
  CHECK(here.queue.take().changes == std::vector<change_ptr>{next});
}

TEST_CASE("any amount of progress fits, in bounded memory, whether or not anybody reads", "[net][stream]") {
  bed here(4);
  here.queue.on_change(moved("a"));
  const std::vector<change_ptr> reports{progress("a", 1), progress("b", 1), progress("c", 1)};
  for (int i = 0; i < 1'000'000; ++i) {
    here.queue.on_change(reports[static_cast<std::size_t>(i) % reports.size()]);
    if (here.queue.size() > 4)
      FAIL("it holds " << here.queue.size());
  }
  const auto batch = here.queue.take();
  CHECK_FALSE(batch.overflowed);
  CHECK(batch.changes.size() == 4);
  CHECK(here.queue.size() == 0);
}

TEST_CASE("at the limit of events the queue keeps what it has and says that more is missing", "[net][stream]") {
  bed here(3);
  for (int i = 0; i < 3; ++i)
    here.queue.on_change(moved("a"));
  here.queue.on_change(moved("a"));
  here.queue.on_change(progress("a", 1));
  auto batch = here.queue.take();
  CHECK(batch.changes.size() == 3);
  CHECK(batch.overflowed);
  here.queue.on_change(moved("a"));
  batch = here.queue.take();
  CHECK(batch.changes.empty());
  CHECK(batch.overflowed);
}

TEST_CASE("at the limit of bytes the queue does the same", "[net][stream]") {
  bed here(1000, 10'000);
  for (int i = 0; i < 4; ++i)
    here.queue.on_change(output("a", 4000));
  const auto batch = here.queue.take();
  CHECK(batch.changes.size() == 3);
  CHECK(batch.overflowed);
}

TEST_CASE("what is larger than all that may wait is kept if it waits alone", "[net][stream]") {
  bed here(1000, 10'000);
  here.queue.on_change(output("a", 50'000));
  here.queue.on_change(moved("a"));
  auto batch = here.queue.take();
  CHECK(batch.changes.size() == 2);
  CHECK_FALSE(batch.overflowed);
  here.queue.on_change(moved("a"));
  here.queue.on_change(output("a", 50'000));
  batch = here.queue.take();
  CHECK(batch.changes.size() == 1);
  CHECK(batch.overflowed);
}

TEST_CASE("however many changes come, the reader is woken once per turn of its loop", "[net][stream]") {
  bed here;
  for (int i = 0; i < 50; ++i)
    here.queue.on_change(moved("a"));
  CHECK(here.context.poll() == 1);
  CHECK(here.reader->take());
  CHECK_FALSE(here.reader->take());
  here.queue.on_change(moved("a"));
  here.context.restart();
  CHECK(here.context.poll() == 1);
  CHECK(here.reader->take());
}

TEST_CASE("a wake-up after its loop has ended goes nowhere", "[net][stream]") {
  bed here;
  here.ready->close();
  here.queue.on_change(moved("a"));
  CHECK(here.context.poll() == 0);
  CHECK(here.queue.take().changes.size() == 1);
}
