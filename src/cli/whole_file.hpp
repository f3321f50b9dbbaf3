#pragma once

#include <string>
#include <string_view>

namespace smelt::cli {

/// A file that is written whole or not at all: the text goes to a temporary file beside the target,
/// which takes the target's place on commit(). A target that is no regular file (a device, a pipe)
/// is written at commit() instead.
class WholeFile {
 public:
  /// Throws InputError at the path when it cannot be written.
  WholeFile(std::string path, std::string_view text);
  WholeFile(WholeFile&& other) noexcept;
  WholeFile& operator=(WholeFile&&) = delete;
  /// Removes what was not committed.
  ~WholeFile();

  void commit();

 private:
  std::string path_;       // as the user named it
  std::string target_;     // with symbolic links resolved
  std::string temporary_;  // "" once there is nothing to remove
  std::string text_;       // for a target that is no regular file
};

}  // namespace smelt::cli
