import Annals
import AnnalsLog

/// The settings of a follower.
struct FollowerSettings<Event: Annals.Event>: Sendable {
  let id: FollowerID
  let store: any RemoteEventStore
  let checkpoints: any RemoteCheckpointStore
  let query: EventQuery
  let start: FollowerStart
  let policy: ReadingPolicy
  let retries: FollowerRetries
  let quarantine: FollowerQuarantine
  let partitions: Int
  let lease: Duration
  /// The maximum number of events per call of the follower's code, or `nil` if every call receives a single event.
  let batchSize: Int?
  let handle: @Sendable ([Recorded<Event>], RemoteFollower<Event>.Context) async throws -> Void
}
