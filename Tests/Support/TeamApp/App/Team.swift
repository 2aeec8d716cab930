public import Annals
public import AnnalsSQLite
public import TeamBoards
public import TeamPeople

/// What someone wants to do in the app.
public enum TeamAction: Hashable, Sendable {
  case person(PersonCommand)
  case board(BoardCommand)
  case card(CardCommand)
  case comment(CommentCommand)
  /// A card is done, and a comment says why: both or none.
  case finish(card: String, comment: String, author: String, text: String)
  /// A person leaves, and what the log says about the person is erased.
  case erase(person: String)
}

/// The app's log, and what can be done with it.
public struct Team: Sendable {
  /// Where the events are.
  public let store: SQLiteEventStore

  /// Opens the log.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - durability: What a command survives.
  /// - Throws: Why it cannot be opened.
  public init(path: String, durability: Durability = .process) throws {
    try EventCatalog.declare(TeamPersonEvent.self, TeamBoardEvent.self, TeamCardEvent.self, TeamCommentEvent.self)
    store = try SQLiteEventStore(path: path, durability: durability)
  }

  /// Does what someone wants; the lists of the caller's isolation show it when this returns.
  ///
  /// - Parameters:
  ///   - action: What someone wants.
  ///   - author: Who wants it.
  ///   - commandID: What makes it happen once.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Throws: Why it was refused, or why it failed.
  public func perform(
    _ action: TeamAction, by author: String? = nil, commandID: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    var metadata = Metadata()
    metadata.author = author
    switch action {
    case .person(let command):
      try await store.execute(
        command, on: Membership[command.id], commandID: commandID, metadata: metadata)
    case .board(let command):
      try await store.execute(command, on: Board[command.id], commandID: commandID, metadata: metadata)
    case .card(let command):
      try await store.execute(command, on: .boundary(CardDesk.self), commandID: commandID, metadata: metadata)
    case .comment(let command):
      try await store.execute(command, on: .boundary(Discussion.self), commandID: commandID, metadata: metadata)
    case .finish(let card, let comment, let author, let text):
      try await store.transaction { [metadata] transaction in
        try transaction.execute(.move(id: card, to: .done), on: .boundary(CardDesk.self), metadata: metadata)
        try transaction.execute(
          .write(id: comment, card: card, author: author, text: text), on: .boundary(Discussion.self),
          metadata: metadata)
      }
    case .erase(let person):
      try await store.execute(
        .forget(id: person), on: Membership[person], commandID: commandID, metadata: metadata)
      try await store.erase(subject: TeamPersonEvent.subject(of: person))
    }
  }
}
