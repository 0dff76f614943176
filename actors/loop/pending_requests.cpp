#include "actors/loop/pending_requests.hpp"

#include <utility>

namespace troupe {

namespace {

// A number: 16 bits of table, 24 of use, 24 of index.
constexpr unsigned part_bits = 24;
constexpr std::uint32_t part_mask = (1U << part_bits) - 1;

constexpr std::uint32_t index_of(request_number number) noexcept {
  return static_cast<std::uint32_t>(number) & part_mask;
}

} // namespace

request_number pending_requests::number_of(std::uint32_t index) const noexcept {
  return (request_number{table_} << (2 * part_bits))
         | (request_number{entries_[index].use} << part_bits) | index;
}

request_number pending_requests::add(pending_request& who) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back();
  }
  const auto index = free_.back();
  free_.pop_back();
  entries_[index].who = &who;
  ++size_;
  return number_of(index);
}

void pending_requests::replace(request_number number, pending_request& who) noexcept {
  if (find(number) != nullptr)
    entries_[index_of(number)].who = &who;
}

void pending_requests::forget(request_number number) noexcept {
  if (find(number) == nullptr)
    return;
  auto& at = entries_[index_of(number)];
  const auto ended = std::exchange(at.source, nullptr);
  at.who = nullptr;
  at.use = (at.use + 1) & part_mask;
  free_.push_back(index_of(number)); // has room: it was taken from there
  --size_;
}

void pending_requests::own(request_number number, std::shared_ptr<feed> source) noexcept {
  if (find(number) != nullptr)
    entries_[index_of(number)].source = std::move(source);
}

feed* pending_requests::feed_of(request_number number) const noexcept {
  return find(number) == nullptr ? nullptr : entries_[index_of(number)].source.get();
}

pending_request* pending_requests::find(request_number number) const noexcept {
  const auto index = index_of(number);
  if (index >= entries_.size() || number_of(index) != number)
    return nullptr;
  return entries_[index].who;
}

template<std::predicate<const pending_requests::entry&> Chosen>
void pending_requests::fail(Chosen is_chosen, const error& reason) {
  // The numbers are copied, because a request that is told may add requests, or end and forget
  // others.
  std::vector<request_number> numbers;
  for (std::uint32_t index = 0; index < entries_.size(); ++index)
    if (entries_[index].who != nullptr && is_chosen(entries_[index]))
      numbers.push_back(number_of(index));
  for (const auto number : numbers)
    if (auto* who = find(number)) {
      forget(number);
      who->on_failure(reason);
    }
}

void pending_requests::fail_all(const error& reason) {
  fail([](const entry&) { return true; }, reason);
}

void pending_requests::fail_feeds_of(const principal& who, const error& reason) {
  fail(
      [owner = owner_of(who)](const entry& each) {
        const auto* reader = each.source ? each.source->reader() : nullptr;
        return reader != nullptr && owns(*reader, owner);
      },
      reason);
}

} // namespace troupe
