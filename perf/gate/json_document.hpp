#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "problem.hpp"

namespace selectors::gate {

/// A strictly parsed JSON file that remembers where its parts stood, so that every later complaint can name
/// the line. Refused: empty files, byte order marks, comments, trailing bytes, NaN and Infinity, numbers that
/// overflow, duplicate keys (most parsers keep the last one silently), and nesting deeper than any of our
/// files needs.
class json_document {
 public:
  /// Nothing when there was a problem; every problem is appended to `out`.
  static std::optional<json_document> read(const std::filesystem::path& path, std::size_t max_bytes,
                                           problems& out);
  static std::optional<json_document> parse(std::string file, std::string text, problems& out);

  const nlohmann::json& root() const { return root_; }
  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }

  /// A problem at `path`, with the line and column of that member or of its nearest ancestor that has a
  /// place.
  problem complain(std::string path, std::string code, std::string message) const;

 private:
  friend class document_builder;

  std::string file_;
  std::string text_;
  nlohmann::json root_;
  std::map<std::string, std::size_t, std::less<>> offsets_;
};

}  // namespace selectors::gate
