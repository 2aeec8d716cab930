import AnnalsLog
import Synchronization

/// All that an ``OwnStore`` keeps: the log, and what its capabilities keep beside it.
struct OwnState: Sendable {
  struct Cache: Sendable {
    let name: ExactKey
    let fingerprint: ExactKey
    /// The last position of the lists whose place it takes.
    let taken: Position
    /// Nil before a list is saved.
    var list: SavedList?
    var pages: [Int: [UInt8]] = [:]
  }

  struct SnapshotKey: Hashable {
    let stream: StreamName
    let decider: ExactKey
  }

  var log = OwnLog()
  var checkpoints: [ExactKey: Position] = [:]
  var snapshots: [SnapshotKey: DeciderSnapshot] = [:]
  var caches: [Int: Cache] = [:]
  /// The number that a cache was given last; none is given twice.
  var lastCache = 0

  /// Forgets what was made of the events, because the log has another revision.
  mutating func forgetWhatWasDerived() { (snapshots, caches) = ([:], [:]) }
}

/// A text that is equal to another only if it has the same bytes.
///
/// Swift's strings are equal if they look the same, also with other Unicode scalars. The names of a store are not.
struct ExactKey: Hashable, Sendable {
  private let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Where a capability finds and changes what it keeps: the store, or a transaction that is open.
protocol OwnPlace: Sendable {
  var state: OwnState { get }
  func change<T>(_ body: (inout OwnState) throws -> T) throws -> T
}

/// What a transaction has changed so far.
final class OwnDraft: OwnPlace {
  private let draft: Mutex<OwnState>

  init(_ state: OwnState) { draft = Mutex(state) }

  var state: OwnState { draft.withLock { $0 } }

  func change<T>(_ body: (inout OwnState) throws -> T) throws -> T {
    var state = state
    let result = try body(&state)
    draft.withLock { $0 = state }
    return result
  }
}
