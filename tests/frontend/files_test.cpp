// Files of functions: what comes back of them, what Python wrote, and what they may not say.
#include "frontend/configuration.h"
#include "frontend/files/file.h"
#include "frontend/files/graph_text.h"
#include "frontend/files/json.h"

#include <fmt/format.h>

#include <cerrno>
#include <string>
#include <vector>

#include "tests/support/file_support.h"

using namespace gnomon;
using namespace robust;
using gnomon::test::refused;
namespace fs = std::filesystem;

namespace {

// A function with a large constant, a shared variable that it updates, and a check of extents.
struct Model {
  Expr x = matrix("x");
  SharedVariable w = shared(full({3, 100}, 0.25), "w", {-1, 100});
  Array table = full({100}, 0.5);
  std::vector<Output> outputs = {{"y", sum(matmul(x, w) * Expr(table), 1)}, {"first", x(0)}};
  std::vector<Update> updates = {{w, w + 1.0}};

  Function compiled() const { return compile({x}, outputs, updates); }
  void save(const fs::path& path, ValuesFormat values = ValuesFormat::npz) const {
    CompileOptions options;
    options.name = "step";
    save_function(path, {x}, outputs, updates, options, values);
  }
};

const Array given = full({2, 3}, 2.0);

std::string damaged(const fs::path& path, const CompileOptions& options = {}) {
  try {
    load_function(path, options);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "nothing was refused";
}

// A file without arrays: a description and a graph.
std::string file_of(const std::string& about, const std::string& graph) {
  return "# gnomon graph, format 1\n# about: " + about + "\n" + graph;
}

const std::string exponential =
    "graph[n](x: f64[n]) {\n"
    "  %0 = param(index=0, dtype=f64, shape=[n]): f64[n]\n"
    "  %1 = exp(%0): f64[n]  # model.py:7\n"
    "  return %1\n}\n";

// The description of a function of one input, with parts in the place of others.
std::string about_with(const std::string& part = {}, const std::string& value = {}) {
  std::string about;
  for (const auto& [name, usual] :
       std::vector<std::pair<std::string, std::string>>{{"kind", R"("function")"},
                                                        {"name", "null"},
                                                        {"input_names", "[null]"},
                                                        {"donated", "[false]"},
                                                        {"structure", R"("one")"},
                                                        {"allow_downcast", "null"},
                                                        {"options", "{}"},
                                                        {"constants", "0"},
                                                        {"shared", "[]"}}) {
    if (name == part && value.empty()) continue;
    about +=
        fmt::format("{}\"{}\": {}", about.empty() ? "" : ", ", name, name == part ? value : usual);
  }
  return "{" + about + "}";
}

}  // namespace

TEST_CASE("a function comes back with its constants, its variables and its updates") {
  for (const ValuesFormat format : {ValuesFormat::npz, ValuesFormat::safetensors}) {
    const Folder f;
    const Model model;
    model.save(f.path / "m.gn", format);
    CHECK(fs::exists(f.path / fmt::format("m.{}", name_of(format))));
    const Function loaded = load_function(f.path / "m.gn"), made = model.compiled();
    for (int call = 0; call < 2; ++call) {
      const Results found = loaded(given), wanted = made(given);
      CHECK(same_bits(found["y"], wanted["y"]));
      CHECK(same_bits(found["first"], wanted["first"]));
    }
    CHECK_THROWS_AS(loaded(full({2, 4}, 1.0)), ValueError);
  }
}

TEST_CASE("a file tells the parts of a function, its lines too") {
  const Folder f;
  const Model model;
  model.save(f.path / "m.gn");
  const SavedGraph graph = read_graph(f.path / "m.gn");
  CHECK(graph.is_function);
  CHECK(graph.structure == Structure::dict);
  CHECK(graph.options.name == "step");
  REQUIRE(graph.inputs.size() == 1);
  CHECK(graph.inputs[0].value.value() != model.x.value());
  CHECK(!graph.inputs[0].default_value.defined());
  REQUIRE(graph.outputs.size() == 2);
  CHECK(graph.outputs[1].name == "first");
  CHECK(graph.outputs[0].value.value().node().origins()[0].line ==
        model.outputs[0].value.value().node().origins()[0].line);
  REQUIRE(graph.updates.size() == 1);
  const Shared& w = graph.updates[0].variable.variable();
  CHECK(w.name() == "w");
  CHECK(w.shape()[0] == -1);
  CHECK(same_bits(w.get(), full({3, 100}, 0.25)));
}

TEST_CASE("default updates and givens are part of what is saved") {
  const Folder f;
  const Expr x = vector("x"), scale = scalar("scale");
  SharedVariable count = shared(Array(1.0), "count");
  count.set_default_update(count + 1.0);
  CompileOptions options;
  options.givens = {{scale, Expr(Array(3.0))}};
  save_function(f.path / "f.gn", {x}, {x * scale * count}, {}, options);
  const Function loaded = load_function(f.path / "f.gn");
  CHECK(loaded(ones({1}))[0].item<double>() == 3.0);
  CHECK(loaded(ones({1}))[0].item<double>() == 6.0);
  CHECK(count.get().item<double>() == 1.0);
}

TEST_CASE("what Python saved is read: names, defaults, options, donated inputs") {
  // Of inputs gn.In(x, name="data", donate=True) and gn.In(rate, value=0.5).
  const std::string body =
      R"(# about: {"kind": "function", "name": "st\u00e9p", "input_names": ["data", null], )"
      R"("donated": [true, false], "structure": "dict", "allow_downcast": null, )"
      R"("options": {"rewrites": "exact", "disabled_rules": ["softplus"], "memory_budget": null, )"
      R"("memory_shapes": []}, "constants": 0, "shared": [{"name": "w", "shape": [3]}]}
graph[x.0](x: f64[x.0], rate: f64, shared w: f64[3]) {
  %0 = param(index=0, dtype=f64, shape=[3]): f64[3]
  %1 = param(index=1, dtype=f64, shape=[]): f64
  %2 = multiply(%0, %1): f64[3]  # mk.py:4
  %3 = param(index=2, dtype=f64, shape=[3]): f64[3]
  %4 = add(%2, %3): f64[3]  # mk.py:4
  %5 = add(%3, %0): f64[3]  # mk.py:4
  check x.0 == 3 "add: extents differ: multiply(x, rate): f64[x.0] and w: f64[3]"  # mk.py:4
  return y: %4, w: %5 -> 2
}
)";
  const Folder f;
  save_values(f.path / "step.npz",
              {{"shared_0", Array::from({0.0, 1.0, 2.0})}, {"argument_1", Array(0.5)}});
  const auto head = [&](const char* values_name) {
    return fmt::format("# gnomon graph, format 1\n# values: {:08x} {}\n# checksum: {:08x} (...)\n",
                       crc32_of(slurp(f.path / "step.npz")), values_name, crc32_of(body));
  };
  spill(f.path / "step.gn", head("npz") + body);
  const SavedGraph graph = read_graph(f.path / "step.gn");
  CHECK(graph.options.name == "st\xc3\xa9p");
  CHECK(graph.options.rewrites == RewriteLevel::exact);
  CHECK(graph.options.disabled_rules == std::vector<std::string>{"softplus"});
  CHECK(graph.options.donated == std::vector<int>{0});
  CHECK(!graph.allow_downcast);
  CHECK(graph.inputs[0].name == "data");
  CHECK(graph.inputs[1].name.empty());
  CHECK(graph.inputs[1].default_value.item<double>() == 0.5);
  CHECK(graph.outputs[0].value.value().node().origins()[0].line == 4);

