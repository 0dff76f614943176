// A sequence that shares its unchanged parts with its copies. A copy costs almost nothing. Changing
// an element copies its chunk, if a copy of the sequence has that chunk, too. For the tasks of
// plans: a view, a snapshot and an actor may each hold a version.
#pragma once

#include <troupe/protocol/unshared.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace troupe {

/// Two levels of chunks below a short list: with 100,000 elements a copy copies 25 pointers, a
/// change at most 64 pointers and 64 elements. A value like std::vector; copies may be used on
/// other threads.
template<class T>
class chunked {
public:
  using value_type = T;

  class const_iterator {
  public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    const_iterator() = default;
    const_iterator(const chunked* of, std::size_t at) : of_(of), at_(at) {}

    reference operator*() const { return (*of_)[at_]; }
    pointer operator->() const { return &(*of_)[at_]; }
    reference operator[](difference_type by) const { return *(*this + by); }
    const_iterator& operator++() { return *this += 1; }
    const_iterator& operator--() { return *this -= 1; }
    const_iterator operator++(int) { return std::exchange(*this, *this + 1); }
    const_iterator operator--(int) { return std::exchange(*this, *this - 1); }
    const_iterator& operator+=(difference_type by) {
      at_ += static_cast<std::size_t>(by); // Wraps around below zero, as unsigned addition does.
      return *this;
    }
    const_iterator& operator-=(difference_type by) { return *this += -by; }
    friend const_iterator operator+(const_iterator at, difference_type by) { return at += by; }
    friend const_iterator operator+(difference_type by, const_iterator at) { return at += by; }
    friend const_iterator operator-(const_iterator at, difference_type by) { return at -= by; }
    friend difference_type operator-(const const_iterator& a, const const_iterator& b) {
      return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
    }
    friend bool operator==(const const_iterator& a, const const_iterator& b) {
      return a.at_ == b.at_;
    }
    friend std::strong_ordering operator<=>(const const_iterator& a, const const_iterator& b) {
      return a.at_ <=> b.at_;
    }

  private:
    const chunked* of_ = nullptr;
    std::size_t at_ = 0;
  };
  using iterator = const_iterator;

  chunked() = default;
  chunked(std::initializer_list<T> items) : chunked(std::vector<T>(items)) {}
  chunked(std::vector<T> items) { // NOLINT(google-explicit-constructor)
    grow(items.size(), [&](leaf& last, std::size_t count) {
      const auto next = items.begin() + static_cast<std::ptrdiff_t>(size_);
      last.insert(last.end(), std::make_move_iterator(next),
                  std::make_move_iterator(next + static_cast<std::ptrdiff_t>(count)));
    });
  }
  chunked(const chunked&) = default;
  chunked(chunked&& other) noexcept
      : branches_(std::move(other.branches_)), size_(std::exchange(other.size_, 0)) {
    other.branches_.clear();
  }
  chunked& operator=(const chunked&) = default;
  chunked& operator=(chunked&& other) noexcept {
    branches_ = std::exchange(other.branches_, {});
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~chunked() = default;

  // -- reading ------------------------------------------------------------------------------------

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  const T& operator[](std::size_t at) const {
    return (*(*branches_[at / branch_size])[at / leaf_size % fanout])[at % leaf_size];
  }
  [[nodiscard]] const T& front() const { return (*this)[0]; }
  [[nodiscard]] const T& back() const { return (*this)[size_ - 1]; }
  [[nodiscard]] const_iterator begin() const { return {this, 0}; }
  [[nodiscard]] const_iterator end() const { return {this, size_}; }

  // -- changing -----------------------------------------------------------------------------------
  // A reference from here is good until the next change or copy of the sequence.

  /// To change one element.
  [[nodiscard]] T& edit(std::size_t at) {
    return unshared(unshared(branches_[at / branch_size])[at / leaf_size % fanout])[at % leaf_size];
  }
  [[nodiscard]] T& edit_back() { return edit(size_ - 1); }

  T& push_back(T item) {
    auto& items = last_leaf();
    items.push_back(std::move(item));
    ++size_;
    return items.back();
  }
  template<class... Args>
  T& emplace_back(Args&&... args) {
    return push_back(T{std::forward<Args>(args)...});
  }
  /// Grows by copies of `item`; never shrinks.
  void resize(std::size_t size, const T& item = T{}) {
    grow(size, [&](leaf& last, std::size_t count) { last.insert(last.end(), count, item); });
  }
  void clear() noexcept {
    branches_.clear();
    size_ = 0;
  }

  friend bool operator==(const chunked& a, const chunked& b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }

  // -- counts -------------------------------------------------------------------------------------

  /// How many of its chunks, of both levels, `other` has as well.
  [[nodiscard]] std::size_t chunks_shared_with(const chunked& other) const {
    std::size_t shared = 0;
    for (std::size_t b = 0; b < std::min(branches_.size(), other.branches_.size()); ++b) {
      const auto& mine = *branches_[b];
      const auto& theirs = *other.branches_[b];
      shared += branches_[b] == other.branches_[b] ? 1 : 0;
      for (std::size_t l = 0; l < std::min(mine.size(), theirs.size()); ++l)
        shared += mine[l] == theirs[l] ? 1 : 0;
    }
    return shared;
  }
  [[nodiscard]] std::size_t chunks() const {
    std::size_t sum = branches_.size();
    for (const auto& each : branches_)
      sum += each->size();
    return sum;
  }

private:
  static constexpr std::size_t leaf_size = 64;
  static constexpr std::size_t fanout = 64;
  static constexpr std::size_t branch_size = leaf_size * fanout;

  using leaf = std::vector<T>;
  using branch = std::vector<std::shared_ptr<leaf>>;

  /// The one that takes the next element.
  leaf& last_leaf() {
    if (size_ % branch_size == 0)
      branches_.push_back(std::make_shared<branch>());
    auto& last = unshared(branches_.back());
    if (size_ % leaf_size == 0)
      last.push_back(std::make_shared<leaf>());
    return unshared(last.back());
  }

  /// A leaf at a time; `add(leaf, count)` adds the elements.
  template<class Add>
  void grow(std::size_t size, Add add) {
    while (size_ < size) {
      auto& last = last_leaf();
      const auto count = std::min(size - size_, leaf_size - size_ % leaf_size);
      add(last, count);
      size_ += count;
    }
  }

  std::vector<std::shared_ptr<branch>> branches_;
  std::size_t size_ = 0;
};

} // namespace troupe
