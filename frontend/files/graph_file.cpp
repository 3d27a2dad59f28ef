// Writes and reads files of graphs: the lines before the text, and what the text is made of.
#include "frontend/files/graph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "frontend/configuration.h"
#include "frontend/files/description.h"
#include "frontend/files/graph_text.h"
#include "frontend/files/json.h"
#include "frontend/files/value_formats.h"
#include "ir/text/lexer.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_format = "1";
constexpr std::string_view first_words = "# gnomon graph, format ";
constexpr std::string_view writer_words = ", written by gnomon ";
constexpr std::string_view values_words = "# values: ";
constexpr std::string_view checksum_words = "# checksum: ";
constexpr std::string_view about_words = "# about: ";
constexpr std::size_t checksum_digits = 8;

std::string digits_of(std::uint32_t checksum) { return fmt::format("{:08x}", checksum); }

fs::path values_path(const fs::path& path, ValuesFormat values) {
  return fs::path(path).replace_extension(name_of(values));
}

std::string first_line() {
  return fmt::format("{}{}{}{}\n", first_words, file_format, writer_words, version());
}

// Of values with this checksum.
std::string line_of(std::string_view checksum, ValuesFormat format) {
  return fmt::format("{}{} {}\n", values_words, checksum, name_of(format));
}

std::string checksum_line(std::string_view text) {
  return fmt::format("{}{} (of what follows; delete it to edit)\n", checksum_words,
                     digits_of(crc32_of(text)));
}

// -------------------------------------------------------------------------------------- write

struct Written {
  std::string text;
  NamedArrays arrays;
};

// The description and the graph.
Written written(const SavedGraph& graph) {
  Description about;
  about.is_function = graph.is_function;
  about.structure = graph.structure;
  about.allow_downcast = graph.allow_downcast;
  about.options = graph.options;
  std::vector<Expr> inputs;
  for (const SavedInput& input : graph.inputs) {
    inputs.push_back(input.value);
    about.input_names.push_back(input.name);
  }
  std::vector<Output> outputs = graph.outputs;
  if (!graph.is_function)
    for (Output& o : outputs) {
      if (graph.structure == Structure::dict) about.keys.push_back(o.name);
      o.name.clear();
    }
  const ExportedGraph exported = export_graph(inputs, outputs, graph.updates);

  NamedArrays arrays;
  for (const Array& a : exported.graph.arrays)
    arrays.emplace_back(fmt::format("constant_{}", about.constants++), a);
  for (const SharedVariable& v : exported.shared) {
    arrays.emplace_back(fmt::format("shared_{}", about.shared.size()), v.variable().get());
    const std::span<const std::int64_t> shape = v.variable().shape();
    about.shared.push_back({v.variable().name(), {shape.begin(), shape.end()}});
  }
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    if (graph.inputs[i].default_value.defined())
      arrays.emplace_back(fmt::format("argument_{}", i), graph.inputs[i].default_value);
  return {fmt::format("{}{}\n{}", about_words, text(about), exported.graph.text),
          std::move(arrays)};
}

// --------------------------------------------------------------------------------------- read

// Takes a line, without its end, off the front of a text.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// What a message shows of a word that may be of any length.
std::string shortened(std::string_view word) {
  constexpr std::size_t most = 20;
  const std::string text = shown_text(word.substr(0, most));
  return text.substr(1, text.size() - 2) + (word.size() > most ? "..." : "");
}
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// "# gnomon graph, format 1, written by gnomon 0.1.0"; older files do not say what wrote them.
void check_first_line(const InputFile& file, std::string_view line) {
  const std::string_view rest = line.substr(std::min(first_words.size(), line.size()));
  const std::string_view format = rest.substr(0, rest.find(','));
  if (!line.starts_with(first_words) || format.empty() || !std::ranges::all_of(format, is_digit))
    file.reject("expected '# gnomon graph, format ...' in the first line");
  if (format == file_format) return;
  std::string_view writer = rest.substr(format.size());
  const bool is_known = writer.starts_with(writer_words);
  if (is_known) writer.remove_prefix(writer_words.size());
  file.reject(
      fmt::format("the file has format {}, which Gnomon {} cannot read: it reads format {}; "
                  "{}",
                  shortened(format), version(), file_format,
                  is_known ? fmt::format("Gnomon {} wrote the file", shortened(writer))
                           : "the file does not say which version wrote it"));
}

