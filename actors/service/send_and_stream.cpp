// Sending a message, and streaming what comes of it.
#include "actors/commands/placing.hpp"
#include "actors/feed/store_source.hpp"
#include "actors/service/sending.hpp"

#include <utility>

namespace troupe {

namespace {

error gone_at_once(const std::string& id) {
  return make_error(errc::internal, "the objective was created but can no longer be read", id);
}

} // namespace

void service::send(send_request&& request, std::shared_ptr<feed> source,
                   reply<stream_start> done) const {
  if (auto ok = admit(request.command.who, operation::send_message); !ok)
    return done(ok.error());
  const auto shared = std::make_shared<send_request>(std::move(request));
  const auto sender = shared->command.who;
  const auto begin = [*this, shared, source, done](new_work asked, const reply<sent>&) {
    const auto who = shared->command.who;
    const auto send_plainly = [*this, shared, source, who, done] {
      const bool may_be_new = shared->command.message.task_id.empty();
      take(std::move(shared->command), may_be_new ? source->live() : nullptr, shared,
           [*this, source, who, done](const result<sent>& taken) {
             if (!taken)
               return done(taken.error());
             if (taken->answer || taken->repeated)
               return show_again(who, source, taken, done);
             if (!taken->created)
               return open(taken->task, who, source,
                           [done, before = taken->status_before](result<stream_start> begun) {
                             if (begun)
                               begun->status_before = before;
                             done(std::move(begun));
                           });
             source->follow(make_task_source(records_, taken->task, who));
             done(stream_start{
                 .task = taken->task, .source = source, .objective = nullptr, .answer = nullptr});
           });
    };
    if (asked.answer)
      return answer_directly(shared, std::move(asked.answer),
                             [*this, who, source, done](const result<sent>& answered) {
                               show_again(who, source, answered, done);
                             });
    if (asked.known)
      return show_again(who, source, *asked.known, done);
    if (asked.plan)
      return join(shared, std::move(*asked.plan),
                  [*this, shared, source, who, done, send_plainly](const result<sent>& joined) {
                    if (has_just_ended(joined, *shared))
                      return send_plainly();
                    if (!joined)
                      return done(joined.error());
                    open(joined->task, who, source, done);
                  });
    const auto open_root = [*this, source, who, done](const result<objective_ptr>& made) {
      if (!made)
        return done(made.error());
      open((*made)->root_task, who, source, [objective = *made, done](result<stream_start> begun) {
        if (begun)
          begun->objective = objective;
        else if (is_not_found(begun.error().code))
          begun = gone_at_once(objective->root_task.str());
        done(std::move(begun));
      });
    };
    if (asked.objective && asked.is_to_be_planned)
      return plan_for(shared, std::move(*asked.objective), open_root);
    if (asked.objective)
      return create_for(shared, std::move(*asked.objective), open_root);
    send_plainly();
  };
  auto again = with_push_again(shared, [*this, sender, source, done](const result<sent>& known) {
    show_again(sender, source, known, done);
  });
  gateway_.send_once(std::move(shared->command), std::move(again),
                     [*this, shared, begin, done](send_message first, const reply<sent>&) {
                       shared->command = std::move(first);
                       prepare(
                           shared, [done](const result<sent>& refused) { done(refused.error()); },
                           begin);
                     });
}

void service::show_again(const principal& who, std::shared_ptr<feed> source,
                         const result<sent>& known, reply<stream_start> done) const {
  if (!known)
    return done(known.error());
  if (known->answer)
    return done(
        stream_start{.task = {}, .source = nullptr, .objective = nullptr, .answer = known->answer});
  if (known->objective.empty())
    return open(known->task, who, std::move(source), std::move(done));
  records_.read_objective(
      known->objective, [*this, task = known->task, who, source = std::move(source),
                         done = std::move(done)](const result<objective_ptr>& found) {
        if (!found)
          return done(found.error());
        open(task, who, source, [objective = *found, done](result<stream_start> begun) {
          if (begun)
            begun->objective = objective;
          done(std::move(begun));
        });
      });
}

} // namespace troupe
