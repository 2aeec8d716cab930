public import Annals
public import TeamPeople

/// Decides about cards: they lie on open boards, and no one has more than five at a time.
///
/// A decision depends on the card, on the board where it is added, and on the person who gets it, whatever streams
/// their events are in.
public struct CardDesk: BoundaryDecider, Equatable {
  /// An event on which a decision depends.
  ///
  /// All decided events are events of cards.
  public enum Event: EventUnion {
    /// An event of a person.
    case person(TeamPersonEvent)
    /// An event of a board.
    case board(TeamBoardEvent)
    /// An event of a card.
    case card(TeamCardEvent)

    /// The three types.
    public static var members: [EventMember<Self>] {
      [EventMember(Self.person), EventMember(Self.board), EventMember(Self.card)]
    }

    /// The contained event.
    public var event: any Annals.Event {
      switch self {
      case .person(let event): event
      case .board(let event): event
      case .card(let event): event
      }
    }
  }

  /// Why a command is refused.
  public enum Refusal: Error, Equatable {
    case noBoard, noCard, alreadyThere, alreadyDone, noPerson, tooManyCards, nothingToUndo
  }

  /// The largest number of cards that a person has at a time.
  public static var mostCards: Int { 5 }

  /// The stream of cards.
  public static var category: String { "Cards" }

  private struct Card: Equatable {
    var stage = Stage.toDo
    var previous: Stage?
    var person: String?
    var isRemoved = false
  }

  private var people: Set<String> = []
  private var boards: Set<String> = []
  private var cards: [String: Card] = [:]
  private var held: [String: Set<String>] = [:]

  /// Knows of nothing.
  public init() {}

  /// The card, and the board or the person of the command.
  ///
  /// - Parameter command: What someone wants.
  /// - Returns: The query.
  public static func boundary(for command: CardCommand) -> EventQuery {
    let card = EventQuery.tagged(TeamCardEvent.tag(of: command.id))
    return switch command {
    case .add(_, let board, _, _): card || .tagged(TeamBoardEvent.tag(of: board))
    case .assign(_, let person?): card || .tagged(TeamPersonEvent.tag(of: person))
    default: card
    }
  }

  /// Decides a command.
  ///
  /// - Parameter command: What someone wants.
  /// - Returns: What happens.
  /// - Throws: Why it does not.
  public func decide(_ command: CardCommand) throws(Refusal) -> [Event] {
    let id = command.id
    if case .add(_, let board, let title, let points) = command {
      guard cards[id] == nil else { throw .alreadyThere }
      guard boards.contains(board) else { throw .noBoard }
      return [.card(.added(id: id, board: board, title: title, points: points))]
    }
    guard let card = cards[id], !card.isRemoved else { throw .noCard }
    switch command {
    case .add: preconditionFailure("it is decided above")
    case .rename(_, let title): return [.card(.renamed(id: id, to: title))]
    case .estimate(_, let points): return [.card(.estimated(id: id, points: points))]
    case .schedule(_, let due): return [.card(.scheduled(id: id, due: due))]
    case .move(_, let stage): return move(id, card, to: stage)
    case .undoMove:
      guard let previous = card.previous else { throw .nothingToUndo }
      return move(id, card, to: previous)
    case .assign(_, let person):
      guard card.stage != .done else { throw .alreadyDone }
      if let person {
        guard people.contains(person) else { throw .noPerson }
        guard held[person, default: []].count < Self.mostCards || card.person == person else { throw .tooManyCards }
      }
      return card.person == person ? [] : [.card(.assigned(id: id, from: card.person, to: person))]
    case .remove: return release(id, card) + [.card(.removed(id: id))]
    }
  }

  /// A card that is done is no one's.
  private func move(_ id: String, _ card: Card, to stage: Stage) -> [Event] {
    if card.stage == stage { return [] }
    return (stage == .done ? release(id, card) : []) + [.card(.moved(id: id, from: card.stage, to: stage))]
  }

  private func release(_ id: String, _ card: Card) -> [Event] {
    card.person == nil ? [] : [.card(.assigned(id: id, from: card.person, to: nil))]
  }

  /// Notes what happened.
  ///
  /// - Parameter event: What happened.
  public mutating func evolve(_ event: Event) {
    switch event {
    case .person(.joined(let id, _, _, _)): people.insert(id)
    case .person(.left(let id)): people.remove(id)
    case .board(.opened(let id, _)): boards.insert(id)
    case .board(.archived(let id)): boards.remove(id)
    case .card(.added(let id, _, _, _)): cards[id] = Card()
    case .card(.moved(let id, let from, let to)):
      cards[id]?.stage = to
      cards[id]?.previous = from
    case .card(.assigned(let id, let from, let to)):
      // Of a card of another command the boundary has nothing but this.
      cards[id]?.person = to
      if let from { held[from]?.remove(id) }
      if let to { held[to, default: []].insert(id) }
    case .card(.removed(let id)): cards[id]?.isRemoved = true
    case .person, .board, .card: break
    }
  }
}
