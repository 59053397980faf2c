#include "tuner/cli/parser.hpp"

#include <algorithm>
#include <map>

#include <CLI/CLI.hpp>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/base/version.hpp>

namespace warptune::tuner {
namespace {

// Where the library puts the words of one command.
struct Words {
  std::map<std::string, std::vector<std::string>> options;
  std::map<std::string, bool> flags;
  std::vector<std::string> positionals;
};

void declare(CLI::App& app, const OptionSpec& spec, Words& words) {
  const std::string name = (spec.letter != 0 ? std::string("-") + spec.letter + "," : "") + "--" + spec.name;
  if (spec.kind == OptionSpec::Kind::flag) {
    app.add_flag(name, words.flags[spec.name], spec.help);
    return;
  }
  CLI::Option* option = app.add_option(name, words.options[spec.name], spec.help);
  option->type_name(spec.placeholder);
  option->type_size(1);
  switch (spec.kind) {
    case OptionSpec::Kind::value:
      option->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      break;
    case OptionSpec::Kind::values:
      option->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      break;
    default:
      option->expected(1, CLI::detail::expected_max_vector_size);
      break;
  }
}

std::string positional_usage(const Command& command) {
  std::string usage;
  for (const PositionalSpec& positional : command.positionals)
    usage += (positional.required ? " " : " [") + positional.name + (positional.repeated ? "..." : "") +
             (positional.required ? "" : "]");
  return usage;
}

std::string help_of(const Command& command, const CLI::App& app) {
  std::string text = "warptune " + std::string(command.name) + ": " + std::string(command.summary) +
                     "\nUsage: warptune " + std::string(command.name) + positional_usage(command) +
                     " [OPTIONS]\n";
  if (!command.positionals.empty()) text += "\nArguments:\n";
  for (const PositionalSpec& positional : command.positionals)
    text += "  " + positional.name +
            std::string(positional.name.size() < 22 ? 22 - positional.name.size() : 1, ' ') +
            positional.help + "\n";
  std::string options = app.help();
  const std::size_t start = options.find("Options:");
  text += "\n" + (start == std::string::npos ? options : options.substr(start));
  while (text.ends_with("\n\n")) text.pop_back();
  return text +
         "\nGlobal options: --db FILE, --device DEVICE, --json (see `warptune --help`)\n\nExamples:\n" +
         std::string(command.examples);
}

std::string help_of_program() {
  std::string text =
      "warptune " + std::string(version) +
      ": tunes CUDA kernels, keeps what won, and says why\nUsage: warptune COMMAND [OPTIONS]\n\nCommands:\n";
  for (const Command& command : commands())
    text += "  " + std::string(command.name) + std::string(10 - command.name.size(), ' ') +
            std::string(command.summary) + "\n";
  return text +
         "\nGlobal options, before or after the command:\n"
         "  --db FILE         the tuning database (default tuning.db)\n"
         "  --device DEVICE   cuda:N, or recorded:FILE to replay a database (default cuda:0); tune also "
         "takes\n"
         "                    cuda:0,1 and cuda:all\n"
         "  --json            JSON on standard output, nothing else\n"
         "  --help, --version\n"
         "\nExamples:\n"
         "  warptune tune dot --types T=half --dims n=2^24\n"
         "  warptune tune dot --types T=float --dims n=2^10..2^28:x4 --device recorded:h200.db\n"
         "  warptune show\n"
         "\n`warptune COMMAND --help` explains a command.\n";
}

[[noreturn]] void refuse_extra(const Command& command, const std::string& word) {
  const std::string help = "`warptune " + std::string(command.name) + " --help` lists what it takes";
  if (!word.starts_with("-")) throw Error(ErrorKind::usage, "unexpected argument '" + word + "'", help);
  std::vector<std::string> known = {"--db", "--device", "--json", "--help"};
  for (const OptionSpec& option : command.options) known.push_back("--" + option.name);
  const std::string bare = word.substr(0, word.find('='));
  const std::optional<std::string> near = nearest_name(bare, known);
  throw Error(ErrorKind::usage, "unknown option '" + bare + "'",
              near ? "did you mean '" + *near + "'?" : help);
}

// Values of a NAME=VALUE option that hold no '=' are arguments that happen to stand behind it.
void return_positionals(const Command& command, Words& words) {
  for (const OptionSpec& option : command.options) {
    if (option.kind != OptionSpec::Kind::assignments) continue;
    std::vector<std::string>& values = words.options[option.name];
    const std::size_t room =
        command.positionals.size() - std::min(command.positionals.size(), words.positionals.size());
    const auto misplaced = std::stable_partition(values.begin(), values.end(), [](const std::string& value) {
      return value.find('=') != std::string::npos;
    });
    if (static_cast<std::size_t>(values.end() - misplaced) > room || misplaced == values.begin()) continue;
    words.positionals.insert(words.positionals.end(), misplaced, values.end());
    values.erase(misplaced, values.end());
  }
}

Arguments arguments_of(const Command& command, Words& words) {
  return_positionals(command, words);
  Arguments arguments;
  for (auto& [name, values] : words.options)
    if (!values.empty()) arguments.set(name, std::move(values));
  for (const auto& [name, given] : words.flags)
    if (given) arguments.set(name, {});
  for (std::size_t i = 0; i < command.positionals.size(); ++i) {
    const PositionalSpec& positional = command.positionals[i];
    if (i < words.positionals.size() && positional.repeated) {
      const auto first = words.positionals.begin() + static_cast<std::ptrdiff_t>(i);
      arguments.set(positional.name, {first, words.positionals.end()});
      return arguments;
    }
    if (i < words.positionals.size()) {
      arguments.set(positional.name, {words.positionals[i]});
    } else if (positional.required) {
      throw Error(ErrorKind::usage, "`warptune " + std::string(command.name) + "` needs " + positional.name,
                  "usage: warptune " + std::string(command.name) + positional_usage(command) + " [OPTIONS]");
    }
  }
  if (words.positionals.size() > command.positionals.size())
    refuse_extra(command, words.positionals[command.positionals.size()]);
  return arguments;
}

const Command& chosen_command(const std::vector<const CLI::App*>& chosen,
                              const std::vector<std::string>& remaining) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (!chosen.empty() && chosen.front()->get_name() == command.name) return command;
    names.emplace_back(command.name);
  }
  if (remaining.empty())
    throw Error(ErrorKind::usage, "no command given", "`warptune --help` lists the commands");
  const std::string& word = remaining.front();
  if (word.starts_with("-"))
    throw Error(ErrorKind::usage, "unknown option '" + word + "'", "`warptune --help` lists them");
  throw Error(ErrorKind::usage, "unknown command '" + word + "'", name_hint(word, names));
}

}  // namespace

