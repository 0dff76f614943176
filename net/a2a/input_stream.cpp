#include "net/a2a/input_stream.hpp"

#include "actors/feed/feed.hpp"
#include "actors/feed/question_source.hpp"
#include "actors/service/service.hpp"
#include "net/a2a/awaited.hpp"
#include "net/a2a/shown_feed.hpp"
#include "net/a2a/task_stream.hpp"
#include "protocol/opt/codec_opt.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

namespace troupe::net {

namespace {

/// Of a task that asks, what is shown. Its history and artifacts may be long, and the stream may
/// last longer than the task.
task_ptr asking_part_of(const task& record) {
  auto out = std::make_shared<task>();
  out->id = record.id;
  out->context = record.context;
  out->origin = record.origin;
  out->question = record.question;
  return out;
}

/// The open questions, page after page, then those that change. One thing is read at a time.
class shown_inputs final : public event_source {
public:
  /// `source` watches since before `first`, the first page, was read.
  shown_inputs(operation_call& call, list_inputs which, std::shared_ptr<feed> source,
               shown_input_page first)
      : call_(call), which_(std::move(which)), source_(call, std::move(source)) {
    keep_page(std::move(first));
  }

  stream_step add_news() override {
    auto& responder = call_.responder;
    auto& text = responder.stream_text();
    const auto window = responder.stream_window();
    if (window == 0)
      return stream_step::wait;
    if (source_.get() == nullptr)
      end(*source_.failure());
    bool has_more = true;
    while (has_more && !is_over_ && text.size() < window)
      has_more = add_next();
    if (!is_over_ && responder.is_draining())
      end(make_error(errc::unavailable, "server is shutting down; resubscribe"));
    if (!responder.hold_stream(text.size(), 0)) {
      refuse_text(call_, text.size());
      return stream_step::end;
    }
    if (is_over_)
      return stream_step::end;
    return has_more ? stream_step::go_on : stream_step::wait;
  }

  /// No event is long enough to be made in pieces.
  awaitable<stream_step> begin_apart() override { co_return stream_step::go_on; }

private:
  /// False if there is nothing more for now: a notification follows.
  bool add_next() {
    if (std::exchange(begins_, false)) {
      add_beginning();
      return true;
    }
    if (page_asked_)
      return take_page();
    if (one_asked_)
      return take_one();
    if (listed_ < page_.tasks.size()) {
      const auto asking = std::move(page_.tasks[listed_]); // Once it is shown, it is not held.
      add_input({asking, asking->question->id, page_.claims[listed_++]});
      return true;
    }
    if (!page_.next_page_token.empty()) {
      ask_page(page_.next_page_token);
      return true;
    }
    if (changed_.empty())
      return take_changes();
    ask_one();
    return true;
  }

  /// Of a question that has changed more than once, only how it stands now is of interest.
  bool take_changes() {
    const auto batch = source_.get()->take(call_.responder.stream_window());
    if (batch.state == feed_state::lost) {
      source_.get()->restart();
      has_gap_ = true;
      ask_page({});
      return true;
    }
    std::unordered_set<std::string> known;
    for (const auto& each : batch.frames)
      for (auto& question : questions_in(*each.news))
        if (known.insert(question.str()).second)
          changed_.push_back(std::move(question));
    return !changed_.empty() || batch.state == feed_state::more;
  }

  void ask_page(std::string token) {
    auto query = which_;
    query.page_token = std::move(token);
    begins_again_ = query.page_token.empty();
    page_asked_.emplace(call_);
    call_.operations().list(query, page_asked_->to());
  }

  bool take_page() {
    if (!page_asked_->is_ready())
      return false;
    auto found = std::move(page_asked_->value());
    page_asked_.reset();
    if (!found) {
      end(found.error());
      return true;
    }
    keep_page(std::move(*found));
    begins_ = begins_again_;
    return true;
  }

  void keep_page(shown_input_page next) {
    page_ = std::move(next);
    for (auto& each : page_.tasks)
      each = asking_part_of(*each);
    listed_ = 0;
  }

  /// The list begins, or begins again: what the client knew before counts no more.
  void add_beginning() {
    add_event(call_, [&](std::string& text) {
      json_writer out(text);
      out.begin_object().key("inputs").begin_object();
      out.key("totalSize").number(page_.total_size);
      if (std::exchange(has_gap_, false))
        out.key("gap").boolean(true);
      out.end_object().end_object();
      return true;
    });
  }

  void ask_one() {
    const auto next = std::move(changed_.front());
    changed_.pop_front();
    one_asked_.emplace(call_);
    call_.operations().get(get_input{.who = which_.who, .id = next.str()}, one_asked_->to());
  }

  bool take_one() {
    if (!one_asked_->is_ready())
      return false;
    const auto found = std::move(one_asked_->value());
    one_asked_.reset();
    if (found && is_wanted(*found->task))
      add_input(*found);
    else if (!found && found.error().code != errc::input_not_found) // another client's
      end(found.error());
    return true;
  }

  [[nodiscard]] bool is_wanted(const task& owner) const {
    return which_.plan.empty() || (owner.origin && owner.origin.plan->id == which_.plan);
  }

  void add_input(const shown_input& shown) {
    add_event(call_, [&](std::string& text) {
      json_writer out(text);
      out.begin_object().key("input");
      opt::write_input(out, *shown.task, shown.question, shown.claim);
      out.end_object();
      return true;
    });
  }

  void end(const error& why) {
    add_error(call_, why);
    is_over_ = true;
  }

  operation_call& call_;
  const list_inputs which_;
  awaited_feed source_;
  shown_input_page page_;
  std::size_t listed_ = 0; ///< Of the page.
  std::deque<question_address> changed_;
  std::optional<awaited_reply<shown_input_page>> page_asked_;
  std::optional<awaited_reply<shown_input>> one_asked_;
  bool begins_ = true;        ///< The page is the first one of the list.
  bool begins_again_ = false; ///< The same of the page that was asked for.
  bool has_gap_ = false;      ///< The list begins again, because something was missed.
  bool is_over_ = false;
};

awaitable<void> stream_inputs(operation_call& call, list_inputs which, client_place place) {
  const client_place held = std::move(place);
  auto source = make_feed(call);
  if (const auto ok = call.operations().follow(which, *source); !ok) {
    co_await fail_stream(call, ok.error());
    co_return;
  }
  awaited_reply<shown_input_page> first(call);
  call.operations().list(which, first.to());
  const bool is_here = co_await arrival(call, first);
  if (!is_here)
    co_return;
  if (!first.value()) {
    co_await fail_stream(call, first.value().error());
    co_return;
  }
  shown_inputs shown(call, std::move(which), std::move(source), std::move(*first.value()));
  co_await show(call, shown);
}

} // namespace

awaitable<void> serve_subscribe_to_inputs(operation_call& call) {
  auto which = opt::read_list_inputs(params_of(call));
  if (!which)
    return fail_stream(call, which.error());
  if (auto known =
          identify(call, which->who, row_of(operation::subscribe_to_inputs).unknown_tenant);
      !known)
    return fail_stream(call, known.error());
  which->page_token.clear(); // It begins with the first page.
  auto place = take_stream(call);
  if (!place)
    return {};
  return stream_inputs(call, std::move(*which), std::move(place));
}

} // namespace troupe::net
