import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Synchronization

enum FollowedEvent: Event {
  case written(text: String)
}

extension Duration {
  /// A lease that no worker loses, also on a machine whose other tests let it wait for its next heartbeat.
  static var unlosable: Duration { .seconds(3_600) }
}

/// What followers' code was given, and what it does then.
final class FollowedNotes: Sendable {
  struct Call: Hashable, Sendable, CustomStringConvertible {
    let stream: StreamName
    let version: Int
    let text: String
    let context: RemoteFollower<FollowedEvent>.Context

    var description: String { "\(stream):\(version)\(context.isReplay ? " replay" : "")" }
  }

  struct Poison: Error {}

  private let calls = Mutex<[Call]>([])
  private let poison = Mutex<Set<String>>([])

  /// The texts at which the code throws.
  var poisonous: Set<String> {
    get { poison.withLock { $0 } }
    set { poison.withLock { $0 = newValue } }
  }

  var all: [Call] { calls.withLock { $0 } }
  /// The calls since the last time, as texts.
  var taken: [String] {
    calls.withLock { calls in
      defer { calls = [] }
      return calls.map(\.description)
    }
  }

  /// Notes an event, and throws if it is poisonous.
  func handle(_ recorded: Recorded<FollowedEvent>, _ context: RemoteFollower<FollowedEvent>.Context) throws {
    guard case .written(let text) = recorded.event else { return }
    if poisonous.contains(text) { throw Poison() }
    calls.withLock {
      $0.append(Call(stream: recorded.stream, version: recorded.version, text: text, context: context))
    }
  }

  /// The streams in which an event was handled before one that comes before it, or not at all.
  func problems(_ server: MemoryRemoteServer) throws -> [String] {
    var problems: [String] = []
    var done: [StreamName: Int] = [:]
    for call in all {
      let known = done[call.stream] ?? 0
      if call.version > known + 1 { problems.append("\(call) came after version \(known)") }
      done[call.stream] = max(known, call.version)
    }
    let events = try server.events(.all, after: 0, through: nil, limit: .max)
    for (stream, events) in Dictionary(grouping: events, by: \.stream) where done[stream] ?? 0 < events.count {
      problems.append("\(stream) was handled up to version \(done[stream] ?? 0) of \(events.count)")
    }
    return problems
  }
}

extension MemoryRemoteServer {
  /// Writes texts into streams, each an append of its own.
  func write(_ texts: (StreamName, String)...) throws {
    for (stream, text) in texts { try write(text, to: stream) }
  }

  func write(_ text: String, to stream: StreamName) throws {
    try append(Append([NewEvent(type: "FollowedWritten", payload: #"{"text":"\#(text)"}"#)], to: stream))
  }
}

extension MemoryRemoteStore {
  /// The calls to the server since the last call of this method.
  func takeCalls() -> [StoreFault.Call] {
    defer { fail(nil) }
    return calls
  }
}
