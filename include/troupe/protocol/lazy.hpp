// A value that most of its owners do not have. If it is absent, it costs one pointer; copies are
// deep. For members of records of which a million may be alive at once.
#pragma once

#include <memory>
#include <utility>

namespace troupe {

template<class T>
class lazy {
public:
  lazy() = default;
  lazy(T value)
      : held_(std::make_unique<T>(std::move(value))) {} // NOLINT(google-explicit-constructor)
  lazy(const lazy& other) : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}
  lazy(lazy&&) noexcept = default;
  lazy& operator=(const lazy& other) {
    held_ = other.held_ ? std::make_unique<T>(*other.held_) : nullptr;
    return *this;
  }
  lazy& operator=(lazy&&) noexcept = default;
  ~lazy() = default;

  /// Whether there is one.
  explicit operator bool() const noexcept { return held_ != nullptr; }
  /// The value; a default one if there is none.
  [[nodiscard]] const T& get() const {
    static const T none{};
    return held_ ? *held_ : none;
  }
  const T* operator->() const { return &get(); }
  /// The value, to change it; makes it if there is none.
  [[nodiscard]] T& edit() {
    if (!held_)
      held_ = std::make_unique<T>();
    return *held_;
  }
  void reset() noexcept { held_.reset(); }

  friend bool operator==(const lazy& a, const lazy& b) {
    return a.held_ && b.held_ ? *a.held_ == *b.held_ : !a.held_ && !b.held_;
  }

private:
  std::unique_ptr<T> held_;
};

} // namespace troupe
