// The source of a feed of questions: every change that is about one, of all tasks, from now on. Its
// reader takes from it which questions changed, and reads each as it then stands. Nothing of the
// past is kept: a reader that was too slow begins again, with a list of the open questions.
#pragma once

#include "actors/feed/source.hpp"
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/task_life.hpp>

#include <string>
#include <vector>

namespace troupe {

/// Which questions are watched.
struct question_filter {
  std::string context; ///< An objective's id, or the contextId of lone tasks. Empty: any.
  task_id task;        ///< Empty: any.
};

/// Of all owners: the reader finds out what `reader` may see. `records` outlives it.
[[nodiscard]] feed_source_ptr make_question_source(store& records, question_filter which,
                                                   principal reader = {});

/// The questions that the change opens, claims, releases, answers, withdraws, lets expire or
/// reminds of, in their order.
[[nodiscard]] std::vector<question_address> questions_in(const change& news);

} // namespace troupe
