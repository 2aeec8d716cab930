import Synchronization

/// What the code of a follower notes, in order, for the test to take.
final class FollowerNotes: Sendable {
  private let all = Mutex<[String]>([])
  func add(_ text: String) { all.withLock { $0.append(text) } }
  var takeAll: [String] {
    all.withLock { all in
      defer { all = [] }
      return all
    }
  }
}
