#include "net/push/push_service.hpp"

#include "actors/feed/store_source.hpp"
#include "net/push/push_address.hpp"
#include "net/push/push_retry.hpp"
#include "net/push/push_sender.hpp"
#include "protocol/json/base64.hpp"
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
  return make_error(errc::push_not_supported, "this server sends no push notifications");
}

error no_config(const std::string& id) {
  return make_error(errc::task_not_found,
                    "the task has no push notification configuration with this id", id);
}

result<void> check_config(const push_config& config, const push_address_rules& rules) {
  if (auto right = check_push_config(config); !right)
    return make_error(right.error().code, right.error().field + ": " + right.error().message,
                      right.error().field);
  return check_push_url(*parse_http_url(config.url), rules);
}

std::string write_page_token(const std::string& last) {
  return to_base64(std::string(page_token_prefix) + last);
}

/// The id behind which the page begins.
result<std::string> read_page_token(const std::string& token) {
  if (token.empty())
    return std::string{};
  const auto text = from_base64(token);
  if (!text || !text->starts_with(page_token_prefix))
    return make_error(errc::invalid_params, "the page token is not one of this list", "pageToken");
  return text->substr(page_token_prefix.size());
}

} // namespace

struct push_service::impl : std::enable_shared_from_this<impl> {
  impl(store& in, push_options how, feed_budget_ptr share, push_seams own_seams)
      : records(in), options(std::move(how)), feeds(std::move(share)), seams(std::move(own_seams)) {
  }

  /// The configurations of a task that `who` may see.
  [[nodiscard]] std::vector<push_row> rows_of(const task_id& task, const principal& who) const {
    auto out = records.pushes().list(task);
    std::erase_if(out,
                  [&](const push_row& each) { return !owns(who, owner_of(each.config.owner)); });
    return out;
  }
  void save(push_config config, push_progress from, push_watch watched, reply<push_config> done);
  void attach(push_config config, bool is_new, bool needs_live_task, reply<push_config> done);
  /// Gives `next` the task as it is, watched from now on if there is a sender; or `refused` why
  /// not.
  template<class Next>
  void watch(const task_id& task, reply<push_config> refused, Next next) const;

  store& records;
  const push_options options;
  const feed_budget_ptr feeds;
  const push_seams seams;
  std::shared_ptr<push_sender> sender; ///< Null before `open`, or switched off.
};

template<class Next>
void push_service::impl::watch(const task_id& task, reply<push_config> refused, Next next) const {
  const auto from = make_task_source(records, task);
  const auto news = sender ? sender->make_feed() : nullptr;
  from->open(news ? news->live() : nullptr,
             [from, news, refused = std::move(refused),
              next = std::move(next)](const result<feed_snapshot>& now) mutable {
               if (!now)
                 return refused(now.error());
               if (news)
                 news->open(from, *now);
               next({.news = news, .snapshot = {now->task, now->sequence}}, std::move(refused));
             });
}

push_service::push_service(store& records, push_options options, feed_budget_ptr feeds,
                           push_seams seams)
    : impl_(
        std::make_shared<impl>(records, std::move(options), std::move(feeds), std::move(seams))) {}

push_service::~push_service() = default;

result<void> push_service::open() {
  if (!impl_->options.enabled || impl_->sender)
    return {};
  auto made = push_sender::make(impl_->records, impl_->options, impl_->feeds, impl_->seams);
  if (!made)
    return made.error();
  impl_->sender = std::move(*made);
  for (auto& row : impl_->records.pushes().all())
    impl_->sender->begin(std::move(row));
  return {};
}

result<void> push_service::start() {
  if (const auto opened = open(); !opened)
    return opened.error();
  if (impl_->sender)
    impl_->sender->start();
  return {};
}

bool push_service::turn() {
  return impl_->sender && impl_->sender->turn();
}

std::optional<time_source::steady_point> push_service::next_due() const {
  return impl_->sender ? impl_->sender->next_due() : std::nullopt;
}

bool push_service::is_enabled() const noexcept {
  return impl_->options.enabled;
}

void push_service::impl::save(push_config config, push_progress from, push_watch watched,
                              reply<push_config> done) {
  if (config.id.empty())
    config.id = thread_id_source().next("push");
  else if (const auto taken = records.pushes().find(config.task, config.id);
           taken && !owns(config.owner, owner_of(taken->config.owner))) {
    return done(make_error(errc::invalid_params,
                           "the id is in use; choose another for the configuration", "id"));
  }
  // The sender may be gone when the disk answers.
  records.pushes().save(std::move(config), std::move(from),
                        [to = std::weak_ptr(sender), watched = std::move(watched),
                         done = std::move(done)](result<push_row> row) {
                          const auto still = to.lock();
                          if (still && row)
                            still->begin(*row, watched);
                          if (row)
                            done(std::move(row->config));
                          else
                            done(row.error());
                        });
}

// -- methods --------------------------------------------------------------------------------------

result<void> push_service::is_offered() const {
  if (impl_->options.enabled)
    return {};
  return switched_off();
}

