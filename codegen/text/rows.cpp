// Arrays of rows in the text of a kernel.
#include "codegen/text/rows.h"

#include <fmt/format.h>

namespace gnomon {

std::string row_address(const KernelWriter& w, const Statement& s, const std::string& stride) {
  const std::string at = w.plain(s.args[0]);
  return fmt::format("{}{} + {} * {}", w.buffer(s.buffer), at == "0" ? "" : " + " + at,
                     w.lane_index(), stride);
}

void declare_rows(KernelWriter& w, const KernelOutline& outline, int i) {
  const Statement& s = outline[i];
  w.include("rows.h");
  w.set_name(i, w.fresh(s.name.empty() ? w.buffer(s.buffer) + "_rows" : s.name));
  w.line(fmt::format("{} {}[{}];", w.type(s.dtype, true), w.name(i), s.extents[0]));
}

std::string rows_of_values(KernelWriter& w, const Statement& s) {
  w.include("rows.h");
  std::string values;
  for (std::size_t k = 1; k < s.args.size(); ++k)
    values += (k == 1 ? "" : ", ") + w.use(s.args[k], true);
  std::string rows = w.fresh(w.buffer(s.buffer) + "_rows");
  w.line(fmt::format("const {} {}[] = {{{}}};", w.type(s.dtype, true), rows, values));
  return rows;
}

}  // namespace gnomon
