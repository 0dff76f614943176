#include "protocol/artifact_chunks.hpp"

#include <algorithm>
#include <memory>
#include <variant>

namespace troupe {

namespace {

bool continues_text(const part& before, const part& next) noexcept {
  return std::holds_alternative<text_content>(before.content)
         && std::holds_alternative<text_content>(next.content)
         && before.media_type == next.media_type && before.filename == next.filename
         && before.metadata == next.metadata;
}

/// The one chunk that a change says; null if it says anything else.
const task_artifact* only_chunk(const change& of) noexcept {
  if (of.events.size() != 1)
    return nullptr;
  const auto* chunk = std::get_if<task_artifact>(&of.events.front());
  return chunk != nullptr && chunk->append && chunk->artifact ? chunk : nullptr;
}

} // namespace

void append_chunk(artifact& to, const artifact& chunk) {
  for (const auto& each : chunk.parts) {
    if (!to.parts.empty() && continues_text(to.parts.back(), each))
      std::get<text_content>(to.parts.back().content).text +=
          std::get<text_content>(each.content).text;
    else
      to.parts.push_back(each);
  }
  for (const auto& extension : chunk.extensions)
    if (std::find(to.extensions.begin(), to.extensions.end(), extension) == to.extensions.end())
      to.extensions.push_back(extension);
  for (const auto& member : chunk.metadata)
    to.metadata[member.key()] = member.value();
}

bool continues_chunk(const change& before, const change& next) noexcept {
  const auto* first = only_chunk(before);
  const auto* second = only_chunk(next);
  if (first == nullptr || second == nullptr || before.task.id != next.task.id)
    return false;
  const auto& a = *first->artifact;
  const auto& b = *second->artifact;
  return a.artifact_id == b.artifact_id && a.name == b.name && a.description == b.description
         && a.extensions == b.extensions && a.metadata == b.metadata;
}

change growing_chunk(const change& before) {
  auto out = before;
  auto& chunk = std::get<task_artifact>(out.events.front());
  chunk.artifact = std::make_shared<artifact>(*chunk.artifact);
  return out;
}

void join_chunk(change& grown, const change& next) {
  auto& first = std::get<task_artifact>(grown.events.front());
  const auto& second = std::get<task_artifact>(next.events.front());
  append_chunk(const_cast<artifact&>(*first.artifact), *second.artifact);
  first.last_chunk = second.last_chunk;
  grown.sequence = next.sequence;
  grown.at = next.at;
}

} // namespace troupe
