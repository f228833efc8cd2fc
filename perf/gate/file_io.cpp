#include "file_io.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace selectors::gate {
namespace {

[[noreturn]] void fail(const char* what, const std::filesystem::path& path, int error) {
  throw std::filesystem::filesystem_error(what, path, std::error_code(error, std::generic_category()));
}

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
}

}  // namespace

std::optional<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes,
                                     problems& out) {
  const auto refuse = [&](std::string message) {
    out.push_back({path.string(), 0, 0, {}, "E_IO", std::move(message)});
    return std::nullopt;
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return refuse("no such file");
  if (!std::filesystem::is_regular_file(status)) return refuse("expected a regular file");
  const auto size = std::filesystem::file_size(path, error);
  if (size > max_bytes) return refuse(fmt::format("{} bytes, expected at most {}", size, max_bytes));
  std::ifstream in(path, std::ios::binary);
  if (!in) return refuse("cannot be opened for reading: " + std::generic_category().message(errno));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  auto temporary = path;
  temporary += fmt::format(".{}.tmp", ::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) fail("cannot write", path, errno);
  const int error = write_all(fd, text);
  ::close(fd);
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int reason = error != 0 ? error : errno;
  ::unlink(temporary.c_str());
  fail("cannot write", path, reason);
}

}  // namespace selectors::gate
