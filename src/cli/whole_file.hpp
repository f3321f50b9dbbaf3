#pragma once

#include <string>
#include <string_view>

namespace smelt::cli {

/// A file that is written whole or not at all: the text goes to a temporary file beside the target,
/// which takes the target's place on commit(). A target that is no regular file (a device, a pipe)
/// is written at commit() instead.
class WholeFile {
 public:
  /// Throws InputError at the path when it cannot be written, as all members do.
  WholeFile(std::string path, std::string_view text);
  /// An empty file that append() fills; a target that is no regular file is written at once.
  explicit WholeFile(std::string path);
  WholeFile(WholeFile&& other) noexcept;
  WholeFile& operator=(WholeFile&&) = delete;
  /// Removes what was not committed.
  ~WholeFile();

  void append(std::string_view text);
  void commit();

 private:
  void close_file();

  std::string path_;       // as the user named it
  std::string target_;     // with symbolic links resolved
  std::string temporary_;  // "" once there is nothing to remove
  std::string text_;       // for a target that is no regular file
  int file_ = -1;          // open until commit, or until the text is written
};

}  // namespace smelt::cli
