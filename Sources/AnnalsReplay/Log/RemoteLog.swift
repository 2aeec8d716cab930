import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsSQLite
import Foundation
import Synchronization

/// A log that a URL names, and the copy of it in a file.
struct RemoteLog {
  private let url: String
  private let open: @Sendable (String, Bool) async throws -> any RemoteEventStore

  /// What stands before `://`; nil for a file.
  static func scheme(of name: String) -> String? {
    guard let end = name.range(of: "://"), name.startIndex < end.lowerBound else { return nil }
    let scheme = name[..<end.lowerBound].lowercased()
    let isScheme = scheme.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
    }
    return isScheme ? scheme : nil
  }

  /// Returns a log's name for a message, without the password of a URL or of a database's keywords.
  static func shown(_ name: String) -> String {
    guard scheme(of: name) != nil, let start = name.range(of: "://")?.upperBound else {
      return name.replacing(#/((?:^|\s)(?:ssl)?password\s*=\s*)('[^']*'?|\S+)/#) { $0.1 + "…" }
    }
    let name = name.replacing(#/([?&](?:ssl)?password=)[^&]*/#) { $0.1 + "…" }
    let end = name[start...].firstIndex { "/?#".contains($0) } ?? name.endIndex
    guard let at = name[start..<end].lastIndex(of: "@"), let colon = name[start..<at].firstIndex(of: ":") else {
      return name
    }
    return name[...colon] + "…" + name[at...]
  }

  /// Finds out how a URL is opened.
  init(_ url: String, tool: String, _ catalog: ReplayCatalog) throws {
    guard let scheme = Self.scheme(of: url) else {
      throw ReplayError.usage("expected a URL such as postgresql://user@host/database, found \"\(Self.shown(url))\"")
    }
    guard let open = catalog.remotes[scheme] else {
      let isPostgres = scheme == "postgresql" || scheme == "postgres"
      throw ReplayError.usage(
        "\(tool) can't open \(scheme):// URLs"
          + (catalog.remotes.isEmpty
            ? "" : "; it can open URLs with the schemes " + catalog.remotes.keys.sorted().joined(separator: ", "))
          + (isPostgres
            ? "; to add PostgreSQL, build it with swift build -c release --traits Postgres --product annals-tool" : ""))
    }
    self.url = url
    self.open = open
  }

  /// Opens it, for the subcommands that read or fill it.
  ///
  /// - Parameter creates: True if a log that is not there is made.
  /// - Returns: The log.
  /// - Throws: What opening it throws; `Ended` if a signal ends the process meanwhile.
  func connect(creates: Bool) throws -> ServerLog {
    let (open, url) = (open, url)
    return ServerLog(try Self.waiting { try await open(url, creates) })
  }

  /// Waits for a call that needs no open log.
  ///
  /// - Returns: The call's result.
  /// - Throws: The call's error, or `Ended` if a signal ends the process in the meantime.
  static func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    _ = Platform.EndSignal()
    do { return try AwaitedInBackground(body).wait {} } catch is CancellationError { throw Ended() }
  }

  /// Copies what is there into a file, which is created if it is not there, and says how far it is.
  ///
  /// - Returns: The position of the last event, and how many events are new.
  func clone(into path: String, _ progress: Progress) throws -> (position: Position, events: Int) {
    try LogFile.check(path)
    let (open, url) = (open, url)
    let seen = Mutex<LogProgress?>(nil)
    _ = Platform.EndSignal()
    let work = AwaitedInBackground {
      let remote = try await open(url, false)
      let local = try SQLiteEventStore(path: path, environment: .tool, observesExternalWriters: false)
      defer { local.close() }
      let before = try local.head()
      let position = try await Replica(of: remote, in: local).catchUp { progress in
        seen.withLock { $0 = progress }
      }
      return (position, position.rawValue - before.rawValue)
    }
    return try work.wait {
      guard let found = seen.withLock({ $0 }) else { return }
      progress.step(found.position.rawValue, of: found.end.rawValue, "events", doing: "cloning")
    }
  }

  /// Copies what is there and what comes into a file, until it is ended.
  func follow(into path: String) -> RemoteCopy { RemoteCopy(url, path, open) }
}

/// A file that is kept up to date with a remote log.
final class RemoteCopy: Sendable {
  private final class Notes: Sendable {
    let state = Mutex<(isAway: Bool, sentence: String?)>((false, nil))
  }

  private let notes: Notes
  private let work: AwaitedInBackground<Void>

  fileprivate init(
    _ url: String, _ path: String, _ open: @escaping @Sendable (String, Bool) async throws -> any RemoteEventStore
  ) {
    let notes = Notes()
    self.notes = notes
    work = AwaitedInBackground {
      let remote = try await open(url, false)
      let local = try SQLiteEventStore(path: path, environment: .tool, observesExternalWriters: false)
      defer { local.close() }
      try await Replica(of: remote, in: local).run { status in
        notes.state.withLock { state in
          switch status.activity {
          case .waiting(_, let error):
            if !state.isAway { state = (true, "\(error); retrying") }
          case .current: state.isAway = false
          case .starting, .catchingUp, .stopped: break
          }
        }
      }
    }
  }

  /// What is to be said since the last call: that the server is away.
  ///
  /// - Throws: What ended the copying.
  func news() throws -> String? {
    _ = try work.poll()
    return notes.state.withLock { state in
      defer { state.sentence = nil }
      return state.sentence
    }
  }

  /// Ends it, and waits until the file is closed.
  func end() { _ = try? work.end() }
}

/// Asynchronous work, while this thread says how far it is; it is cancelled when it is no longer held.
///
/// The thread that waits must be none of Swift's pool, which the work may need.
final class AwaitedInBackground<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
  }

  private let box = Box()
  private let isDone = DispatchSemaphore(value: 0)
  private let task: Task<Void, Never>

  /// Begins the work.
  init(_ work: @escaping @Sendable () async throws -> Value) {
    task = Task.detached { [box, isDone] in
      let found: Result<Value, any Error>
      do { found = .success(try await work()) } catch { found = .failure(error) }
      box.result.withLock { $0 = found }
      isDone.signal()
    }
  }

  deinit { task.cancel() }

  /// What came of the work; nil while it is under way.
  func poll() throws -> Value? { try box.result.withLock { $0 }?.get() }

  /// Waits for the work, and calls a closure ten times a second meanwhile; a signal that ends the process cancels it.
  func wait(_ look: () -> Void) throws -> Value {
    while true {
      // A second call gets the value without the signal, which the first call received.
      if let value = try poll() { return value }
      if isDone.wait(timeout: .now() + .milliseconds(100)) == .success { continue }
      if Platform.EndSignal.status != nil { task.cancel() }
      look()
    }
  }

  /// Cancels the work and waits until it has ended, so that its files are closed.
  func end() throws -> Value? {
    task.cancel()
    isDone.wait()
    return try poll()
  }
}
