import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import TeamApp
import TeamBoards
import TeamPeople
import TeamPlain
import Testing

/// A folder for a log, which goes away with this object.
final class TeamFolder: Sendable {
  let folder: URL
  var log: String { folder.appending(path: "team.annals").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "annals-team-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The bytes of all files of the log.
  func bytes() throws -> Data {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix("team.annals") }
      .reduce(into: Data()) { $0 += try Data(contentsOf: $1) }
  }
}

/// Applies each batch of a list to a copy of it, which must then be the new list.
@MainActor final class BatchReplay<Row: Annals.Row> {
  private var table: MirrorTable<Row>
  private var position: Position
  private(set) var violations: [String] = []
  private(set) var batches = 0
  private(set) var causes: [ChangeCause] = []
  private var observation: ChangeObservation?

  init(_ list: FetchedResultsController<Row>) {
    table = MirrorTable(list.results)
    position = list.position
    observation = list.observe { [unowned self] changes in
      MainActor.assumeIsolated { take(changes) }
    }
  }

  private func take(_ changes: Changes<Row>) {
    batches += 1
    causes.append(changes.cause)
    if changes.to < position, !changes.cause.contains(.seek) {
      violations.append("from \(position) back to \(changes.to)")
    }
    position = changes.to
    do { try table.apply(changes) } catch { violations.append("\(error)") }
  }

  /// What was wrong, also with the list as it is now.
  func problems(_ list: FetchedResultsController<Row>) -> [String] {
    table.shows(list.results) ? violations : violations + ["the batches lead to another list"]
  }
}

/// The replays of all ten lists.
@MainActor final class TeamReplays {
  let people: BatchReplay<PersonRow>
  let boards: BatchReplay<BoardRow>
  let cards: [BatchReplay<CardRow>]
  let comments: BatchReplay<CommentRow>
  let activity: BatchReplay<ActivityRow>
  private let lists: TeamLists

  init(_ lists: TeamLists) {
    self.lists = lists
    people = BatchReplay(lists.people)
    boards = BatchReplay(lists.boards)
    cards = Self.cardLists(lists).map { BatchReplay($0) }
    comments = BatchReplay(lists.comments)
    activity = BatchReplay(lists.activity)
  }

  private static func cardLists(_ lists: TeamLists) -> [FetchedResultsController<CardRow>] {
    [lists.board, lists.next, lists.agenda, lists.byPerson, lists.titles, lists.done]
  }

  var problems: [String] {
    people.problems(lists.people) + boards.problems(lists.boards) + comments.problems(lists.comments)
      + activity.problems(lists.activity)
      + zip(cards, Self.cardLists(lists)).flatMap { $0.problems($1) }
  }

  var batches: Int {
    people.batches + boards.batches + comments.batches + activity.batches + cards.reduce(0) { $0 + $1.batches }
  }

  var causes: [ChangeCause] {
    people.causes + boards.causes + comments.causes + activity.causes + cards.flatMap(\.causes)
  }
}

extension Team {
  /// Does what is not refused.
  func attempt(
    _ action: TeamAction, by author: String? = nil, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    do {
      try await perform(action, by: author)
    } catch let error as EventStoreError {
      throw error
    } catch is Membership.Refusal {
    } catch is Board.Refusal {
    } catch is CardDesk.Refusal {
    } catch is Discussion.Refusal {
    }
  }

  /// Three people, two boards and four cards.
  func begin(isolation: isolated (any Actor)? = #isolation) async throws {
    for (number, name) in ["Ann Secretname", "Bo", "Çem"].enumerated() {
      try await perform(
        .person(.join(id: "p\(number)", name: name, mail: "\(number)@secretmail.org", team: "red")))
    }
    for number in 0..<2 { try await perform(.board(.open(id: "b\(number)", name: "board \(number)"))) }
    for number in 0..<4 {
      try await perform(
        .card(.add(id: "c\(number)", board: "b\(number % 2)", title: "write \(number)", points: number)))
    }
  }
}

/// Waits until something holds, without holding the caller's isolation; at most ten minutes, for a busy machine.
func eventually(isolation: isolated (any Actor)? = #isolation, _ holds: () throws -> Bool) async throws -> Bool {
  let end = ContinuousClock.now + .seconds(600)
  while ContinuousClock.now < end {
    if try holds() { return true }
    try await Task.sleep(for: .milliseconds(2))
  }
  return try holds()
}
