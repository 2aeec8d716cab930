import AnnalsLog

/// A shell's script that completes the tool's words, made from the table of subcommands.
struct Completions {
  /// The shells that there are scripts for.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    static var names: [String] { allCases.map(\.rawValue) }

    /// The shell with a name.
    init(named name: String) throws {
      guard let shell = Shell(rawValue: name) else {
        let nearest = Nearest.name(to: name, among: Self.names).map { "; did you mean \($0)?" } ?? ""
        throw ReplayError.usage(
          "help completions: expected \(Text.either(Self.names)), found \"\(name)\"\(nearest)")
      }
      self = shell
    }
  }

  /// The kinds of words that a shell offers.
  enum Expected: Equatable {
    case log, file, page
    case oneOf([String])
    /// A number, a name or a string that the shell can't complete.
    case other

    init(_ placeholder: String, _ choices: [String]) {
      let word = placeholder.filter { !"[]…".contains($0) }
      self =
        if !choices.isEmpty {
          .oneOf(choices)
        } else if word.hasPrefix("LOG") {
          .log
        } else if word.hasPrefix("FILE") || word.hasPrefix("SOURCE") {
          .file
        } else {
          word == "PAGE" ? .page : .other
        }
    }
  }

  let tool: String
  let groups: [SubcommandGroup]

  func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  var subcommands: [Subcommand] { groups.flatMap(\.subcommands) }

  /// The pages of help that are neither subcommands nor topics.
  static let pages = ["schema", "man", "completions"]

  /// The pages of help.
  var pages: String {
    (subcommands.map(\.name) + HelpTopic.allCases.map(\.rawValue) + Self.pages).joined(separator: " ")
  }

  /// The name of the script's function: an app's tool may have a name that no function can have.
  var function: String { "_" + tool.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined() }

  /// The tool's name, and any other text, as one word of a shell.
  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }
}

extension Subcommand {
  /// What each operand may be.
  var expectedOperands: [Completions.Expected] { operands.map { .init($0, choices[$0] ?? []) } }
}

extension Subcommand.Option {
  /// What its value may be; nil if it takes none.
  var expected: Completions.Expected? { value.map { .init($0, choices) } }
}
