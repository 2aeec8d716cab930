import Annals
import AnnalsRemote
import LendingDomain

/// Keeps the list of things current on a separate actor, and adds every version to the feed.
actor ListKeeper {
  private var observation: ChangeObservation?

  func load(_ store: any EventStore, into feed: ListFeed<Thing>) async throws {
    let things = FetchedResultsController(store: store, projection: Things(), request: .shelves)
    try await things.performFetch { _ in }
    observation = feed.follow(things)
  }
}
