import Annals
import AnnalsSQLite
import Foundation
import TeamApp
import TeamBoards
import TeamPeople
import TeamPlain
import Testing

/// Other readers of several event types: a subscription, and a list that is kept in every append.
@MainActor @Suite struct TeamUnionTests {
  @Test func `a subscription to four types has each event once and in order, also those of another process`()
    async throws
  {
    let folder = try TeamFolder()
    let team = try Team(path: folder.log)
    try await team.begin()
    let subscription = try team.store.subscription(of: TeamEvent.self, after: 0, batchSize: 16)
    let end = try team.store.head().rawValue + 200
    let reading = Task.detached {
      var seen: [(Position, TeamEvent)] = []
      for try await batch in subscription {
        seen += batch.events.map { ($0.position, $0.event) }
        if batch.position.rawValue >= end { break }
      }
      return seen
    }
    let child = try TeamProcess("import", folder.log, "200", "7")
    let (lines, status) = await child.finish()
    #expect(status == 0, "\(lines)")
    let seen = try await reading.value
    let expected = try await team.store.events(of: TeamEvent.self)
    #expect(expected.count == end && seen.map { $0.0 } == expected.map(\.position))
    #expect(seen.map { $0.1 } == expected.map(\.event))
  }

  @Test func `a list of four types that is kept in every append is right after each, and after a restart`() async throws
  {
    let folder = try TeamFolder()
    try await {
      let team = try Team(path: folder.log)
      let kept = try team.store.keepList(of: Cards(), request: .byPerson, cacheName: "kept")
      try await team.begin()
      for _ in 0..<60 {
        try await team.attempt(.random { Int.random(in: 0..<$0) })
        let now = try await team.store.list(of: Cards(), .byPerson)
        #expect(kept.results == now && kept.failure == nil)
      }
    }()
    let team = try Team(path: folder.log)
    let list = FetchedResultsController(
      store: team.store, projection: Cards(), request: .byPerson, cacheName: "kept")
    try list.performFetch()
    let head = try team.store.head()
    #expect(list.cacheReport.restored == head)
    #expect(try await list.results == team.store.list(of: Cards(), .byPerson))
  }
}
