public import Annals
public import TeamBoards
public import TeamPeople

/// An event of one of the app's two modules.
public enum TeamEvent: EventUnion, Equatable {
  /// An event of a person.
  case person(TeamPersonEvent)
  /// An event of a board.
  case board(TeamBoardEvent)
  /// An event of a card.
  case card(TeamCardEvent)
  /// An event of a comment.
  case comment(TeamCommentEvent)

  /// The four types.
  public static var members: [EventMember<Self>] {
    [EventMember(Self.person), EventMember(Self.board), EventMember(Self.card), EventMember(Self.comment)]
  }

  /// The contained event.
  public var event: any Event {
    switch self {
    case .person(let event): event
    case .board(let event): event
    case .card(let event): event
    case .comment(let event): event
    }
  }
}
