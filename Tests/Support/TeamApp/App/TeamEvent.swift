public import Annals
public import TeamBoards
public import TeamPeople

/// An event of one of the app's two modules.
public enum TeamEvent: EventUnion, Equatable {
  case person(TeamPersonEvent)
  case board(TeamBoardEvent)
  case card(TeamCardEvent)
  case comment(TeamCommentEvent)

  public static var members: [EventMember<Self>] {
    [EventMember(Self.person), EventMember(Self.board), EventMember(Self.card), EventMember(Self.comment)]
  }

  public var event: any Event {
    switch self {
    case .person(let event): event
    case .board(let event): event
    case .card(let event): event
    case .comment(let event): event
    }
  }
}
