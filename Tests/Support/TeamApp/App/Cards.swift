public import Annals
public import Foundation
public import TeamBoards
import TeamPeople

/// A card in a list.
public struct CardRow: Row {
  /// What tells the card from others.
  public let id: String
  /// The card's board.
  public var board: String
  /// What the board is called.
  public var boardName = ""
  /// What is to be done.
  public var title: String
  /// How far it is.
  public var stage = Stage.toDo
  /// How much work it is.
  public var points: Int
  /// When it is to be done.
  public var due: Date?
  /// Who does it.
  public var person: String?
  /// The person's name; without value once the person is forgotten.
  public var personName: Personal<String>?
  /// How many comments there are.
  public var comments = 0
  /// When the card itself changed last.
  public var changed: Date
  /// When it was done.
  public var done: Date?

  /// Creates a row.
  ///
  /// - Parameters:
  ///   - id: What tells the card from others.
  ///   - board: The card's board.
  ///   - title: What is to be done.
  ///   - points: How much work it is.
  ///   - changed: When the card changed last.
  public init(id: String, board: String, title: String, points: Int, changed: Date) {
    (self.id, self.board, self.title, self.points, self.changed) = (id, board, title, points, changed)
  }
}

/// What cards show of a person.
struct PersonName: Row {
  let id: String
  var name: Personal<String>
}

/// What cards show of a board.
struct BoardName: Row {
  let id: String
  var name: String
}

/// All cards that were not removed, with the names of their boards and people.
public struct Cards: Projection {
  /// The names come from the events of others.
  public static var relations: [Relation<CardRow>] {
    [
      .to(PersonName.self, by: \.person) { card, person in card.personName = person?.name },
      .to(BoardName.self, by: \.board) { card, board in card.boardName = board?.name ?? "" },
    ]
  }

  /// Makes the projection.
  public init() {}

  /// Folds an event.
  ///
  /// - Parameters:
  ///   - recorded: What happened, and when.
  ///   - rows: The cards.
  public func project(_ recorded: Recorded<TeamEvent>, into rows: inout Rows<CardRow>) {
    switch recorded.event {
    case .person(.joined(let id, let name, _, _)), .person(.renamed(let id, let name)):
      rows.relate(PersonName(id: id, name: name))
    case .person: break
    case .board(.opened(let id, let name)), .board(.renamed(let id, let name)):
      rows.relate(BoardName(id: id, name: name))
      rows.renameSection(id, of: \.board, to: name)
    case .board: break
    case .card(let event):
      change(event, at: recorded.time, &rows)
      rows[event.id]?.changed = recorded.time
    case .comment(.written(_, let card, _, _)): rows[card]?.comments += 1
    case .comment(.deleted(_, let card)): rows[card]?.comments -= 1
    case .comment(.edited): break
    }
  }

  private func change(_ event: TeamCardEvent, at time: Date, _ rows: inout Rows<CardRow>) {
    switch event {
    case .added(let id, let board, let title, let points):
      rows.insert(CardRow(id: id, board: board, title: title, points: points, changed: time))
    case .renamed(let id, let title): rows[id]?.title = title
    case .estimated(let id, let points): rows[id]?.points = points
    case .scheduled(let id, let due): rows[id]?.due = due
    case .moved(let id, _, let stage):
      rows.update(id) {
        $0.stage = stage
        $0.done = stage == .done ? time : nil
      }
    case .assigned(let id, _, let person): rows[id]?.person = person
    case .removed(let id): rows[id] = nil
    }
  }
}
