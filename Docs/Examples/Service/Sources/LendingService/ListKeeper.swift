import Annals
import LendingDomain

/// Keeps the list of things current on a separate actor, and passes its changes to the feed.
actor ListKeeper {
  func run(_ log: ServiceLog, _ feed: ListFeed) async throws {
    if case .remote(let replica) = log { try await replica.catchUp() }
    let things = FetchedResultsController(store: log.reading, projection: Things(), request: .shelves)
    try await things.performFetch { _ in }
    feed.begin(with: things.results)
    let observation = things.observe { feed.add($0) }
    defer { withExtendedLifetime(observation) {} }
    switch log {
    case .remote(let replica):
      try await replica.run { _ in feed.reach(things.position, failure: things.failure) }
    case .local(let store):
      for try await _ in store.subscription(after: things.position) {
        things.refresh()
        feed.reach(things.position, failure: things.failure)
      }
    }
  }
}
