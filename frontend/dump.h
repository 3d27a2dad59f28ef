// The stages of a compilation as files, for people.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "frontend/program.h"
#include "ir/graph/graph.h"

namespace gnomon {

/// The folder of one compilation: named for the function, or by the key of its code, in that of
/// GNOMON_DUMP; none without that variable. DeviceError: it cannot be made.
std::optional<std::filesystem::path> dump_folder_of(const std::string& function,
                                                    const std::string& key);
/// Writes the captured graph and the texts of the other stages. DeviceError: it cannot.
void dump(const std::filesystem::path& folder, const Graph& captured, const StageTexts& texts);

}  // namespace gnomon
