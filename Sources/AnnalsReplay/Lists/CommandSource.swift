import Annals

/// A command of the subcommand `do`, or a decider with several commands.
package protocol CommandSource: Sendable {
  /// The word after the log, for example `insert` or `Bookshop`.
  var name: String { get }
  /// The placeholders of the words after the name.
  ///
  /// A word in brackets is optional. A word with an ellipsis can be repeated.
  var words: [String] { get }
  /// Examples of the command's JSON, or an empty array for a command without JSON.
  var examples: [String] { get }

  /// Reads a command.
  ///
  /// - Parameters:
  ///   - words: The words after the name, as many as the placeholders allow.
  ///   - collection: The collection of a record's command, or nil for the log's only collection.
  ///   - note: A closure that prints a note about the command.
  /// - Returns: The command.
  /// - Throws: ``ReplayError`` (`.usage`) if the words aren't a command.
  func call(_ words: [String], collection: String?, note: @escaping (String) -> Void) throws -> CommandCall
}

/// A command that was read from the command line.
package struct CommandCall {
  /// False if the command makes sense only in a log that exists.
  var createsLog = true
  /// Appends the command's events under a command id, or under none, with some metadata.
  let execute: (_ store: any EventStore, _ commandID: String?, _ metadata: Metadata) throws -> Receipt
  /// Decides the command without appending its events.
  let decide: (_ store: any EventStore) throws -> (stream: StreamName, events: [NewEvent])
}

extension CommandSource {
  package var examples: [String] { [] }

  /// The name and the placeholders.
  var usage: String { ([name] + words).joined(separator: " ") }

  /// The lines of a help page about the command.
  var helpLines: [String] {
    [" \(usage)" + (examples.isEmpty ? "" : ", for example")] + examples.map { "   \($0)" }
  }

  /// Throws if there are fewer or more words than placeholders.
  func check(_ found: [String], tool: String) throws {
    let needed = words.prefix { !$0.hasPrefix("[") }
    let usage = "\(tool) do LOG \(name)"
    if found.count < needed.count { throw ReplayError.usage("\(usage) needs \(needed[found.count])") }
    if found.count > words.count, !(words.last?.contains("…") ?? false) {
      throw ReplayError.usage(
        "\(usage) takes \(words.joined(separator: " ")), found \(Text.counted(found.count, "word")): "
          + found.map { JSONValue.quoted($0) }.joined(separator: " "))
    }
  }
}
