// Who has claimed a question, and until when: others leave the answer to them, or say that they
// override the claim. In memory: a claim ends with the process.
//
// Thread-safe.
#pragma once

#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace troupe {

/// How long a claim lasts. Who needs longer claims again.
inline constexpr std::chrono::minutes claim_lease{5};

/// Claims at a time: about 16 MiB, with the longest names. Above it those that are over are
/// dropped; if none is, a claim is refused (errc::overloaded).
inline constexpr std::size_t claims_max = 10'000;

class claim_desk {
public:
  explicit claim_desk(std::function<timestamp()> now, std::size_t most = claims_max);
  claim_desk(const claim_desk&) = delete;
  claim_desk& operator=(const claim_desk&) = delete;

  /// `question`: its address. The claim lasts claim_lease, but not beyond `deadline`. Errors:
  /// input_claimed (somebody else has it, and `overrides` is false), overloaded.
  [[nodiscard]] result<input_claim> claim(const std::string& question, const std::string& by,
                                          std::optional<timestamp> deadline, bool overrides);
  /// Without a claim nothing changes. Errors: input_claimed.
  [[nodiscard]] result<void> release(const std::string& question, const std::string& by,
                                     bool overrides);
  /// Whether `by` may answer it. Errors: input_claimed.
  [[nodiscard]] result<void> admit(const std::string& question, const std::string& by,
                                   bool overrides) const;
  /// The claim that holds now.
  [[nodiscard]] std::optional<input_claim> find(const std::string& question) const;

private:
  [[nodiscard]] const input_claim* live(const std::string& question) const;
  [[nodiscard]] result<void> look(const std::string& question, const std::string& by,
                                  bool overrides) const;

  const std::function<timestamp()> now_;
  const std::size_t most_;
  mutable std::mutex guard_;
  std::unordered_map<std::string, input_claim> claims_;
};

} // namespace troupe
