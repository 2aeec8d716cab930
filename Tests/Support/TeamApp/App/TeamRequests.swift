public import Annals
import Foundation
import TeamBoards
public import TeamPeople

extension ListRequest<PersonRow> {
  /// People by team and name, those who have left last.
  public static var people: ListRequest {
    ListRequest(
      sort: [.ascending { $0.hasLeft ? 1 : 0 }.named("left last"), .ascending(\.name)], section: .by(\.team),
      aggregates: [.count])
  }
}

extension ListRequest<BoardRow> {
  /// Boards by name, the archived ones in a section of their own.
  public static var boards: ListRequest {
    ListRequest(sort: [.ascending(\.name)], section: .by(\.isArchived))
  }
}

extension ListRequest<CardRow> {
  /// The cards of a board in columns that are always there.
  ///
  /// - Parameter board: The board.
  /// - Returns: The request.
  public static func board(_ board: String) -> ListRequest {
    ListRequest(
      filter: .where("board \(board)") { $0.board == board }, sort: [.descending(\.points), .ascending(\.title)],
      section: .by(\.stage, pinned: Stage.allCases), aggregates: [.count, .sum(\.points)])
  }

  /// The next cards of a person, without the first one, which stands above the list.
  ///
  /// - Parameter person: The person.
  /// - Returns: The request.
  public static func next(of person: String) -> ListRequest {
    ListRequest(
      filter: .where("cards of \(person)") { $0.person == person }, sort: [.descending(\.due), .ascending(\.title)],
      limit: 3, offset: 1)
  }

  /// The cards that have a date and are not done, by board.
  public static var agenda: ListRequest {
    ListRequest(
      filter: .where("has a date") { $0.due != nil } && !.where("is done") { $0.stage == .done },
      sort: [.ascending(\.due)], section: .by(\.board, order: .byTitle))
  }

  /// All cards by person, first the person whose card changed last.
  public static var byPerson: ListRequest {
    ListRequest(
      sort: [.descending(\.changed), .ascending(\.title)], section: .by(\.person, order: .byRows),
      aggregates: [.count, .sum(\.points), .maximum(\.due), .distinct(\.board)])
  }

  /// All cards by title, to find them by how their titles begin.
  public static var titles: ListRequest {
    ListRequest(sort: [.ascending { $0.title.lowercased() }.named("title in small letters")])
  }

  /// The cards that are done by month, the last month first.
  public static var done: ListRequest {
    ListRequest(
      filter: .where("is done") { $0.stage == .done }, sort: [.descending(\.done)],
      section: .by("month", order: .byKey.descending) { $0.done?.month }, aggregates: [.count, .sum(\.points)])
  }
}

extension ListRequest<CommentRow> {
  /// Comments by card, first the card that was talked about last.
  public static var comments: ListRequest {
    ListRequest(sort: [.descending(\.written)], section: .by(\.card, order: .byRows))
  }
}

extension ListRequest<ActivityRow> {
  /// The last hundred things that happened, by day.
  public static var activity: ListRequest {
    ListRequest(sort: [.descending(\.id)], section: .by(\.day, order: .byKey.descending), limit: 100)
  }
}
