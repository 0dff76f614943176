#include "net/push_service.hpp"

#include "net/push_address.hpp"
#include "net/push_sender.hpp"
#include "protocol/base64.hpp"
#include "protocol/limits.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace troupe::net {

namespace {

/// Marks page tokens as ours.
constexpr std::string_view page_token_prefix = "push:";

error switched_off() {
  return make_error(errc::push_not_supported, "This server sends no push notifications.");
}

error no_config(const std::string& id) {
  return make_error(errc::task_not_found, "The task has no push notification configuration of that id.", id);
}

bool is_same(const caller& a, const caller& b) noexcept { return a.principal == b.principal && a.tenant == b.tenant; }

result<void> check_config(const push_config& what, const push_address_rules& rules) {
  if (auto right = check_push_config(what); !right)
    return make_error(right.error().code, right.error().field + ": " + right.error().message, right.error().field);
  return check_push_url(*parse_http_url(what.url), rules);
}

std::string write_page_token(const std::string& last) { return to_base64(std::string(page_token_prefix) + last); }

/// The id behind which the page begins.
result<std::string> read_page_token(const std::string& token) {
  if (token.empty())
    return std::string{};
  const auto text = from_base64(token);
  if (!text || !text->starts_with(page_token_prefix))
    return make_error(errc::invalid_params, "pageToken is not one of this list's.", "pageToken");
  return text->substr(page_token_prefix.size());
}

} // namespace

struct push_service::impl {
  impl(store& in, push_options how, push_seams doors)
    : records(in), options(std::move(how)), seams(std::move(doors)) {}

  /// The configurations of a task that `who` may see.
  [[nodiscard]] std::vector<push_row> rows_of(const task_id& task, const caller& who) const {
    auto out = records.pushes().list(task);
    std::erase_if(out, [&](const push_row& each) { return !is_same(each.config.owner, who); });
    return out;
  }
  void save(push_config what, push_progress from, push_watch watched, reply<push_config> done);
  /// The task as it is, watched from now on if there is a sender.
  [[nodiscard]] push_watch watch(const task_id& task) const {
    return sender ? sender->watch(task) : push_watch{.inbox = nullptr, .snapshot = records.snapshot_task(task, nullptr)};
  }

  store& records;
  const push_options options;
  const push_seams seams;
  void unwatch(const task_id& task, const push_watch& what) const {
    if (sender)
      sender->unwatch(task, what);
  }

  std::shared_ptr<push_sender> sender; ///< Null before `start`, or switched off.
};

push_service::push_service(store& records, push_options options)
  : push_service(records, std::move(options), push_seams{}) {}

push_service::push_service(store& records, push_options options, push_seams seams)
  : impl_(std::make_unique<impl>(records, std::move(options), std::move(seams))) {}

push_service::~push_service() = default;

result<void> push_service::start() {
  if (!impl_->options.enabled || impl_->sender)
    return {};
  auto made = push_sender::make(impl_->records, impl_->options, impl_->seams);
  if (!made)
    return made.error();
  impl_->sender = std::move(*made);
  for (auto& row : impl_->records.pushes().all())
    impl_->sender->begin(std::move(row));
  return {};
}

bool push_service::is_enabled() const noexcept { return impl_->options.enabled; }

void push_service::impl::save(push_config what, push_progress from, push_watch watched, reply<push_config> done) {
  if (what.id.empty())
    what.id = thread_id_source().next("push");
  else if (const auto taken = records.pushes().find(what.task, what.id); taken && !is_same(taken->config.owner, what.owner)) {
    unwatch(what.task, watched);
    return done(make_error(errc::invalid_params, "Choose another id for the configuration.", "id"));
  }
  // The sender may be gone when the disk answers.
  const auto task = what.task;
  records.pushes().save(std::move(what), std::move(from),
                        [to = std::weak_ptr(sender), task, watched = std::move(watched), done = std::move(done)](result<push_row> row) {
                          const auto still = to.lock();
                          if (still && row)
                            still->begin(*row, watched);
                          else if (still)
                            still->unwatch(task, watched);
                          if (row)
                            done(std::move(row->config));
                          else
                            done(row.error());
                        });
}

// -- methods -------------------------------------------------------------------------------------------------------------

