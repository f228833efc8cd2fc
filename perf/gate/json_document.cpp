#include "json_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>
#include <vector>

#include "file_io.hpp"

namespace selectors::gate {
namespace {

using json = nlohmann::json;

constexpr std::size_t max_depth = 32;

// Tells how far the parser has read: its events carry no position of their own.
class tracking_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  tracking_iterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  tracking_iterator& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  tracking_iterator operator++(int) {
    auto before = *this;
    ++*this;
    return before;
  }
  bool operator==(const tracking_iterator& other) const { return at_ == other.at_; }
  bool operator!=(const tracking_iterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

std::pair<std::size_t, std::size_t> line_and_column(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, std::min(offset, text.size()));
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const auto newline = before.rfind('\n');
  return {line, newline == std::string_view::npos ? before.size() + 1 : before.size() - newline};
}

std::string_view word_around(std::string_view text, std::size_t offset) {
  const auto in_word = [&](std::size_t i) {
    return std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '-' || text[i] == '+' ||
           text[i] == '.';
  };
  std::size_t first = std::min(offset, text.size() - 1);
  while (first > 0 && in_word(first) && in_word(first - 1)) --first;
  std::size_t last = first;
  while (last < text.size() && in_word(last)) ++last;
  return text.substr(first, last - first);
}

}  // namespace

// The event receiver that nlohmann's parser drives.
class document_builder {
 public:
  document_builder(json_document& document, problems& out)
      : document_(document), out_(out), furthest_(document.text_.data()) {}

  bool run() {
    const char* first = document_.text_.data();
    const char* last = first + document_.text_.size();
    return json::sax_parse(tracking_iterator(first, &furthest_), tracking_iterator(last, &furthest_), this) &&
           sound_;
  }

  bool null() { return put(json()); }
  bool boolean(bool value) { return put(json(value)); }
  bool number_integer(json::number_integer_t value) { return put(json(value)); }
  bool number_unsigned(json::number_unsigned_t value) { return put(json(value)); }
  bool number_float(json::number_float_t value, const std::string&) { return put(json(value)); }
  bool string(std::string& value) { return put(json(std::move(value))); }
  bool binary(json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(json::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    auto& top = stack_.back();
    const auto place = key_offset();
    const auto [first, fresh] = top.keys.emplace(name, place);
    if (!fresh) {
      const auto [line, column] = line_and_column(document_.text_, first->second);
      report(place, top.path + "." + name, "E_DUP_KEY",
             fmt::format("duplicate key \"{}\" (first at {}:{})", name, line, column));
    }
    top.key = std::move(name);
    document_.offsets_.emplace(top.path + "." + top.key, place);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception& error) {
    const auto place = position == 0 ? 0 : position - 1;
    const auto word = document_.text_.empty() ? std::string_view{} : word_around(document_.text_, place);
    if (word.find("NaN") != word.npos || word.find("Inf") != word.npos || word.find("nan") != word.npos) {
      report(place, {}, "E_PARSE", fmt::format("expected a finite number, got {}", word));
    } else if (dynamic_cast<const json::out_of_range*>(&error) != nullptr) {
      report(place, {}, "E_PARSE", fmt::format("expected a finite number, got {}", word));
    } else {
      const std::string_view text = error.what();
      const auto start = text.find(": ");
      report(place, {}, "E_PARSE", std::string(start == text.npos ? text : text.substr(start + 2)));
    }
    return false;
  }

 private:
  struct frame {
    json* value;
    std::string path;
    std::string key;
    std::map<std::string, std::size_t> keys;
  };

  std::size_t read_so_far() const { return static_cast<std::size_t>(furthest_ - document_.text_.data()); }

  // The parser has just read the key's closing quote; walk back to the opening one.
  std::size_t key_offset() const {
    const auto& text = document_.text_;
    std::size_t at = read_so_far() - 1;
    while (at > 0) {
      --at;
      std::size_t backslashes = 0;
      while (backslashes < at && text[at - 1 - backslashes] == '\\') ++backslashes;
      if (text[at] == '"' && backslashes % 2 == 0) break;
    }
    return at;
  }

  std::string next_path() const {
    if (stack_.empty()) return "$";
    const auto& top = stack_.back();
    return top.value->is_object() ? top.path + "." + top.key
                                  : fmt::format("{}[{}]", top.path, top.value->size());
  }

  json* place(json&& value) {
    if (stack_.empty()) {
      document_.root_ = std::move(value);
      return &document_.root_;
    }
    auto& parent = *stack_.back().value;
    if (parent.is_object()) return &(parent[stack_.back().key] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool put(json&& value) {
    place(std::move(value));
    return true;
  }

  bool open(json&& empty) {
    if (stack_.size() == max_depth) {
      report(read_so_far() - 1, {}, "E_PARSE", fmt::format("nested deeper than {} levels", max_depth));
      return false;
    }
    auto path = next_path();
    if (empty.is_object() || stack_.empty()) document_.offsets_.emplace(path, read_so_far() - 1);
    auto* value = place(std::move(empty));
    stack_.push_back({value, std::move(path), {}, {}});
    return true;
  }

  bool close() {
    stack_.pop_back();
    return true;
  }

  void report(std::size_t offset, std::string path, std::string code, std::string message) {
    const auto [line, column] = line_and_column(document_.text_, offset);
    out_.push_back({document_.file_, line, column, std::move(path), std::move(code), std::move(message)});
    sound_ = false;
  }

  json_document& document_;
  problems& out_;
  const char* furthest_;
  std::vector<frame> stack_;
  bool sound_ = true;
};

std::optional<json_document> json_document::read(const std::filesystem::path& path, std::size_t max_bytes,
                                                 problems& out) {
  auto text = read_file(path, max_bytes, out);
  if (!text) return std::nullopt;
  return parse(path.string(), std::move(*text), out);
}

std::optional<json_document> json_document::parse(std::string file, std::string text, problems& out) {
  json_document document;
  document.file_ = std::move(file);
  document.text_ = std::move(text);
  if (document.text_.empty()) {
    out.push_back({document.file_, 1, 1, {}, "E_PARSE", "the file is empty, expected a JSON object"});
    return std::nullopt;
  }
  if (document.text_.starts_with("\xEF\xBB\xBF")) {
    out.push_back(
        {document.file_, 1, 1, {}, "E_PARSE", "starts with a byte order mark; save it as plain UTF-8"});
    return std::nullopt;
  }
  if (!document_builder(document, out).run()) return std::nullopt;
  return document;
}

problem json_document::complain(std::string path, std::string code, std::string message) const {
  problem p{file_, 0, 0, path, std::move(code), std::move(message)};
  while (!path.empty()) {
    if (const auto found = offsets_.find(path); found != offsets_.end()) {
      std::tie(p.line, p.column) = line_and_column(text_, found->second);
      break;
    }
    const auto cut = path.find_last_of(".[");
    path.resize(cut == std::string::npos ? 0 : cut);
  }
  return p;
}

}  // namespace selectors::gate