// What the line of values tells: "6a3f01c2 npz". Older files name the one beside them, as
// "6a3f01c2 model.npz"; that has the graph's own name all the same.
struct ValuesLine {
  std::string checksum;
  ValuesFormat format;
};

std::optional<ValuesLine> values_line(std::string_view line) {
  std::string_view rest = line.substr(values_words.size());
  const std::string_view checksum = rest.substr(0, checksum_digits);
  if (checksum.size() < checksum_digits || !std::ranges::all_of(checksum, is_hex))
    return std::nullopt;
  rest.remove_prefix(checksum_digits);
  if (!rest.starts_with(' ') || rest.find('/') != std::string_view::npos) return std::nullopt;
  rest.remove_prefix(1);
  for (const ValuesFormat f : {ValuesFormat::npz, ValuesFormat::safetensors}) {
    const std::string end = fmt::format(".{}", name_of(f));
    if (rest == name_of(f) || (rest.size() > end.size() && rest.ends_with(end)))
      return ValuesLine{std::string(checksum), f};
  }
  return std::nullopt;
}

// The parts of a file. Its lines before the graph are comments of that.
struct FileParts {
  std::string bytes;
  std::optional<ValuesLine> values;
  NamedArrays arrays;
  std::string_view about;  // of `bytes`
  std::size_t lines = 0;   // before the graph
};

NamedArrays values_beside(const fs::path& path, const ValuesLine& told,
                          std::optional<std::int64_t> most_bytes) {
  const InputFile values(values_path(path, told.format),
                         fmt::format("load: the values of {} are missing", path.string()));
  if (digits_of(values.checksum()) != told.checksum)
    values.reject(
        fmt::format("not the values that {} was written with, or damaged", path.string()));
  return read_values(values, told.format, most_bytes);
}

// The arrays of a file by their names.
class Values {
 public:
  explicit Values(const NamedArrays& arrays) {
    for (const auto& [name, array] : arrays) arrays_.emplace(name, array);
  }
  const Array* find(const char* what, std::size_t i) const {
    const auto at = arrays_.find(fmt::format("{}_{}", what, i));
    return at == arrays_.end() ? nullptr : &at->second;
  }
  const Array& at(const char* what, std::size_t i) const {
    if (const Array* const found = find(what, i)) return *found;
    throw ValueError(fmt::format("the file has no values {}_{}", what, i));
  }

 private:
  std::unordered_map<std::string_view, Array> arrays_;
};

std::vector<SharedVariable> variables_of(const Description& about, const Values& values) {
  std::vector<SharedVariable> variables;
  for (const SharedDescription& v : about.shared) {
    const Array& value = values.at("shared", variables.size());
    if (value.shape().size() != v.shape.size())
      throw ValueError(fmt::format("shared: expected {} extents in shape, found {}",
                                   value.shape().size(), v.shape.size()));
    variables.push_back(shared(value, v.name, v.shape));
  }
  return variables;
}

// Whether the parts that are told apart belong together.
void check_numbers(const Description& about, const ImportedGraph& graph) {
  const std::size_t outputs = graph.outputs.size();
  const auto expect = [](std::size_t count, const char* what, std::size_t found) {
    if (count != found)
      throw ValueError(
          fmt::format("the description is of {} {}, the graph has {}", count, what, found));
  };
  if (about.is_function) expect(about.input_names.size(), "inputs", graph.inputs.size());
  if (about.structure == Structure::none) expect(0, "outputs", outputs);
  if (about.structure == Structure::one) expect(1, "outputs", outputs);
  if (!about.is_function && about.structure == Structure::dict)
    expect(about.keys.size(), "outputs", outputs);
}

Description description_of(std::string_view about_line) {
  if (!about_line.starts_with(about_words))
    throw ValueError("expected a line that begins with '# about: ' before the graph");
  return parse_description(about_line.substr(about_words.size()));
}

std::vector<Array> constants_of(const Description& about, const Values& values) {
  std::vector<Array> constants;
  for (std::int64_t i = 0; i < about.constants; ++i)
    constants.push_back(values.at("constant", static_cast<std::size_t>(i)));
  return constants;
}

