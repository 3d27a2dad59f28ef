// Explanations for people, and as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "frontend/explanation.h"

namespace gnomon {

namespace {

using Json = nlohmann::ordered_json;

std::string lines_text(const std::vector<std::string>& lines) {
  return lines.empty() ? "" : fmt::format(" [{}]", fmt::join(lines, ", "));
}

std::string text_of(const ExplainedRewrite& r) {
  std::string text = fmt::format("  {} ({}): {} -> {}{}\n", r.rule, r.promise, r.before, r.after,
                                 lines_text(r.lines));
  if (r.cost_before != r.cost_after)
    text += fmt::format("    additions: {} -> {}\n", r.cost_before, r.cost_after);
  if (r.accuracy)
    text += fmt::format("    bits lost: {:.1f}, at worst {:.1f} -> {:.1f}, at worst {:.1f}\n",
                        r.accuracy->mean_before, r.accuracy->worst_before, r.accuracy->mean_after,
                        r.accuracy->worst_after);
  else if (!r.accuracy_unknown.empty())
    text += fmt::format("    bits lost: not known: {}\n", r.accuracy_unknown);
  return text;
}

std::string text_of(const ExplainedDecision& d) {
  return fmt::format("  {}: {}: {}{}{}\n    {}\n", d.question, d.is_so ? "yes" : "no", d.subject,
                     d.other.empty() ? "" : " and " + d.other, lines_text(d.lines), d.reason);
}

// What passes said, under the name of each.
template <class Said>
std::string by_pass(std::string_view title, const std::vector<Said>& said) {
  if (said.empty()) return "";
  std::string text = fmt::format("\n{}\n", title);
  std::string_view pass;
  for (const Said& one : said) {
    if (one.pass != pass) text += fmt::format("{}\n", pass = one.pass);
    text += text_of(one);
  }
  return text;
}

std::string text_of(const std::vector<ExplainedPass>& passes) {
  std::string text;
  for (const ExplainedPass& p : passes) {
    if (p.fired == 0 && p.size_before == p.size_after) continue;
    text += fmt::format("  {:<20} {:>6} -> {:<6}", p.name, p.size_before, p.size_after);
    if (p.fired > 0) text += fmt::format(" {} rewrite{}", p.fired, p.fired == 1 ? "" : "s");
    while (text.ends_with(' ')) text.pop_back();
    text += '\n';
  }
  return text.empty() ? ""
                      : "passes that changed something: nodes or steps before and after\n" + text;
}

std::string text_of(const std::vector<ExplainedStep>& steps) {
  if (steps.empty()) return "";
  std::string text = "\nsteps\n";
  std::vector<std::size_t> depth;
  for (const ExplainedStep& s : steps) {
    depth.push_back(s.inside < 0 ? 1 : depth[static_cast<std::size_t>(s.inside)] + 1);
    text +=
        fmt::format("{:{}}{} {}{}\n", "", 2 * depth.back(), s.kind, s.name, lines_text(s.lines));
  }
  return text;
}

Json json_of(const ExplainedRewrite& r) {
  Json json = {{"pass", r.pass},
               {"rule", r.rule},
               {"promise", r.promise},
               {"before", r.before},
               {"after", r.after},
               {"cost_before", r.cost_before},
               {"cost_after", r.cost_after},
               {"accuracy", nullptr},
               {"accuracy_unknown", r.accuracy_unknown},
               {"lines", r.lines},
               {"nodes", r.nodes}};
  if (r.accuracy)
    json["accuracy"] = {{"compared", r.accuracy->compared},
                        {"mean_before", r.accuracy->mean_before},
                        {"worst_before", r.accuracy->worst_before},
                        {"mean_after", r.accuracy->mean_after},
                        {"worst_after", r.accuracy->worst_after}};
  return json;
}
Json json_of(const ExplainedDecision& d) {
  return {{"pass", d.pass},   {"question", d.question}, {"is_so", d.is_so}, {"subject", d.subject},
          {"other", d.other}, {"reason", d.reason},     {"lines", d.lines}, {"nodes", d.nodes}};
}
Json json_of(const ExplainedStep& s) {
  return {{"kind", s.kind},
          {"name", s.name},
          {"inside", s.inside},
          {"lines", s.lines},
          {"nodes", s.nodes}};
}
Json json_of(const ExplainedPass& p) {
  return {{"name", p.name},
          {"doc", p.doc},
          {"size_before", p.size_before},
          {"size_after", p.size_after},
          {"fired", p.fired}};
}

template <class Part>
Json list_of(const std::vector<Part>& parts) {
  Json list = Json::array();
  for (const Part& part : parts) list.push_back(json_of(part));
  return list;
}

}  // namespace

std::string Explanation::text() const {
  std::string text = text_of(passes_) + by_pass("rewrites", rewrites_) +
                     by_pass("decisions", decisions_) + text_of(steps_);
  for (const std::string& note : notes()) text += fmt::format("\nnote: {}\n", note);
  if (text.starts_with('\n')) text.erase(0, 1);
  return text;
}

std::string Explanation::json() const {
  return Json{{"rewrites", list_of(rewrites_)},
              {"decisions", list_of(decisions_)},
              {"steps", list_of(steps_)},
              {"passes", list_of(passes_)},
              {"notes", notes()}}
      .dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gnomon
