public import Annals
public import Foundation
import TeamBoards
import TeamPeople

/// Something that happened, in a list.
public struct ActivityRow: Row {
  /// Where in the log it happened.
  public let id: Position
  /// What happened, without anything about a person.
  public let text: String
  /// Who did it.
  public let author: String?
  /// When it happened.
  public let time: Date
  /// The day of it, as the year, the month and the day.
  public let day: String

  /// Creates a row.
  ///
  /// - Parameters:
  ///   - id: Where in the log it happened.
  ///   - text: What happened.
  ///   - author: Who did it.
  ///   - time: When it happened.
  public init(id: Position, text: String, author: String?, time: Date) {
    (self.id, self.text, self.author, self.time) = (id, text, author, time)
    day = time.day
  }
}

/// What happened that others want to see: no new titles, estimates or dates.
public struct Activity: Projection {
  /// Makes the projection.
  public init() {}

  /// Folds an event.
  ///
  /// - Parameters:
  ///   - recorded: What happened, when, and who did it.
  ///   - rows: What happened.
  public func project(_ recorded: Recorded<TeamEvent>, into rows: inout Rows<ActivityRow>) {
    guard let text = Self.text(of: recorded.event) else { return }
    rows.insert(ActivityRow(id: recorded.position, text: text, author: recorded.author, time: recorded.time))
  }

  /// Says what happened.
  ///
  /// - Parameter event: The event.
  /// - Returns: A line; nil for what is not shown.
  public static func text(of event: TeamEvent) -> String? {
    switch event {
    case .person(.joined(let id, _, _, let team)): "\(id) joined \(team)"
    case .person(.left(let id)): "\(id) left"
    case .board(.opened(let id, _)): "\(id) opened"
    case .board(.archived(let id)): "\(id) archived"
    case .card(.added(let id, let board, _, _)): "\(id) added to \(board)"
    case .card(.moved(let id, _, let stage)): "\(id) is \(stage.rawValue)"
    case .card(.removed(let id)): "\(id) removed"
    case .comment(.written(_, let card, let author, _)): "\(author) on \(card)"
    case .person, .board, .card, .comment: nil
    }
  }
}

extension Date {
  /// The year, the month and the day in Greenwich.
  public var day: String { String(ISO8601Format().prefix(10)) }
  /// The year and the month in Greenwich.
  public var month: String { String(ISO8601Format().prefix(7)) }
}
