// What the service connects to an object: a feed, or a folded one. The service only begins it; how
// it is read is the reader's matter.
#pragma once

#include "actors/feed/source.hpp"
#include <troupe/store/store.hpp>

#include <memory>

namespace troupe {

class any_feed {
public:
  any_feed() = default;
  /// Watches no more.
  virtual ~any_feed() = default;
  any_feed(const any_feed&) = delete;
  any_feed& operator=(const any_feed&) = delete;

  /// What may watch from an object's first change on (`gateway::send`, `gateway::create`).
  [[nodiscard]] virtual watcher_ptr live() const noexcept = 0;
  /// Begins with a snapshot that the source gave before, with `live` watching since.
  virtual void open(feed_source_ptr from, feed_snapshot now) = 0;
  /// The same where `live` watches already, from the first change on: there is no snapshot.
  virtual void follow(feed_source_ptr from) = 0;
};

} // namespace troupe
