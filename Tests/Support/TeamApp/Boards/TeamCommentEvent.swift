public import Annals
import TeamPeople

/// What is said about cards.
public enum TeamCommentEvent: Event, Equatable {
  case written(id: String, card: String, author: String, text: Personal<String>)
  case edited(id: String, card: String, text: Personal<String>)
  case deleted(id: String, card: String)

  /// The card.
  public var card: String {
    switch self {
    case .written(_, let card, _, _), .edited(_, let card, _), .deleted(_, let card): card
    }
  }

  /// The card's tag.
  public var tags: Set<EventTag> { [TeamCardEvent.tag(of: card)] }
}

/// What someone wants to say about a card, or not any more.
public enum CommentCommand: Hashable, Sendable {
  case write(id: String, card: String, author: String, text: String)
  case edit(id: String, card: String, text: String)
  case delete(id: String, card: String)

  /// The card.
  public var card: String {
    switch self {
    case .write(_, let card, _, _), .edit(_, let card, _), .delete(_, let card): card
    }
  }
}
