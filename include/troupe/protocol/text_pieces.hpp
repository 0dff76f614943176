// A long text that is made while it is read. Its reader takes it in pieces, so that the whole is
// never in memory. Agents read large inputs in this way.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// Texts and sources of text, one after the other. It has one reader and is read once: it can be
/// moved, not copied.
class text_pieces {
public:
  /// Adds what comes next, a few KiB at most, and says whether it has more. It may add sources.
  using source = std::function<bool(text_pieces& out)>;

  text_pieces() = default;
  text_pieces(std::string text) : end_(std::move(text)) {} // NOLINT(google-explicit-constructor)
  text_pieces(text_pieces&&) = default;
  text_pieces& operator=(text_pieces&&) = default;
  text_pieces(const text_pieces&) = delete;
  text_pieces& operator=(const text_pieces&) = delete;
  ~text_pieces() = default;

  // -- making -------------------------------------------------------------------------------------

  /// Text may be appended to this string until a source or another text is added.
  [[nodiscard]] std::string& end() noexcept { return end_; }
  /// `text` outlives the pieces (see `keep`) and is not copied.
  void add_borrowed(std::string_view text);
  /// Called while the pieces are read, on the reader's thread, until it has no more.
  void add_source(source next);
  void add(text_pieces&& other);
  /// Keeps `owner`, of which texts and sources borrow.
  void keep(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }

  // -- reading ------------------------------------------------------------------------------------

  /// The next piece, exactly `bytes_max` bytes long (at least 1) unless it is the last one; empty:
  /// nothing is left. A piece may end within a character.
  [[nodiscard]] std::string next(std::size_t bytes_max);
  /// All that is left.
  [[nodiscard]] std::string rest();
  /// Bytes of text that is made and not read yet, and of the list of what follows; without what is
  /// borrowed.
  [[nodiscard]] std::size_t bytes_held() const noexcept;

private:
  struct segment {
    std::string own;
    std::string_view borrowed; ///< Used if `own` is empty.
    source more;               ///< Null: it is one of the texts above.
    std::size_t read = 0;      ///< Of the text.
  };

  void close_end();
  /// Replaces the source in front by what it adds.
  void ask_source();

  std::deque<segment> segments_;
  std::string end_; ///< After the last segment.
  std::vector<std::shared_ptr<const void>> owners_;
};

} // namespace troupe
