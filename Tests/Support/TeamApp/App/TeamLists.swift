public import Annals
public import AnnalsSQLite
public import TeamPeople

/// The ten lists that the app shows, in one isolation.
public final class TeamLists {
  /// The names under which the lists are saved.
  public static let cacheName = "team"
  /// The board that is shown.
  public static let board = "b0"
  /// The person who uses the app.
  public static let person = "p0"

  /// People by team.
  public let people: FetchedResultsController<PersonRow>
  /// Boards.
  public let boards: FetchedResultsController<BoardRow>
  /// The columns of a board.
  public let board: FetchedResultsController<CardRow>
  /// The next cards of the person who uses the app.
  public let next: FetchedResultsController<CardRow>
  /// Cards with a date, by board.
  public let agenda: FetchedResultsController<CardRow>
  /// Cards by person.
  public let byPerson: FetchedResultsController<CardRow>
  /// Cards by title.
  public let titles: FetchedResultsController<CardRow>
  /// Cards that are done, by month.
  public let done: FetchedResultsController<CardRow>
  /// Comments by card.
  public let comments: FetchedResultsController<CommentRow>
  /// What happened last.
  public let activity: FetchedResultsController<ActivityRow>

  /// Makes the lists; they show nothing yet.
  ///
  /// - Parameters:
  ///   - store: Where the events are.
  ///   - isSaved: True if the lists are saved for the next start.
  ///   - isolation: The isolation that the lists belong to; leave it to its default.
  public init(_ store: SQLiteEventStore, isSaved: Bool = true, isolation: isolated (any Actor)? = #isolation) {
    let name = isSaved ? Self.cacheName : nil
    people = FetchedResultsController(store: store, projection: People(), request: .people, cacheName: name)
    boards = FetchedResultsController(store: store, projection: Boards(), request: .boards, cacheName: name)
    func cards(_ request: ListRequest<CardRow>) -> FetchedResultsController<CardRow> {
      FetchedResultsController(
        store: store, projection: Cards(), request: request, cacheName: name, isolation: isolation)
    }
    board = cards(.board(Self.board))
    next = cards(.next(of: Self.person))
    agenda = cards(.agenda)
    byPerson = cards(.byPerson)
    titles = cards(.titles)
    done = cards(.done)
    comments = FetchedResultsController(store: store, projection: Comments(), request: .comments, cacheName: name)
    activity = FetchedResultsController(store: store, projection: Activity(), request: .activity, cacheName: name)
  }

  /// Shows the lists.
  ///
  /// - Throws: Why one of them cannot be shown.
  public func show() throws {
    try each { try $0.performFetch() }
    collapseOldMonths()
  }

  /// Hides the rows of all months but the last one.
  public func collapseOldMonths() {
    done.collapsedSections = done.sections.first.map { .allExcept([$0.key]) } ?? .none
  }

  /// Does something with each list.
  ///
  /// - Parameter body: What to do.
  /// - Throws: What the body throws.
  public func each(_ body: (any FetchedList) throws -> Void) rethrows {
    let lists: [any FetchedList] = [people, boards, board, next, agenda, byPerson, titles, done, comments, activity]
    for list in lists { try body(list) }
  }
}
