public import Annals

/// What happened to boards.
public enum TeamBoardEvent: Event, Equatable {
  case opened(id: String, name: String)
  case renamed(id: String, to: String)
  case archived(id: String)

  /// The board.
  public var id: String {
    switch self {
    case .opened(let id, _), .renamed(let id, _), .archived(let id): id
    }
  }

  /// The board's tag.
  public var tags: Set<EventTag> { [Self.tag(of: id)] }

  /// The tag of a board.
  ///
  /// - Parameter id: The board.
  /// - Returns: The tag.
  public static func tag(of id: String) -> EventTag { "board:\(id)" }
}

/// What someone wants to do with a board.
public enum BoardCommand: Hashable, Sendable {
  case open(id: String, name: String)
  case rename(id: String, to: String)
  case archive(id: String)

  /// The board.
  public var id: String {
    switch self {
    case .open(let id, _), .rename(let id, _), .archive(let id): id
    }
  }
}

/// Decides about boards.
public struct Board: Decider, Equatable {
  /// Why a command is refused.
  public enum Refusal: Error, Equatable {
    case alreadyThere, notThere
  }

  private var isThere = false
  private var isOpen = false

  /// No board yet.
  public init() {}

  /// Decides a command.
  ///
  /// - Parameter command: What someone wants.
  /// - Returns: What happens.
  /// - Throws: Why it does not.
  public func decide(_ command: BoardCommand) throws(Refusal) -> [TeamBoardEvent] {
    switch command {
    case .open(let id, let name):
      guard !isThere else { throw .alreadyThere }
      return [.opened(id: id, name: name)]
    case .rename(let id, let name):
      guard isOpen else { throw .notThere }
      return [.renamed(id: id, to: name)]
    case .archive(let id):
      guard isOpen else { throw .notThere }
      return [.archived(id: id)]
    }
  }

  /// Notes what happened.
  ///
  /// - Parameter event: What happened.
  public mutating func evolve(_ event: TeamBoardEvent) {
    switch event {
    case .opened: (isThere, isOpen) = (true, true)
    case .archived: isOpen = false
    case .renamed: break
    }
  }
}