Parsed parse_command_line(const std::vector<std::string>& words) {
  CLI::App app;
  Parsed parsed;
  bool help = false, show_version = false;
  app.set_help_flag();
  app.add_flag("--help,-h", help);
  app.add_flag("--version", show_version);
  app.add_flag("--json", parsed.json);
  app.add_option("--db", parsed.database)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_option("--device", parsed.device)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.allow_extras();
  app.require_subcommand(0, 1);
  std::map<std::string, Words> of_command;
  for (const Command& command : commands()) {
    Words& target = of_command[std::string(command.name)];
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->set_help_flag();
    sub->fallthrough();
    for (const OptionSpec& option : command.options) declare(*sub, option, target);
    sub->allow_extras();
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    std::string message = error.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    throw Error(ErrorKind::usage, message, "`warptune --help` explains");
  }
  if (show_version) {
    parsed.text = "warptune " + std::string(version) + "\n";
    return parsed;
  }
  const std::vector<CLI::App*> subcommands = app.get_subcommands();
  std::vector<std::string> remaining = app.remaining(true);
  if (help && subcommands.empty() && remaining.empty()) {
    parsed.text = help_of_program();
    return parsed;
  }
  const Command& command = chosen_command({subcommands.begin(), subcommands.end()}, remaining);
  if (help) {
    parsed.text = help_of(command, *subcommands.front());
    return parsed;
  }
  Words& given = of_command[std::string(command.name)];
  for (const std::string& word : remaining) {
    if (word.size() > 1 && word.starts_with("-") && word != "--") refuse_extra(command, word);
    if (word != "--") given.positionals.push_back(word);
  }
  parsed.arguments = arguments_of(command, given);
  parsed.command = &command;
  return parsed;
}

}  // namespace warptune::tuner