  const Function step = load_function(f.path / "step.gn");
  const Array x = Array::from({1.0, 2.0, 3.0});
  CHECK(step(x, 0.5)["y"].to_vector<double>() == std::vector<double>{0.5, 2.0, 3.5});
  CHECK(step(x, 0.0)["y"].to_vector<double>() == std::vector<double>{1.0, 3.0, 5.0});
  CHECK(refused(ValueError(""), "add: extents differ", [&] { step(ones({2}), 0.5); }));

  // What is written again is the same text, but for places: they are of nodes that live.
  write_graph(f.path / "again.gn", graph);
  const std::string again = slurp(f.path / "again.gn");
  CHECK(again.substr(again.find("# about")) == body);
  // Older files name their values, which has no meaning.
  spill(f.path / "step.gn", head("other.npz") + body);
  CHECK(load_function(f.path / "step.gn")(x, 0.5).size() == 1);
}

TEST_CASE("expressions are read by read_graph, not as functions") {
  const Folder f;
  const fs::path path = f.path / "e.gn";
  SavedGraph graph;
  graph.is_function = false;
  graph.structure = Structure::dict;
  const Expr x = vector("x");
  graph.inputs = {{x}};
  graph.outputs = {{"b", x}, {"", exp(x)}};
  write_graph(path, graph);
  CHECK(!fs::exists(f.path / "e.npz"));
  const SavedGraph again = read_graph(path);
  CHECK(!again.is_function);
  CHECK(again.structure == Structure::dict);
  CHECK(again.outputs[0].name == "b");
  CHECK(again.outputs[1].value.value().is(op::exp));
  CHECK(damaged(path).find("expected a function, found expressions") != std::string::npos);
  CHECK_THROWS_AS(load_function(f.path / "e.npz"), ValueError);
  CHECK_THROWS_AS(save_function(f.path / "e.npz", {x}, {x}), ValueError);
}

