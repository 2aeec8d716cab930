/// What a follower was made with.
struct FollowerSettings<Event: Annals.Event>: Sendable {
  let id: FollowerID
  let store: any RemoteEventStore
  let checkpoints: any RemoteCheckpointStore
  let start: RemoteFollower<Event>.Start
  let policy: ReadingPolicy
  let retries: FollowerRetries
  let quarantine: FollowerQuarantine
  let partitions: Int
  let lease: Duration
  /// How many events the code gets at most in one call; nil if it gets one after the other.
  let batchSize: Int?
  let handle: @Sendable ([Recorded<Event>], RemoteFollower<Event>.Context) async throws -> Void
}