void push_service::create(create_push_config what, reply<push_config> done) {
  if (!impl_->options.enabled)
    return done(switched_off());
  auto& config = what.what;
  config.owner = {.principal = what.who.principal, .tenant = what.who.tenant, .traceparent = {}};
  if (!impl_->records.find_task_of(owner_of(what.who), config.task))
    return done(unknown_task(config.task.str()));
  if (const auto fits = check_config(config, impl_->options.address); !fits)
    return done(fits.error());
  auto watched = impl_->watch(config.task);
  if (!watched.snapshot.record)
    return done(unknown_task(config.task.str()));
  push_progress from{.after = watched.snapshot.sequence};
  if (is_terminal(watched.snapshot.record->status.state)) {
    from.stopped = "the task had ended";
    from.stopped_at = impl_->options.now();
  }
  impl_->save(std::move(config), std::move(from), std::move(watched), std::move(done));
}

result<push_config> push_service::get(const get_push_config& what) const {
  if (!impl_->options.enabled)
    return switched_off();
  if (!impl_->records.find_task_of(owner_of(what.who), what.task))
    return unknown_task(what.task.str());
  for (auto& each : impl_->rows_of(what.task, what.who))
    if (what.id.empty() || each.config.id == what.id)
      return std::move(each.config);
  return no_config(what.id);
}

result<push_config_page> push_service::list(const list_push_configs& what) const {
  if (!impl_->options.enabled)
    return switched_off();
  if (!impl_->records.find_task_of(owner_of(what.who), what.task))
    return unknown_task(what.task.str());
  if (what.page_size < 1 || what.page_size > push_page_size_max)
    return make_error(errc::invalid_params, "pageSize must be 1 to " + std::to_string(push_page_size_max) + ".", "pageSize");
  const auto behind = read_page_token(what.page_token);
  if (!behind)
    return behind.error();
  push_config_page out;
  for (auto& each : impl_->rows_of(what.task, what.who)) {
    if (each.config.id <= *behind)
      continue;
    if (out.configs.size() == what.page_size) {
      out.next_page_token = write_page_token(out.configs.back().id);
      break;
    }
    out.configs.push_back(std::move(each.config));
  }
  return out;
}

void push_service::erase(delete_push_config what, reply<void> done) {
  if (!impl_->options.enabled)
    return done(switched_off());
  if (!impl_->records.find_task_of(owner_of(what.who), what.task))
    return done(unknown_task(what.task.str()));
  const auto found = impl_->records.pushes().find(what.task, what.id);
  if (!found || !is_same(found->config.owner, what.who))
    return done(result<void>{});
  impl_->records.pushes().erase(what.task, what.id, found->serial, [to = std::weak_ptr(impl_->sender), what, done] {
    if (const auto still = to.lock())
      still->drop(what.task, what.id);
    done(result<void>{});
  });
}

// -- inside SendMessage ----------------------------------------------------------------------------------------------------

result<void> push_service::check(const push_config& what) const {
  if (!impl_->options.enabled)
    return switched_off();
  if (auto fits = check_config(what, impl_->options.address); !fits)
    return fits;
  // Of somebody else's task nothing is told, not even that it is full.
  if (!what.task.empty() && !impl_->records.find_task_of(owner_of(what.owner), what.task))
    return {};
  return impl_->records.pushes().has_room(what.task, what.id);
}

void push_service::attach(push_config what, bool is_new, reply<push_config> done) {
  if (impl_->options.warn)
    done = [warn = impl_->options.warn, task = what.task, done = std::move(done)](result<push_config> made) {
      if (!made)
        warn("the push configuration that came with a message to task " + task.str() + " was not kept: " + made.error().message);
      done(std::move(made));
    };
  if (!impl_->options.enabled)
    return done(switched_off());
  if (const auto fits = check_config(what, impl_->options.address); !fits)
    return done(fits.error());
  auto watched = impl_->watch(what.task);
  if (!watched.snapshot.record)
    return done(unknown_task(what.task.str()));
  push_progress from;
  if (!is_new) {
    from.after = watched.snapshot.sequence == sequence_end ? 0 : watched.snapshot.sequence;
    from.snapshot_first = true;
  }
  impl_->save(std::move(what), std::move(from), std::move(watched), std::move(done));
}

} // namespace troupe::net