void push_service::create(create_push_config command, reply<push_config> done) {
  if (!impl_->options.enabled)
    return done(switched_off());
  auto& config = command.config;
  config.owner = command.who;
  if (const auto fits = check_config(config, impl_->options.address); !fits)
    return done(fits.error());
  const auto task = config.task;
  impl_->watch(task, std::move(done),
               [self = impl_, config = std::move(config)](push_watch watched,
                                                          reply<push_config> to) mutable {
                 push_progress from{.after = watched.snapshot.sequence};
                 if (is_terminal(watched.snapshot.record->status.state)) {
                   from.stopped = "the task had ended";
                   from.stopped_at = self->seams.time->now();
                 }
                 self->save(std::move(config), std::move(from), std::move(watched), std::move(to));
               });
}

result<push_config> push_service::get(const get_push_config& query) const {
  if (!impl_->options.enabled)
    return switched_off();
  for (auto& each : impl_->rows_of(query.task, query.who))
    if (query.id.empty() || each.config.id == query.id)
      return std::move(each.config);
  return no_config(query.id);
}

result<push_config_page> push_service::list(const list_push_configs& query) const {
  if (!impl_->options.enabled)
    return switched_off();
  if (query.page_size < 1 || query.page_size > push_page_size_max)
    return make_error(errc::invalid_params,
                      "pageSize must be 1 to " + std::to_string(push_page_size_max) + ".",
                      "pageSize");
  const auto behind = read_page_token(query.page_token);
  if (!behind)
    return behind.error();
  push_config_page out;
  for (auto& each : impl_->rows_of(query.task, query.who)) {
    if (each.config.id <= *behind)
      continue;
    if (out.configs.size() == query.page_size) {
      out.next_page_token = write_page_token(out.configs.back().id);
      break;
    }
    out.configs.push_back(std::move(each.config));
  }
  return out;
}

void push_service::erase(delete_push_config command, reply<void> done) {
  if (!impl_->options.enabled)
    return done(switched_off());
  const auto found = impl_->records.pushes().find(command.task, command.id);
  if (!found || !owns(command.who, owner_of(found->config.owner)))
    return done(result<void>{});
  impl_->records.pushes().erase(
      command.task, command.id, found->serial,
      [to = std::weak_ptr(impl_->sender), command, serial = found->serial,
       done](const result<void>& erased) {
        const auto still = to.lock();
        if (still && erased)
          still->drop(command.task, command.id, serial);
        done(erased);
      },
      client_of(command.who));
}

// -- inside SendMessage ---------------------------------------------------------------------------

result<void> push_service::check(const push_config& config, bool is_theirs) const {
  if (!impl_->options.enabled)
    return switched_off();
  if (auto fits = check_config(config, impl_->options.address); !fits)
    return fits;
  return is_theirs ? impl_->records.pushes().has_room(config.task, config.id) : result<void>{};
}

void push_service::attach(push_config config, bool is_new, reply<push_config> done) {
  impl_->attach(std::move(config), is_new, false, std::move(done));
}

void push_service::attach_again(push_config config, bool is_new, reply<push_config> done) {
  const auto is_same = [&](const push_config& known) {
    return config.id.empty() ? known.url == config.url && known.token == config.token
                             : known.id == config.id;
  };
  for (auto& each : impl_->rows_of(config.task, config.owner))
    if (is_same(each.config))
      return done(std::move(each.config));
  impl_->attach(std::move(config), is_new, true, std::move(done));
}

void push_service::impl::attach(push_config config, bool is_new, bool needs_live_task,
                                reply<push_config> done) {
  if (options.warn)
    done = [warn = options.warn, task = config.task,
            done = std::move(done)](result<push_config> made) {
      if (!made)
        warn("the push configuration that came with a message to task " + task.str()
             + " was not kept: " + made.error().message);
      done(std::move(made));
    };
  if (!options.enabled)
    return done(switched_off());
  if (const auto fits = check_config(config, options.address); !fits)
    return done(fits.error());
  const auto task = config.task;
  // Of a new task everything is posted from its first change on, so that it need not be read first.
  const auto unread = [self = shared_from_this(), config, done,
                       begins_at_first =
                           is_new && !needs_live_task](const result<push_config>& refused) {
    if (begins_at_first && is_ours(refused.error())) // The task may be there, and was not read.
      self->save(config, {}, {}, done);
    else
      done(refused.error());
  };
  watch(task, unread,
        [self = shared_from_this(), is_new, needs_live_task, to = std::move(done),
         config = std::move(config)](push_watch watched, const reply<push_config>&) mutable {
          if (needs_live_task && is_terminal(watched.snapshot.record->status.state))
            return to(std::move(config));
          push_progress from;
          if (!is_new) {
            from.after = watched.snapshot.sequence == sequence_end ? 0 : watched.snapshot.sequence;
            from.snapshot_first = true;
          }
          self->save(std::move(config), std::move(from), std::move(watched), std::move(to));
        });
}

} // namespace troupe::net