TEST_CASE("who loads a function chooses how it is compiled") {
  const Folder f;
  const Expr x = vector("x");
  CompileOptions saved;
  saved.disabled_rules = {"softplus", "log1p"};
  saved.threads = 3;
  save_function(f.path / "f.gn", {x}, {log(1.0 + exp(x))}, {}, saved);
  CHECK(slurp(f.path / "f.gn").find("threads") == std::string::npos);
  CompileOptions chosen;
  chosen.explain = true;
  CHECK(load_function(f.path / "f.gn", chosen).graph_text().find("softplus") == std::string::npos);
  chosen.disabled_rules = {"expm1"};
  CHECK(load_function(f.path / "f.gn", chosen).graph_text().find("softplus") != std::string::npos);
  chosen.disabled_rules = {"none such"};
  CHECK(damaged(f.path / "f.gn", chosen).find("f.gn: ") != std::string::npos);
}

TEST_CASE("values that are missing, foreign, damaged or too large are told") {
  const Folder f;
  const fs::path path = f.path / "m.gn";
  Model().save(path);
  CHECK(refused(ValueError(""), "give most_bytes", [&] { load_function(path, {}, 100); }));
  const std::string values = slurp(f.path / "m.npz");
  std::string changed = values;
  changed[100] = static_cast<char>(changed[100] ^ 1);
  spill(f.path / "m.npz", changed);
  CHECK(damaged(path).find("not the values that") != std::string::npos);
  fs::remove(f.path / "m.npz");
  try {
    load_function(path);
    FAIL("the values are missing");
  } catch (const FileError& error) {
    CHECK(error.code() == ENOENT);
    CHECK(error.path() == (f.path / "m.npz").string());
    CHECK(error.reason().find("the values of") != std::string::npos);
  }
  CHECK_THROWS_AS(load_function(f.path / "none.gn"), FileError);
  for (const char* line : {"# values: 00000000 ../m.npz", "# values: 00000000 /etc/passwd",
                           "# values: 0000 npz", "# values: 00000000 .npz", "# values: "}) {
    spill(path, fmt::format("# gnomon graph, format 1\n{}\n", line));
    CHECK(damaged(path).find("expected a checksum and a format of values") != std::string::npos);
  }
}

TEST_CASE("each damage of a graph is found") {
  const Folder f;
  const fs::path path = f.path / "g.gn";
  const Expr x = vector("x");
  save_function(path, {x}, {exp(x * 3.0)});
  const std::string whole = slurp(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    spill(path, whole.substr(0, size));
    CHECK_MESSAGE(damaged(path).starts_with("load: " + path.string()), size);
  }
  const auto with = [&](std::string_view old, std::string_view now) {
    std::string text = whole;
    text.replace(text.find(old), old.size(), now);
    spill(path, text);
    return damaged(path);
  };
  CHECK(with("exp", "log").find("checksum") != std::string::npos);
  CHECK(with("format 1", "format 7").find("the file has format 7") != std::string::npos);
  CHECK(with("format 1", "format 7").find(fmt::format("Gnomon {} wrote", version())) !=
        std::string::npos);
  CHECK(with("format 1", "format x").find("in the first line") != std::string::npos);
  CHECK(with("exp", "\xff\xfe").find("expected text") != std::string::npos);
}

