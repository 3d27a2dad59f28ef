// gnomon man: the manual page, as roff.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "frontend/configuration.h"
#include "runtime/error.h"
#include "tools/gnomon/command.h"
#include "tools/gnomon/help.h"

namespace gnomon {

namespace {

// The text as roff shows it.
std::string roff(const std::string& text) {
  std::string result;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) result += "\\&";
    at_start = c == '\n';
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

std::string section(const std::string& title) { return fmt::format(".SH \"{}\"\n", title); }

std::string paragraph(const std::string& name, const std::string& doc) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(name), roff(doc));
}

std::string list_section(const std::string& title, const std::vector<Entry>& entries) {
  std::string text = section(title);
  for (const Entry& e : entries) text += paragraph(e.name, e.doc);
  return text;
}

// Each line of a shell in bold, the explanation below it as it stands.
std::string examples_of(const CommandDescription& command) {
  if (command.examples.empty()) return "";
  return fmt::format(".PP\nExamples:\n.PP\n.nf\n.RS\n{}.RE\n.fi\n", roff(command.examples));
}

std::string subsection(const CommandDescription& command) {
  std::string text = fmt::format(".SS \"{}\"\n{}.\n", roff(command.usage()), roff(command.summary));
  if (!command.doc.empty()) text += fmt::format(".PP\n{}\n", roff(command.doc));
  for (const ArgumentDescription& a : command.arguments) {
    if (a.names == std::vector<std::string>{"-h", "--help"}) continue;  // of all commands
    const std::string choices =
        a.choices.empty() ? "" : fmt::format("; one of {}", fmt::join(a.choices, ", "));
    text += paragraph(a.usage(), a.doc + choices);
  }
  return text + examples_of(command);
}

std::string manual(const CommandDescription& root) {
  std::string text = fmt::format(
      ".\\\" Written by `gnomon man`.\n.TH GNOMON 1 \"\" \"Gnomon {}\" \"User Commands\"\n",
      version());
  text += section("NAME") + fmt::format("gnomon \\- {}\n", roff(root.summary));
  text += section("SYNOPSIS") + fmt::format(".B gnomon\n{}\n", roff(root.usage().substr(7)));
  text += section("DESCRIPTION") + roff(root.doc) + "\n";
  for (const ArgumentDescription& a : root.options()) text += paragraph(a.usage(), a.doc);
  text += section("COMMANDS");
  for (const CommandDescription* command : all_commands(root))
    if (command != &root) text += subsection(*command);
  text += list_section("EXIT STATUS", exit_statuses());
  text += list_section("ENVIRONMENT", variables());
  text += section("EXAMPLES") + fmt::format(".nf\n{}.fi\n", roff(root.examples));
  return text;
}

}  // namespace

void add_man(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"gnomon man | man -l -", "shows it"},
      {"gnomon man --output ~/.local/share/man/man1/gnomon.1", "puts it where man looks"},
  };
  const auto path = std::make_shared<std::string>();
  CLI::App& command =
      line.add(line.app, "man", "prints the manual page, as man reads it", examples);
  command.add_option("-o,--output", *path, "writes it into this file")->type_name("FILE");
  line.runs(command, [&line, path] {
    const std::string text = manual(describe(line.app));
    if (path->empty()) {
      fmt::print("{}", text);
      return done;
    }
    std::ofstream file(*path);
    file << text;
    file.close();
    if (!file) throw DeviceError(fmt::format("man: {} cannot be written", *path));
    return done;
  });
}

}  // namespace gnomon
