import Annals
import Foundation
import Observation

#if canImport(UIKit)
  import UIKit
#endif

enum ScoreEvent: Event {
  case joined(player: String, team: String)
  case scored(player: String, points: Int)
}

struct Player: Row {
  let id: String
  var team: String
  var points = 0
}

struct Players: Projection {
  func project(_ event: ScoreEvent, into rows: inout Rows<Player>) {
    switch event {
    case .joined(let player, let team): rows.insert(Player(id: player, team: team))
    case .scored(let player, let points): rows[player]?.points += points
    }
  }
}

final class Scoreboard {
  func controllerWillChangeContent(_ controller: FetchedResultsController<Player>) { print("will change") }
  func controllerDidChangeContent(_ controller: FetchedResultsController<Player>) { print("did change") }
}

extension Scoreboard: FetchedResultsControllerDelegate {
  func controller(
    _ controller: FetchedResultsController<Player>, didChange player: Player, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    print("\(type) \(player.id), at \(indexPath?.row ?? -1), new \(newIndexPath?.row ?? -1)")
  }

  func controller(
    _ controller: FetchedResultsController<Player>, didChange section: ResultsSection<Player>,
    atSectionIndex index: Int, for type: FetchedResultsChangeType
  ) {
    print("\(type) section \(section.title)")
  }
}

/// A delegate with all methods, to copy from the page.
final class WholeDelegate {}

extension WholeDelegate: FetchedResultsControllerDelegate {
  func controllerWillChangeContent(_ controller: FetchedResultsController<Player>) {}

  func controller(
    _ controller: FetchedResultsController<Player>, didChange section: ResultsSection<Player>,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType, newSectionIndex: Int?
  ) {}

  func controller(
    _ controller: FetchedResultsController<Player>, didChange player: Player, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {}

  func controllerDidChangeContent(_ controller: FetchedResultsController<Player>) {}

  func controller(_ controller: FetchedResultsController<Player>, didChangeAggregates changes: AggregateChanges) {}

  func controller(_ controller: FetchedResultsController<Player>, didChangeContentWith snapshot: Results<Player>) {}

  func controller(
    _ controller: FetchedResultsController<Player>, didChangeContentWith difference: CollectionDifference<Player.ID>
  ) {}

  func controller(
    _ controller: FetchedResultsController<Player>, sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }

  func controller(_ controller: FetchedResultsController<Player>, didFailWith error: any Error) {}
}

/// The program of `Docs/Guides/04-HearingOfChanges.md`.
enum HearingOfChanges {
  @MainActor static func run(path: String) async throws {
    let store = MemoryEventStore()
    let players = FetchedResultsController(
      store: store, projection: Players(), request: ListRequest(sort: [.descending(\.points)], section: .by(\.team)))
    try await store.append(
      [
        ScoreEvent.joined(player: "Ann", team: "Reds"), .joined(player: "Bob", team: "Reds"),
        .joined(player: "Cleo", team: "Reds"),
      ], to: "game")

    let scoreboard = Scoreboard()
    players.delegate = scoreboard
    try await players.performFetch { _ in }
    try await store.append([ScoreEvent.scored(player: "Cleo", points: 2)], to: "game")
    players.delegate = nil

    let observation = players.observe { changes in
      print("from \(changes.from) to \(changes.to):", changes.sections.count, "sections,", changes.rows.count, "rows")
    }
    try await store.append(
      [ScoreEvent.joined(player: "Dan", team: "Blues"), .scored(player: "Dan", points: 1)], to: "game")
    observation.cancel()

    var batches = players.changes.makeAsyncIterator()
    try await store.append([ScoreEvent.scored(player: "Ann", points: 3)], to: "game")
    try await store.append([ScoreEvent.scored(player: "Bob", points: 5)], to: "game")
    if let changes = await batches.next() {
      print("one batch from \(changes.from) to \(changes.to)")
      print(changes.new[key: "Reds"]?.map(\.id) ?? [])
    }

    withObservationTracking {
      print("the body reads \(players.sections.count) sections")
    } onChange: {
      print("the body is due again")
    }
    try await store.append([ScoreEvent.scored(player: "Dan", points: 1)], to: "game")

    try await players.update { $0.sort = [.ascending(\.id)] }
    let before = players.results
    try await store.append([ScoreEvent.joined(player: "Eve", team: "Blues")], to: "game")
    let changes = Changes(from: before, to: players.results)
    print(changes.diffable.edits.count, "edit of a diffable snapshot,", changes.edits.count, "single edit")
  }
}
