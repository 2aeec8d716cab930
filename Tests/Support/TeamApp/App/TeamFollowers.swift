public import Annals
import AnnalsSQLite
public import TeamBoards
public import TeamPeople

/// A mail to a person who got a card.
public struct Mail: Hashable, Sendable {
  /// The person.
  public let person: String
  /// The card.
  public let card: String
  /// The event that is the reason, by which a mail that comes again is known.
  public let key: EventID

  /// Makes a mail.
  ///
  /// - Parameters:
  ///   - person: The person.
  ///   - card: The card.
  ///   - key: The event that is the reason.
  public init(person: String, card: String, key: EventID) {
    (self.person, self.card, self.key) = (person, card, key)
  }
}

extension Team {
  /// Makes the follower that sends a mail to each person who gets a card.
  ///
  /// - Parameters:
  ///   - retries: How often a mail is tried.
  ///   - send: Sends a mail.
  /// - Returns: The follower.
  /// - Throws: Why there is none.
  public func mailer(
    retries: FollowerRetries = .retrying(attempts: 4, firstDelay: .milliseconds(5)),
    send: @escaping @Sendable (Mail) async throws -> Void
  ) throws -> EventFollower<TeamCardEvent> {
    try EventFollower("mailer", of: TeamCardEvent.self, in: store, startingAt: .beginning, retries: retries) {
      recorded, context in
      guard case .assigned(let card, _, let person?) = recorded.event, !context.isReplay else { return }
      try await send(Mail(person: person, card: card, key: recorded.id))
    }
  }

  /// Makes the follower that keeps an index of words outside of the log.
  ///
  /// - Parameter index: The index.
  /// - Returns: The follower.
  /// - Throws: Why there is none.
  public func indexer(_ index: WordIndex) throws -> EventFollower<EventUnion2<TeamPersonEvent, TeamCardEvent>> {
    try EventFollower(
      "indexer", of: EventUnion2<TeamPersonEvent, TeamCardEvent>.self, in: store, startingAt: .beginning, batchSize: 100
    ) { batch, _ in
      try await index.take(batch.map(\.event))
    }
  }
}
