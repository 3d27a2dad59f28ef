// Prints the functions of a library as Python's.
#include "frontend/export/python_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/text/spell.h"
#include "frontend/export/header_text.h"

namespace gnomon {

namespace {

constexpr std::string_view keywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

// A tuple of parts.
std::string tuple_of(const std::vector<std::string>& parts) {
  return fmt::format("({}{})", fmt::join(parts, ", "), parts.size() == 1 ? "," : "");
}

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", text); }

// Names of Python beside those of the user.
class PythonNames {
 public:
  std::string fresh(std::string_view wish) {
    return names_.fresh(is_python_keyword(wish) ? fmt::format("{}_", wish) : std::string(wish));
  }

 private:
  Names names_;
};

// What follows the name of the library in that of the function; `run` for that of its name.
std::string name_in(const Interface& library, const InterfaceFunction& f) {
  return f.prefix == library.name ? "run" : f.prefix.substr(library.name.size() + 1);
}

std::string argument_text(const InterfaceArray& a, const std::vector<std::string>& open) {
  std::vector<std::string> extents;
  for (std::size_t i = 0; i < a.extents.size(); ++i) {
    const std::string& extent = a.extents[i];
    const bool is_open = std::ranges::find(open, extent) != open.end();
    const bool is_number = extent.find_first_not_of("0123456789") == std::string::npos;
    extents.push_back(is_open ? in_quotes(extent) : is_number ? extent : in_quotes(a.needed[i]));
  }
  return tuple_of({in_quotes(a.name), in_quotes(name_of(a.dtype)), tuple_of(extents)});
}

std::string result_text(const InterfaceArray& r) {
  return tuple_of({in_quotes(r.name), in_quotes(name_of(r.dtype)), std::to_string(r.extents.size()),
                   r.late ? "True" : "False"});
}

std::string function_text(const InterfaceFunction& f, const std::string& name,
                          const std::string& state, bool reads) {
  std::vector<std::string> parameters, values, arguments, results, fields;
  PythonNames names, names_of_results;
  if (!f.variables.empty()) parameters = {"state_", "/"};
  for (const InterfaceArray& a : f.arguments) {
    values.push_back(names.fresh(a.name));
    parameters.push_back(values.back());
    arguments.push_back(argument_text(a, f.extents));
  }
  const std::string threads = names.fresh("threads");
  parameters.push_back(fmt::format("*, {}=1", threads));
  for (const InterfaceArray& r : f.results) {
    results.push_back(result_text(r));
    fields.push_back(in_quotes(names_of_results.fresh(r.name)));
  }
  std::vector<std::string> dims;
  for (const std::string& extent : f.extents) dims.push_back(in_quotes(extent));
  std::string text, made;
  if (f.results.size() > 1) {
    text = fmt::format("\n_{0}_results = _collections.namedtuple(\"_{0}_results\", {1})\n", name,
                       tuple_of(fields));
    made = fmt::format(", made=_{}_results", name);
  }
  if (reads) made += ", reads=True";
  return text +
         fmt::format(
             "\n_{0} = _calls.Function(\n    _library, {1}, {2},\n    {3},\n    {4}{5}{6},\n)\n\n\n"
             "def {0}({7}):\n    \"\"\"{8}{9}\"\"\"\n    return _{0}({10}, {11}{12})\n\n",
             name, in_quotes(f.prefix), tuple_of(dims), tuple_of(arguments), tuple_of(results),
             f.variables.empty() ? "" : fmt::format(", state={}", state), made,
             fmt::join(parameters, ", "), name, signature_text(f), tuple_of(values), threads,
             f.variables.empty() ? "" : ", state_");
}

std::string state_text(const Interface& library, const std::string& name) {
  std::vector<std::string> variables, texts;
  for (const InterfaceArray& v : library.state) {
    variables.push_back(
        tuple_of({in_quotes(v.name), in_quotes(name_of(v.dtype)), tuple_of(v.extents)}));
    texts.push_back(v.text());
  }
  return fmt::format(
      "\n\nclass {}(_calls.State):\n"
      "    \"\"\"The variables of the functions, at first as they were when the library was made:\n"
      "    {}\"\"\"\n\n    _library = _library\n    _variables = {}\n\n",
      name, fmt::join(texts, ", "), tuple_of(variables));
}

}  // namespace

bool is_python_keyword(std::string_view word) {
  return std::ranges::find(keywords, word) != std::end(keywords);
}

std::string python_text(const Interface& library) {
  PythonNames names;
  std::vector<std::string> functions, all;
  for (const InterfaceFunction& f : library.functions) {
    functions.push_back(names.fresh(name_in(library, f)));
    all.push_back(in_quotes(functions.back()));
  }
  std::string text = fmt::format("\"\"\"{}: functions that Gnomon compiled.\n\n", library.name);
  for (std::size_t i = 0; i < functions.size(); ++i)
    text += fmt::format("    {}{}\n", functions[i], signature_text(library.functions[i]));
  text += "\"\"\"\n\nimport collections as _collections\n\nfrom . import _calls\n\n";
  std::string body = fmt::format("_library = _calls.Library({}{})\n", in_quotes(library.name),
                                 library.has_weights_file ? ", has_weights=True" : "");
  std::string state;
  if (!library.state.empty()) {
    state = names.fresh("State");
    all.push_back(in_quotes(state));
    body += state_text(library, state);
  }
  for (std::size_t i = 0; i < functions.size(); ++i)
    body += function_text(library.functions[i], functions[i], state,
                          library.functions[i].reads(library));
  return text + fmt::format("__all__ = [{}]\n\n", fmt::join(all, ", ")) + body;
}

}  // namespace gnomon
