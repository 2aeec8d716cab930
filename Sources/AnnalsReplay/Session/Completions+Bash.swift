extension Completions {
  /// The script for bash 3.2 and later.
  var bash: String {
    let tool = Self.quoted(tool)
    return #"""
      # Completions for bash. Put this line into ~/.bashrc:
      #   source <(\#(self.tool) help completions bash)
      \#(function)_options() {
        valued=\#(Self.quoted(valued(Subcommand.common)))
        options=\#(Self.quoted(names(Subcommand.common) + " --version"))
        case $subcommand in
      \#(subcommands.map(options).joined(separator: "\n"))
        esac
      }

      \#(function)_files() {
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$1" -- "$cur")
      }

      \#(function)_logs() {
        \#(function)_files -d
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -X '!*.annals' -- "$cur")
        # A log can have any name.
        if [[ ${#COMPREPLY[@]} = 0 ]]; then \#(function)_files -f; fi
      }

      \#(function)() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
        local word i subcommand= options= valued= values= operand=0
        COMPREPLY=()
        # bash makes three words of --color=auto.
        if [[ $cur == = ]]; then cur=
        elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}
        fi
        \#(function)_options
        for ((i = 1; i < COMP_CWORD; i++)); do
          word=${COMP_WORDS[i]}
          case $word in
            =) ((i++)) ;;
            -*) if [[ " $valued " == *" $word "* && ${COMP_WORDS[i+1]} != = ]]; then ((i++)); fi ;;
            *) if [[ -z $subcommand ]]; then
                subcommand=$word
                \#(function)_options
              else
                ((operand++))
              fi ;;
          esac
        done
        if [[ " $valued " == *" $prev "* ]]; then
          case $subcommand:$prev in
      \#(optionValues.joined(separator: "\n"))
          esac
        elif [[ $cur == -* ]]; then
          values=$options
        elif [[ -z $subcommand ]]; then
          values=\#(Self.quoted(subcommands.map(\.name).joined(separator: " ")))
        else
          case $subcommand:$operand in
      \#(operandValues.joined(separator: "\n"))
          esac
        fi
        if [[ -n $values ]]; then COMPREPLY=($(compgen -W "$values" -- "$cur")); fi
      }
      complete -F \#(function) \#(tool)
      """#
  }

  private func names(_ options: [Subcommand.Option]) -> String { options.flatMap(\.names).joined(separator: " ") }

  private func valued(_ options: [Subcommand.Option]) -> String { names(options.filter { $0.value != nil }) }

  private func options(of subcommand: Subcommand) -> String {
    let (names, valued) = (names(subcommand.allOptions), valued(subcommand.allOptions))
    return "    \(subcommand.name)) options=\(Self.quoted(names)) valued=\(Self.quoted(valued)) ;;"
  }

  private var optionValues: [String] {
    let common = Subcommand.common.flatMap { option in option.names.map { ("*:\($0)", option) } }
    let own = subcommands.flatMap { subcommand in
      subcommand.options.flatMap { option in option.names.map { ("\(subcommand.name):\($0)", option) } }
    }
    return (own + common).compactMap { pattern, option in
      option.expected.flatMap(action).map { "      \(pattern)) \($0) ;;" }
    }
  }

  private var operandValues: [String] {
    subcommands.flatMap { subcommand in
      subcommand.expectedOperands.enumerated().compactMap { place, expected in
        action(expected).map { "      \(subcommand.name):\(place)) \($0) ;;" }
      }
    }
  }

  private func action(_ expected: Expected) -> String? {
    switch expected {
    case .log: "\(function)_logs"
    case .file: "\(function)_files -f"
    case .page: "values=\(Self.quoted(pages))"
    case .oneOf(let choices): "values=\(Self.quoted(choices.joined(separator: " ")))"
    case .other: nil
    }
  }
}
