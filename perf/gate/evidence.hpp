#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "problem.hpp"
#include "reduce.hpp"

namespace selectors::gate {

/// The committed form of a reviewed run: small, and enough to replay any verdict without timing anything.
struct evidence {
  std::string profile;  ///< the machine-class profile it was proposed for
  reduction data;
};

inline constexpr std::size_t max_evidence_bytes = std::size_t{16} << 20;

/// Strict, like every reader here: nothing when there was a problem; all of them are appended.
std::optional<evidence> read_evidence(const std::filesystem::path& path, problems& out);

std::string evidence_text(const evidence& e);

}  // namespace selectors::gate
