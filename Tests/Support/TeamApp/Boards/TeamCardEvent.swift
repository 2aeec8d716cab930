public import Annals
public import Foundation
import TeamPeople

/// What happened to cards.
public enum TeamCardEvent: Event, Equatable {
  case added(id: String, board: String, title: String, points: Int)
  case renamed(id: String, to: String)
  case estimated(id: String, points: Int)
  case scheduled(id: String, due: Date?)
  case moved(id: String, from: Stage, to: Stage)
  case assigned(id: String, from: String?, to: String?)
  case removed(id: String)

  /// The card.
  public var id: String {
    switch self {
    case .added(let id, _, _, _), .renamed(let id, _), .estimated(let id, _), .scheduled(let id, _),
      .moved(let id, _, _), .assigned(let id, _, _), .removed(let id):
      id
    }
  }

  /// The card's tag, and those of people who get it or give it away.
  public var tags: Set<EventTag> {
    guard case .assigned(let id, let from, let to) = self else { return [Self.tag(of: id)] }
    return Set([from, to].compactMap { $0.map(TeamPersonEvent.tag(of:)) } + [Self.tag(of: id)])
  }

  /// The tag of a card.
  ///
  /// - Parameter id: The card.
  /// - Returns: The tag.
  public static func tag(of id: String) -> EventTag { "card:\(id)" }
}

/// What someone wants to do with a card.
public enum CardCommand: Hashable, Sendable {
  case add(id: String, board: String, title: String, points: Int)
  case rename(id: String, to: String)
  case estimate(id: String, points: Int)
  case schedule(id: String, due: Date?)
  case move(id: String, to: Stage)
  /// Takes back the card's last move; given again, it moves the card again.
  case undoMove(id: String)
  case assign(id: String, to: String?)
  case remove(id: String)

  /// The card.
  public var id: String {
    switch self {
    case .add(let id, _, _, _), .rename(let id, _), .estimate(let id, _), .schedule(let id, _), .move(let id, _),
      .undoMove(let id), .assign(let id, _), .remove(let id):
      id
    }
  }
}
