extension Completions {
  /// The script for zsh.
  var zsh: String {
    let common = specifications(Subcommand.common).map { "    " + $0 }.joined(separator: "\n")
    let names = subcommands.map { "    " + Self.quoted("\($0.name):\($0.summary)") }.joined(separator: "\n")
    let cases = subcommands.map { subcommand in
      let lines = specifications(subcommand.options) + operands(of: subcommand)
      return "        \(subcommand.name))\n          _arguments -s -S $common"
        + lines.map { " \\\n            " + $0 }.joined() + "\n          ;;"
    }
    return #"""
      #compdef \#(tool)
      # Completions for zsh. Put this line into ~/.zshrc after compinit:
      #   source <(\#(tool) help completions zsh)
      \#(function)() {
        local curcontext=$curcontext state line
        local -a common subcommands
        common=(
      \#(common)
        )
        subcommands=(
      \#(names)
        )
        _arguments -C $common '--version[Print the version.]' '1: :->subcommand' '*:: :->rest'
        case $state in
          subcommand) _describe -t commands subcommand subcommands ;;
          rest)
            case $words[1] in
      \#(cases.joined(separator: "\n"))
            esac
            ;;
        esac
      }
      if [[ $funcstack[1] == \#(function) ]]; then
        \#(function) "$@"
      else
        compdef \#(function) \#(Self.quoted(tool))
      fi
      """#
  }

  private func specifications(_ options: [Subcommand.Option]) -> [String] {
    options.flatMap { option in
      option.names.map { name in
        let others = option.names.count > 1 && !option.repeats ? "(\(option.names.joined(separator: " ")))" : ""
        // The value may follow a long name after "=", and a short one at once.
        let sign = option.value == nil ? "" : name.hasPrefix("--") ? "=" : "+"
        let value = option.value.map { ":\(Self.plain($0)):\(action(option.expected ?? .other))" } ?? ""
        return Self.quoted("\(option.repeats ? "*" : "")\(others)\(name)\(sign)[\(Self.plain(option.help))]\(value)")
      }
    }
  }

  private func operands(of subcommand: Subcommand) -> [String] {
    let own = zip(subcommand.operands, subcommand.expectedOperands).enumerated().map { place, operand in
      // Two colons mean that the operand is optional.
      let colons = operand.0.hasPrefix("[") ? "::" : ":"
      let name = operand.0.filter { !"[]".contains($0) }
      return Self.quoted("\(place + 1)\(colons)\(Self.plain(name)):\(action(operand.1))")
    }
    return own + (subcommand.rest.map { [Self.quoted("*:\(Self.plain($0)): ")] } ?? [])
  }

  private func action(_ expected: Expected) -> String {
    switch expected {
    // Without a match, _files offers all files, because a log can have any name.
    case .log: "_files -g \"*.annals\""
    case .file: "_files"
    case .page: "(\(pages))"
    case .oneOf(let choices): "(\(choices.joined(separator: " ")))"
    case .other: " "
    }
  }

  /// A text in which no sign means something to `_arguments`.
  private static func plain(_ text: String) -> String {
    var plain = ""
    for character in text {
      if "\\[]:".contains(character) { plain += "\\" }
      plain.append(character)
    }
    return plain
  }
}
