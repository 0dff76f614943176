#include "planner/order_words.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "planner/steps.hpp"

namespace troupe::planner {

namespace {

using enum word_class;

// clang-format off
constexpr auto phrase_table = std::to_array<phrase>({
    {"before", before}, {"prior to", before}, {"ahead of", before},
    {"after", after}, {"following", after}, {"subsequent to", after},
    {"once", once}, {"when", once}, {"as soon as", once},
    {"upon", upon},
    {"until", until}, {"till", until}, {"unless", until},

    {"precede", needed_for}, {"precedes", needed_for},
    {"come before", needed_for}, {"comes before", needed_for},
    {"prerequisite for", needed_for}, {"prerequisite of", needed_for}, {"prerequisites for", needed_for}, {"prerequisites of", needed_for},
    {"required for", needed_for}, {"required by", needed_for}, {"required before", needed_for},
    {"needed for", needed_for}, {"needed by", needed_for}, {"needed before", needed_for},
    {"followed by", needed_for},
    {"lead to", needed_for}, {"leads to", needed_for},
    {"unlock", needed_for}, {"unlocks", needed_for},
    {"enable", needed_for}, {"enables", needed_for},
    {"block", needed_for}, {"blocks", needed_for},
    {"trigger", needed_for}, {"triggers", needed_for},
    {"->", needed_for},

    {"depend on", needs}, {"depends on", needs}, {"dependent on", needs},
    {"rely on", needs}, {"relies on", needs},
    {"build on", needs}, {"builds on", needs},
    {"require", needs}, {"requires", needs},
    {"need", needs}, {"needs", needs},
    {"follow", needs}, {"follows", needs},
    {"wait for", needs}, {"waits for", needs},
    {"come after", needs}, {"comes after", needs},
    {"preceded by", needs}, {"blocked by", needs}, {"unlocked by", needs}, {"triggered by", needs},
    {"<-", needs},

    {"then", then}, {"next", then},

    {"in parallel", together}, {"at the same time", together}, {"at once", together}, {"together", together},
    {"simultaneously", together}, {"concurrently", together}, {"in any order", together}, {"in no particular order", together}, {"in no order", together},
    {"independent of each other", together}, {"independently of each other", together}, {"side by side", together}, {"all at once", together},
    {"while", during},
    {"in order", in_order}, {"in this order", in_order}, {"in that order", in_order}, {"in the given order", in_order},
    {"in sequence", in_order}, {"sequentially", in_order}, {"one after another", in_order}, {"one after the other", in_order},
    {"one by one", in_order}, {"one at a time", in_order}, {"step by step", in_order}, {"sequential", in_order},
    {"follow this order", in_order}, {"in the order given", in_order},

    {"must", must}, {"should", must}, {"shall", must}, {"has to", must}, {"have to", must},
    {"need to", must}, {"needs to", must}, {"ought to", must},
    {"may", may}, {"can", may}, {"could", may}, {"might", may}, {"allowed", may}, {"allowed to", may},
    {"only", only},
    {"cannot", must_not}, {"can not", must_not}, {"can't", must_not}, {"must not", must_not}, {"mustn't", must_not},
    {"should not", must_not}, {"shouldn't", must_not}, {"shall not", must_not}, {"may not", must_not}, {"will not", must_not},
    {"do not", must_not}, {"don't", must_not}, {"does not", must_not}, {"doesn't", must_not}, {"never", must_not},
    {"need not", need_not}, {"needn't", need_not}, {"no need", need_not}, {"no need to", need_not},
    {"do not have to", need_not}, {"don't have to", need_not}, {"does not have to", need_not}, {"doesn't have to", need_not},
    {"do not need", need_not}, {"don't need", need_not}, {"does not need", need_not}, {"doesn't need", need_not},
    {"do not need to", need_not}, {"don't need to", need_not}, {"does not need to", need_not}, {"doesn't need to", need_not},
    {"not necessary", need_not}, {"not required", need_not}, {"not needed", need_not},
    {"not required for", need_not}, {"not required by", need_not}, {"not required before", need_not},
    {"not needed for", need_not}, {"not needed by", need_not}, {"not needed before", need_not},

    {"start", start}, {"starts", start}, {"started", start}, {"starting", start},
    {"begin", start}, {"begins", start}, {"began", start}, {"begun", start}, {"beginning", start},
    {"commence", start}, {"commences", start}, {"commenced", start}, {"commencing", start},
    {"initiate", start}, {"initiates", start}, {"initiated", start}, {"initiating", start},
    // What goes on has begun and has not ended.
    {"is running", start}, {"are running", start}, {"was running", start}, {"were running", start}, {"be running", start}, {"been running", start},
    {"being running", start}, {"is being", start}, {"are being", start}, {"was being", start}, {"were being", start},
    {"is going", start}, {"are going", start}, {"was going", start}, {"were going", start}, {"be going", start}, {"been going", start},
    {"is executing", start}, {"are executing", start}, {"was executing", start}, {"were executing", start}, {"be executing", start},
    {"is happening", start}, {"are happening", start}, {"was happening", start}, {"were happening", start}, {"be happening", start},
    {"are doing", start}, {"were doing", start}, {"be doing", start},
    {"finish", end}, {"finishes", end}, {"finished", end}, {"finishing", end},
    {"complete", end}, {"completes", end}, {"completed", end}, {"completing", end}, {"completion", end},
    {"end", end}, {"ends", end}, {"ended", end}, {"ending", end}, {"done", end}, {"over", end}, {"ready", end},

    // What happens may have begun only: "when step 1 runs".
    {"do", goes_on}, {"does", goes_on}, {"doing", goes_on},
    {"run", goes_on}, {"runs", goes_on}, {"running", goes_on},
    {"execute", goes_on}, {"executes", goes_on}, {"executing", goes_on},
    {"perform", goes_on}, {"performs", goes_on}, {"performing", goes_on},
    {"carry out", goes_on}, {"carrying out", goes_on},
    {"happen", goes_on}, {"happens", goes_on}, {"happening", goes_on},
    {"occur", goes_on}, {"occurs", goes_on}, {"take place", goes_on}, {"takes place", goes_on},
    {"come", goes_on}, {"comes", goes_on}, {"go", goes_on}, {"goes", goes_on}, {"going", goes_on},
    {"proceed", goes_on}, {"proceeds", goes_on}, {"proceeding", goes_on}, {"advance", goes_on}, {"advancing", goes_on},
    {"move on", goes_on}, {"moving on", goes_on}, {"continue with", goes_on}, {"proceed with", goes_on},

    {"wait", word_class::wait}, {"wait with", word_class::wait}, {"hold off", word_class::wait}, {"hold off on", word_class::wait}, {"hold off with", word_class::wait},
    {"and", conjunction}, {"&", conjunction},
    {"all", every}, {"all steps", every}, {"all tasks", every}, {"all the steps", every}, {"all the tasks", every}, {"all of the steps", every},
    {"all of the tasks", every}, {"all of them", every}, {"everything", every}, {"these steps", every}, {"these tasks", every},
    {"the steps", every}, {"the tasks", every}, {"these", every},
    {"the following", every}, {"the following steps", every}, {"the following tasks", every},
    {"step", step}, {"steps", step}, {"task", step}, {"tasks", step},

    {"or", open}, {"either", open}, {"neither", open}, {"if", open}, {"in case", open}, {"in order to", open},
    {"without", open}, {"except", open}, {"instead of", open}, {"not", open}, {"no", open}, {"nor", open},

    {"a", filler}, {"an", filler}, {"the", filler}, {"both", filler}, {"that", filler}, {"of", filler}, {"to", filler},
    {"be", filler}, {"is", filler}, {"are", filler}, {"been", filler}, {"was", filler}, {"were", filler}, {"being", filler},
    {"has", filler}, {"have", filler}, {"had", filler}, {"having", filler},
    {"be run", filler}, {"been run", filler},
    {"be done", filler}, // "must be done": it must be carried out; "is done" is its end
    {"did", filler}, {"ran", filler}, {"executed", filler}, {"performed", filler}, {"carried out", filler},
    {"happened", filler}, {"occurred", filler},
    {"ensure", filler}, {"make sure", filler}, {"prioritize", filler}, {"prioritise", filler}, {"sequence", filler},
    {"please", filler}, {"also", filler}, {"will", filler}, {"first", filler}, {"firstly", filler}, {"you", filler}, {"we", filler},
});
// clang-format on

using row = std::pair<std::vector<std::string>, word_class>;

/// By their first word, the longest phrases first.
std::map<std::string, std::vector<row>, std::less<>> phrases_by_first_word() {
  std::map<std::string, std::vector<row>, std::less<>> out;
  for (const auto& each : phrase_table) {
    std::vector<std::string> words;
    for (auto& word : tokens_of(each.words))
      words.push_back(std::move(word.text));
    auto first = words.front();
    out[std::move(first)].emplace_back(std::move(words), each.meaning);
  }
  for (auto& [first, rows] : out)
    std::ranges::stable_sort(rows, std::ranges::greater{},
                             [](const row& each) { return each.first.size(); });
  return out;
}

} // namespace

std::span<const phrase> order_phrases() noexcept {
  return phrase_table;
}

std::optional<found_phrase> phrase_at(std::span<const token> words) {
  static const auto phrases = phrases_by_first_word();
  count_steps(1);
  if (words.empty())
    return std::nullopt;
  const auto found = phrases.find(words.front().text);
  if (found == phrases.end())
    return std::nullopt;
  for (const auto& [each, meaning] : found->second)
    if (each.size() <= words.size()
        && std::ranges::equal(each, words.first(each.size()), {}, {}, &token::text))
      return found_phrase{meaning, each.size()};
  return std::nullopt;
}

} // namespace troupe::planner