TEST_CASE("a description says what it must and nothing else") {
  const Folder f;
  const fs::path path = f.path / "g.gn";
  const auto told = [&](const std::string& about) {
    spill(path, file_of(about, exponential));
    return damaged(path);
  };
  spill(path, file_of(about_with(), exponential));
  CHECK(load_function(path)(zeros({2}))[0].to_vector<double>() == std::vector<double>{1.0, 1.0});
  struct Case {
    const char *part, *value, *told;
  };
  for (const Case& c : {
           Case{"kind", "5", "has 5 as kind"},
           Case{"kind", "", "kind"},
           Case{"name", "5", "has 5 as name"},
           Case{"name", "", "has no name"},
           Case{"donated", R"("x")", "has 'x' as donated"},
           Case{"donated", "[1]", "has [1] as donated"},
           Case{"donated", "[]", "has [] as donated"},
           Case{"input_names", "[5]", "has [5] as input_names"},
           Case{"input_names", "[null, null]", "as donated"},
           Case{"structure", R"("module")", "has 'module' as structure"},
           Case{"structure", R"("none")", "of 0 outputs, the graph has 1"},
           Case{"allow_downcast", R"("no")", "as allow_downcast"},
           Case{"constants", "true", "has True as constants"},
           Case{"constants", "1000000000000", "no values constant_0"},
           Case{"shared", R"([{"name": 5, "shape": []}])", "as a shared variable"},
           Case{"shared", R"([{"name": "w", "shape": "xy"}])", "as a shared variable"},
           Case{"shared", R"([{"name": "w", "shape": [-1]}])", "as a shared variable"},
           Case{"shared", R"([{"name": "w", "shape": []}])", "no values shared_0"},
           Case{"shared", "[[]]", "as a shared variable"},
           Case{"options", R"({"rewrites": "some"})", "has 'some' as the option rewrites"},
           Case{"options", R"({"disabled_rules": "exp"})", "as the option disabled_rules"},
           Case{"options", R"({"disabled_rules": ["none such"]})", "none such"},
           Case{"options", R"({"memory_budget": true})", "has True as the option memory_budget"},
           Case{"options", R"({"memory_budget": 9223372036854775808})", "the option memory_budget"},
           Case{"options", R"({"memory_budget": -1, "memory_shapes": [[2]]})",
                "expected memory_budget of at least 0"},
           Case{"options", R"({"memory_shapes": [[true]]})", "as the option memory_shapes"},
           Case{"options", R"({"threads": 2})", "as the option threads, which no file may choose"},
           Case{"options", R"({"cache": 1})", "as the option cache, which no file may choose"},
           Case{"options", R"({"cache_folder": "/tmp/planted"})", "the option cache_folder"},
           Case{"options", R"({"flags": "-fplugin=x.so"})", "the option 'flags'"},
       }) {
    const std::string found = told(about_with(c.part, c.value));
    CHECK_MESSAGE(found.find(c.told) != std::string::npos, found);
  }
  const std::string more = about_with("shared", R"([], "run": "x")");
  CHECK(told(more).find("has 'run', which no file may say") != std::string::npos);
  CHECK(told("{").find("damaged") != std::string::npos);
  CHECK(told("[]").find("damaged") != std::string::npos);
  CHECK(told(std::string(100'000, '[')).find("nested too deeply") != std::string::npos);
  // Older files say of their machine what is the default everywhere.
  spill(path, file_of(about_with("options", R"({"threads": 0, "cache": true, "cpu": "native",)"
                                            R"("cache_folder": "", "explain": false})"),
                      exponential));
  CHECK(load_function(path).defined());
}

TEST_CASE("a text of a graph is refused where its variables are others") {
  const SharedVariable w = shared(zeros({2}), "w");
  const std::vector<Output> outputs = {Expr(w) + 1.0};
  const ExportedGraph exported = export_graph({}, outputs, {});
  const auto import = [&](const std::vector<SharedVariable>& shared) {
    return import_graph(exported.graph.text, exported.graph.arrays, shared);
  };
  CHECK(import(exported.shared).outputs.size() == 1);
  for (const auto& others : std::vector<std::vector<SharedVariable>>{
           {}, {w, w}, {shared(zeros({2, 2}), "w")}, {shared(zeros({3}), "w")}})
    CHECK_THROWS_AS(import(others), Error);
}

TEST_CASE("JSON is shown as Python has it") {
  const ParsedJson parsed = parse_json(R"({"b": [null, true, 1, -2.5, "x'y"], "a": {}, "b": [1]})");
  CHECK(parsed.keys == std::vector<std::string>{"b", "a"});
  CHECK(shown(parsed.value) == "{'a': {}, 'b': [1]}");
  CHECK(shown(parse_json(R"([null, true, -2.5, "x'y"])").value) == R"([None, True, -2.5, "x'y"])");
  CHECK(shown_text("a\n'\"\xff") == R"('a\n\'"\xff')");
  CHECK(json_text("\xc3\xa9\n") == R"("\u00e9\n")");
  CHECK_THROWS_AS(json_text("\xff"), ValueError);
}
