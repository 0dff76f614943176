#include "protocol/fold/change_rules.hpp"

#include <array>

namespace troupe {

namespace {

constexpr change_rule started{change_effect::refuse, errc::already_started};
constexpr change_rule ended{change_effect::refuse, errc::already_ended};
constexpr change_rule no_retry{change_effect::refuse, errc::nothing_to_retry};
constexpr change_rule failed{change_effect::refuse, errc::dependency_failed};
constexpr change_rule nothing{change_effect::nothing};
constexpr change_rule edit{change_effect::edit};
constexpr change_rule end{change_effect::end};
constexpr change_rule stop{change_effect::stop};
constexpr change_rule if_told{change_effect::stop_if_told};
constexpr change_rule renew{change_effect::renew};
constexpr change_rule hurry{change_effect::hurry};

// clang-format off
constexpr std::array<std::array<change_rule, task_stage_count>, change_kind_count> rules{{
    //              not_begun queued    backing_off working   asking    completed lost    skipped
    /* remove     */ {{end,      stop,     started,    started,  started,  ended,    ended,  ended}},
    /* edit       */ {{edit,     started,  started,    started,  started,  ended,    ended,  ended}},
    /* replace    */ {{edit,     started,  started,    started,  started,  ended,    renew,  renew}},
    /* skip       */ {{end,      stop,     stop,       if_told,  stop,     ended,    end,    nothing}},
    /* complete   */ {{end,      stop,     stop,       if_told,  stop,     ended,    renew,  renew}},
    /* retry      */ {{no_retry, no_retry, hurry,      no_retry, no_retry, ended,    renew,  renew}},
    /* depend     */ {{edit,     started,  started,    started,  started,  ended,    ended,  ended}},
    /* depends_on */ {{edit,     edit,     edit,       edit,     edit,     edit,     failed, edit}},
    /* free       */ {{edit,     started,  started,    started,  started,  ended,    ended,  ended}},
}};
// clang-format on

} // namespace

task_stage stage_of(const task_summary& summary, task_run run) noexcept {
  if (summary.state == task_state::completed)
    return task_stage::completed;
  if (summary.is_skipped)
    return task_stage::skipped;
  if (is_terminal(summary.state))
    return task_stage::lost;
  if (is_interrupted(summary.state))
    return task_stage::asking;
  if (run == task_run::backing_off)
    return task_stage::backing_off;
  if (summary.state != task_state::unspecified || run == task_run::running)
    return task_stage::working;
  return run == task_run::queued ? task_stage::queued : task_stage::not_begun;
}

change_rule rule_of(change_kind kind, task_stage stage) noexcept {
  return rules[static_cast<std::size_t>(kind)][static_cast<std::size_t>(stage)];
}

} // namespace troupe