// The graph that the parts of a file stand for.
SavedGraph rebuilt(const FileParts& parts) {
  const Description about = description_of(parts.about);
  const Values values(parts.arrays);
  // With the lines before it, so that errors tell lines of the file.
  ImportedGraph imported =
      import_graph(parts.bytes, constants_of(about, values), variables_of(about, values));
  check_numbers(about, imported);

  SavedGraph graph{about.is_function, about.structure, {}, {}, {}, about.allow_downcast, {}, {}};
  for (std::size_t i = 0; i < imported.inputs.size(); ++i) {
    SavedInput input{imported.inputs[i]};
    if (about.is_function) input.name = about.input_names[i];
    if (const Array* const a = values.find("argument", i)) input.default_value = *a;
    graph.inputs.push_back(std::move(input));
  }
  graph.outputs = std::move(imported.outputs);
  for (std::size_t i = 0; i < about.keys.size() && i < graph.outputs.size(); ++i)
    graph.outputs[i].name = about.keys[i];
  graph.updates = std::move(imported.updates);
  graph.options = about.options;
  return graph;
}

FileParts parts_of(const fs::path& path, const InputFile& file,
                   std::optional<std::int64_t> most_bytes) {
  FileParts parts;
  parts.bytes = file.text(0, file.size());
  if (!is_utf8(parts.bytes)) file.reject("expected text, found other bytes");
  std::string_view text = parts.bytes;
  check_first_line(file, take_line(text));
  if (text.starts_with(values_words)) {
    const std::string_view line = take_line(text);
    parts.values = values_line(line);
    if (!parts.values)
      file.reject(fmt::format("expected a checksum and a format of values, found {}",
                              shown_text(line.substr(2))));
    parts.arrays = values_beside(path, *parts.values, most_bytes);
  }
  if (text.starts_with(checksum_words)) {
    const std::string_view line = take_line(text);
    if (line.substr(checksum_words.size(), checksum_digits) != digits_of(crc32_of(text)))
      file.reject("the text is damaged or incomplete (its checksum differs)");
  }
  parts.about = take_line(text);
  const std::string_view head =
      std::string_view(parts.bytes).substr(0, parts.bytes.size() - text.size());
  parts.lines = static_cast<std::size_t>(std::ranges::count(head, '\n'));
  return parts;
}

// What `make` makes of the parts of a file, whose errors then name it.
template <class Make>
auto checked(const InputFile& file, const Make& make) {
  try {
    return make();
  } catch (const ValueError& error) {
    file.reject(error.what());
  } catch (const TypeError& error) {
    file.reject(error.what());
  }
}

}  // namespace

std::vector<Expr> inputs_of(const SavedGraph& graph) {
  std::vector<Expr> inputs;
  for (const SavedInput& input : graph.inputs) inputs.push_back(input.value);
  return inputs;
}

void write_graph(const std::string& path, const SavedGraph& graph, ValuesFormat values) {
  const Written parts = written(graph);
  std::string head = first_line();
  if (!parts.arrays.empty()) {
    OutputFile beside(values_path(path, values));
    write_values(beside, values, parts.arrays);
    beside.finish();
    head += line_of(digits_of(beside.checksum()), values);
  }
  head += checksum_line(parts.text);
  OutputFile file(path);
  file.write(head);
  file.write(parts.text);
  file.finish();
}

SavedGraph read_graph(const std::string& path, std::optional<std::int64_t> most_bytes) {
  const InputFile file(path);
  const FileParts parts = parts_of(path, file, most_bytes);
  return checked(file, [&] {
    SavedGraph graph = rebuilt(parts);
    if (parts.values) graph.values = values_path(path, parts.values->format);
    return graph;
  });
}

std::string canonical_text(const std::string& path) {
  const InputFile file(path);
  const FileParts parts = parts_of(path, file, {});
  return checked(file, [&] {
    rebuilt(parts);  // whatever it finds wrong
    const Description about = description_of(parts.about);
    const std::string text =
        fmt::format("{}{}\n{}", about_words, gnomon::text(about),
                    laid_out(parts.bytes, parts.lines, constants_of(about, Values(parts.arrays))));
    std::string head = parts.bytes.substr(0, parts.bytes.find('\n') + 1);
    if (parts.values) head += line_of(parts.values->checksum, parts.values->format);
    return head + checksum_line(text) + text;
  });
}

}  // namespace gnomon
