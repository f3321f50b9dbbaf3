#include "cli/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "smelt/error.hpp"

namespace smelt::cli {
namespace {

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw InputError(path, std::string("cannot write: ") + std::strerror(error));
}

/// The file that `path` leads to, through symbolic links.
std::string resolved(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target.string();
}

/// Writes all of the text; 0 or an errno.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

WholeFile::WholeFile(std::string path) : path_(std::move(path)), target_(resolved(path_)) {
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) cannot_write(path_, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return;
  const std::string temporary = target_ + ".tmp" + std::to_string(::getpid());
  file_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) cannot_write(path_, errno);
  temporary_ = temporary;
  // A file keeps the permissions that it had; where that is not allowed, it gets a new file's.
  if (exists && ::fchmod(file_, status.st_mode & 07777U) != 0) errno = 0;
}

WholeFile::WholeFile(std::string path, std::string_view text) : WholeFile(std::move(path)) {
  if (temporary_.empty()) {
    text_ = text;
    return;
  }
  append(text);
  close_file();
}

WholeFile::WholeFile(WholeFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      text_(std::move(other.text_)),
      file_(std::exchange(other.file_, -1)) {}

WholeFile::~WholeFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void WholeFile::append(std::string_view text) {
  if (file_ < 0) file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file_ < 0) cannot_write(path_, errno);
  if (const int error = write_all(file_, text); error != 0) cannot_write(path_, error);
}

void WholeFile::close_file() {
  if (::close(std::exchange(file_, -1)) != 0) cannot_write(path_, errno);
}

void WholeFile::commit() {
  if (!text_.empty()) append(text_);
  if (file_ >= 0) close_file();
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) cannot_write(path_, errno);
  temporary_.clear();
}

}  // namespace smelt::cli
