import Annals
import KanbanDomain

/// The program's words: what is asked in, lines out.
public struct KanbanWords {
  /// What the program prints, and how it ends.
  public struct Answer: Equatable, Sendable {
    public var lines: [String] = []
    public var problem: String?
    /// 0 if it was done, 1 if it was refused, 2 if the words are not understood.
    public var status: Int32 = 0
  }

  /// The help.
  public static let help = """
    kanban FILE              prints the board
    kanban FILE COMMAND      does a command, and prints the board
    kanban FILE plan COMMAND, COMMAND, …   prints what the board would be, and changes nothing
    kanban FILE do COMMAND, COMMAND, …     does all of them, or none

    commands: add TITLE | rename CARD TITLE | move CARD COLUMN | remove CARD | limit COLUMN CARDS
    columns: backlog doing review done
    """

  private let store: any EventStore

  /// Uses a log.
  ///
  /// - Parameter store: The log.
  public init(_ store: any EventStore) { self.store = store }

  /// Does what words say.
  ///
  /// - Parameter words: The words after the file.
  /// - Returns: What is printed.
  /// - Throws: Why the log cannot be read or written.
  public func answer(to words: [String]) throws -> Answer {
    do {
      if words == ["help"] { return Answer(lines: [Self.help]) }
      if words.first == "plan" { return Answer(lines: BoardScreen(try plan(words).board).lines()) }
      if words.first == "do" {
        try plan(words).merge()
      } else if !words.isEmpty {
        try store.execute(try Self.command(words), on: Board.main)
      }
      return Answer(lines: BoardScreen(try store.list(of: Cards(), .board)).lines())
    } catch let refusal as Board.Refusal {
      return Answer(problem: "\(refusal)", status: 1)
    } catch let conflicts as Branch.MergeError {
      return Answer(problem: conflicts.refused.map { "\($0.error)" }.joined(separator: "; "), status: 1)
    } catch let unknown as Unknown {
      return Answer(problem: "\"\(unknown.words)\" is no command; see kanban FILE help", status: 2)
    }
  }

  /// Words that are no command.
  public struct Unknown: Error { let words: String }

  private func plan(_ words: [String]) throws -> Plan {
    let commands = words.dropFirst().joined(separator: " ").split(separator: ",")
    return try Plan(commands.map { try Self.command($0.split(separator: " ").map(String.init)) }, on: store)
  }

  /// The command that words mean.
  ///
  /// - Parameter words: The words.
  /// - Returns: The command.
  /// - Throws: ``Unknown``.
  public static func command(_ words: [String]) throws(Unknown) -> KanbanCommand {
    let text = words.dropFirst(2).joined(separator: " ")
    let card = words.count > 1 ? Int(words[1]) : nil
    switch (words.first, words.count, card) {
    case ("add", 2..., _): return .add(words.dropFirst().joined(separator: " "))
    case ("rename", 3..., let card?): return .rename(card: card, to: text)
    case ("move", 3, let card?): if let column = Column(rawValue: words[2]) { return .move(card: card, to: column) }
    case ("remove", 2, let card?): return .remove(card: card)
    case ("limit", 3, _):
      if let column = Column(rawValue: words[1]), let cards = Int(words[2]) { return .limit(column, to: cards) }
    default: break
    }
    throw Unknown(words: words.joined(separator: " "))
  }
}
