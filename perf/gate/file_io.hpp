#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "problem.hpp"

namespace selectors::gate {

/// The whole file, or nothing and one E_IO problem (missing, unreadable, a folder, larger than `max_bytes`).
std::optional<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes, problems& out);

/// All or nothing: the text goes to a temporary file beside `path`, is flushed to disk, and renamed over it;
/// a reader sees the old content or the new one. Missing folders are created. Throws
/// std::filesystem::filesystem_error.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace selectors::gate
