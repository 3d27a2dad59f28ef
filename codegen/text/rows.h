// What languages share of statements whose lanes are the rows of a matrix.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/text/kernel_writer.h"

namespace gnomon {

/// Where the row of the first lane starts, `stride` elements from row to row; where lanes are
/// threads, that of the thread.
std::string row_address(const KernelWriter& w, const Statement& s, const std::string& stride);

/// The array that read_rows fills.
void declare_rows(KernelWriter& w, const KernelOutline& outline, int i);

/// An array of the values that write_rows or update_rows stores, element k of all rows in one; its
/// name.
std::string rows_of_values(KernelWriter& w, const Statement& s);

}  // namespace gnomon
