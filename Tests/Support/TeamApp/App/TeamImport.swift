import Annals
public import AnnalsSQLite
public import Foundation
public import TeamBoards
public import TeamPeople

/// A line of another program's export: one thing that happened, and when.
public struct ImportedLine: Codable, Sendable {
  /// What sets the line apart from others of the export.
  public var id: String
  /// When it happened.
  public var time: Date
  /// What happened to a person.
  public var person: TeamPersonEvent?
  /// What happened to a board.
  public var board: TeamBoardEvent?
  /// What happened to a card.
  public var card: TeamCardEvent?
  /// What was said about a card.
  public var comment: TeamCommentEvent?

  /// Makes a line.
  ///
  /// - Parameters:
  ///   - id: What sets the line apart from others of the export.
  ///   - time: When it happened.
  ///   - person: What happened to a person.
  ///   - board: What happened to a board.
  ///   - card: What happened to a card.
  ///   - comment: What was said about a card.
  public init(
    id: String, time: Date, person: TeamPersonEvent? = nil, board: TeamBoardEvent? = nil, card: TeamCardEvent? = nil,
    comment: TeamCommentEvent? = nil
  ) {
    (self.id, self.time, self.person, self.board, self.card, self.comment) = (id, time, person, board, card, comment)
  }

  func add(to append: inout Append) throws {
    let id = EventID(source: "import", id: id)
    if let person { try append.add(person, to: Membership.stream(person.id), id: id, time: time) }
    if let board { try append.add(board, to: Board.stream(board.id), id: id, time: time) }
    if let card { try append.add(card, to: "Cards", id: id, time: time) }
    if let comment { try append.add(comment, to: "Comments", id: id, time: time) }
  }
}

/// Imports another program's export, a line of JSON for each event, without holding anyone else.
public actor TeamImporter {
  private let store: SQLiteEventStore

  /// Makes an importer.
  ///
  /// - Parameter store: Where the events go.
  public init(_ store: SQLiteEventStore) { self.store = store }

  /// Imports an export; lines that were imported before, some at a time, are not imported again.
  ///
  /// - Parameters:
  ///   - lines: The export.
  ///   - perCommit: The number of lines that are committed together; the same when an export is imported again.
  /// - Returns: The number of events that are new.
  /// - Throws: Why a line cannot be imported; those before it may be.
  @discardableResult
  public func run(_ lines: some Sequence<String>, perCommit: Int) async throws -> Int {
    let decoder = JSONDecoder()
    var append = Append()
    var count = 0
    for line in lines {
      let line = try decoder.decode(ImportedLine.self, from: Data(line.utf8))
      if append.commandID == nil { append.commandID = "import from \(line.id)" }
      try line.add(to: &append)
      if append.entries.count >= perCommit { count += try await commit(&append) }
    }
    if !append.entries.isEmpty { count += try await commit(&append) }
    return count
  }

  private func commit(_ append: inout Append) async throws -> Int {
    let full = append
    append = Append()
    let receipt = try await store.append(full)
    return receipt.isRepeated ? 0 : receipt.count
  }
}
