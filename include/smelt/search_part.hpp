#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "smelt/search.hpp"
#include "smelt/space_file.hpp"

namespace smelt {

/// One shard's result, together with the space that it is a part of.
struct SearchPart {
  std::string file;     ///< how errors name it
  std::string version;  ///< of the program that wrote it
  std::string space_hash;
  SearchSpace space;
  Shard shard;
  SearchResult result;  ///< complete
};

/// A part as JSON lines: its head with the space, its hash and the counts; a line for each
/// candidate and each member of the front; at the end a line with the checksum of all text before
/// it.
std::string write_part(const SearchSpace& space, const Shard& shard, const SearchResult& result);

/// Throws InputError, naming the file, when it is no part or not the whole of one.
SearchPart read_part_file(const std::filesystem::path& path, const Presets& presets);

/// Throws InputError, naming the files, unless these are all parts of one space: of one program
/// version and one number of shards, each shard once.
void check_parts(const std::vector<SearchPart>& parts);

/// One line of a stream: a design's block, stack, dimensions, budgets, deviations and metrics.
void append_design_line(const SearchSpace& space, const std::vector<Stack>& stacks,
                        const SearchDesign& design, std::string& text);

}  // namespace smelt
