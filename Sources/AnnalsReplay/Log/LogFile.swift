import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsSQLite

/// A log that a command may create.
///
/// The file is created only when there is something to append.
///
/// So a command that fails before that leaves no empty log behind. It also need not delete one, which another process
/// may have opened.
final class LogFile {
  private let path: String
  private var target: Target?
  /// The log; nil if it was not created yet.
  var store: (any EventStore)? { target?.store }

  /// Where the events go.
  private enum Target {
    case file(SQLiteEventStore), server(ServerLog)

    var store: any EventStore {
      switch self {
      case .file(let store): store
      case .server(let store): store
      }
    }
  }

  /// Opens a log that must exist; some commands must not create one.
  init(existing path: String) throws {
    self.path = path
    target = .file(try Self.openExisting(path))
  }

  /// Opens a log if it exists; does nothing otherwise.
  init(_ path: String) throws {
    self.path = path
    if let file = Platform.file(path), file.size > 0 || !file.isRegular { target = .file(try Self.open(path)) }
  }

  /// A log on a server, which exists when it is opened.
  init(_ log: ServerLog) {
    path = ""
    target = .server(log)
  }

  /// The log, created now if it does not exist.
  func create() throws -> any EventStore { try created().store }

  private func created() throws -> Target {
    let created = try target ?? .file(Self.open(path))
    target = created
    return created
  }

  /// Appends to the log.
  ///
  /// Creates it if it does not exist and the append is valid.
  func append(_ append: Append) throws -> Receipt {
    if store == nil {
      try append.validate()
      _ = try append.cutPersonalFields()
    }
    return try create().append(append)
  }

  /// Begins to append to the log, one append after the other, up to the first one that is refused.
  ///
  /// Creates the log if it does not exist and the first append is valid. A store that can commits them together, with
  /// one sync of the disk. Then a condition of the first append holds for all of them.
  func beginCommit(_ appends: [Ready]) throws -> InFlight<GroupReceipt> {
    if store == nil, let first = appends.first?.append {
      do {
        try first.validate()
        _ = try first.cutPersonalFields()
      } catch {
        return InFlight<GroupReceipt> { GroupReceipt(receipts: [], refusal: error) }
      }
    }
    switch try created() {
    case .file(let store): return InFlight<GroupReceipt> { try Self.commit(appends, to: store) }
    case .server(let store): return InFlight<GroupReceipt> { try store.commitGroup(appends.map(\.append)) }
    }
  }

  /// An append that is ready to be committed.
  typealias Ready = SQLiteEventStore.ReadyAppend

  /// Does now what an append needs besides the log, while another thread commits.
  func ready(_ append: Append) -> Ready {
    if case .file(let store) = target { store.ready(append) } else { Ready(append) }
  }

  /// Appends to the log, and waits for the answer.
  func commit(_ appends: [Append]) throws -> GroupReceipt {
    appends.isEmpty ? GroupReceipt(receipts: [], refusal: nil) : try beginCommit(appends.map { Ready($0) }).wait()
  }

  private static func commit(_ appends: [Ready], to store: SQLiteEventStore) throws -> GroupReceipt {
    do {
      return try store.commit(ready: appends)
    } catch let error as EventStoreError where error.code == .io && appends.count > 1 {
      // The disk may have room for some of them.
      let half = appends.count / 2
      let first = try commit(Array(appends[..<half]), to: store)
      guard first.refusal == nil, let end = first.receipts.last?.position else { return first }
      var rest = Array(appends[half...])
      rest[0].set(appends[0].append.conditions.map { .init(noneMatching: $0.noneMatching, after: end) })
      do {
        let second = try commit(rest, to: store)
        return GroupReceipt(receipts: first.receipts + second.receipts, refusal: second.refusal)
      } catch {
        return GroupReceipt(receipts: first.receipts, refusal: error)
      }
    }
  }

  /// The positions of the events with some identities; nil for each that the log does not have.
  func positions(of ids: [EventID]) throws -> [Position?] {
    guard let store else { return ids.map { _ in nil } }
    return try store.index.positions(of: ids)
  }

  /// Opens a log that must exist, for writing.
  static func openExisting(_ path: String) throws -> SQLiteEventStore {
    try check(path)
    guard let file = Platform.file(path) else { throw Platform.missing(path) }
    if file.isRegular, file.size == 0, Platform.file(path + "-wal") == nil {
      throw ReplayError(.unreadable, "\(path): expected an event log, found an empty file")
    }
    return try open(path)
  }

  /// Opens a log that is there, for reading only.
  static func openReading(_ path: String) throws -> SQLiteEventStore {
    try check(path)
    let store = try SQLiteEventStore(readingFrom: path, environment: .tool)
    if try ReplicaNotes.areUnfinished(in: store) {
      throw ReplayError(
        .inputOutput,
        "\(path): expected a complete copy of a remote log, found a copy with an unfinished update after a compaction, "
          + "which matches no state of the remote log; run `import \(path) URL` to complete the copy, and retry")
    }
    return store
  }

  /// Opens a log for writing, or creates it.
  private static func open(_ path: String) throws -> SQLiteEventStore {
    try check(path)
    do {
      return try SQLiteEventStore(path: path, environment: .tool, observesExternalWriters: false)
    } catch let error as EventStoreError where error.code == .readOnly {
      throw ReplayError(.inputOutput, "\(path): cannot be written; change its permissions")
    }
  }

  /// Throws if the path is not a file, or if the file is too short for a log: a file with some bytes is not an empty
  /// log.
  static func check(_ path: String) throws {
    if path == "-", Platform.file(path) == nil {
      throw ReplayError.usage(
        "a log can't be read from standard input, because it is read in any order; write the log to a file first")
    }
    if RemoteLog.scheme(of: path) != nil, Platform.file(path) == nil {
      throw ReplayError.usage(
        "expected a log file, found a URL, which only diff -f, import, log, verify, info, compact, erase, migrate "
          + "and doctor accept. Copy the log to a file with `import LOG URL` (or with `diff URL LOG -f`, which keeps "
          + "it current), and pass LOG instead of the URL")
    }
    guard let file = Platform.file(path), !file.isFolder else { return }
    guard file.isRegular else {
      throw ReplayError(.inputOutput, "\(path): expected a file, found a device, a pipe or a socket")
    }
    // SQLite's header has a hundred bytes (sqlite.org/fileformat.html, 1.3).
    if (1..<100).contains(file.size) {
      throw ReplayError(
        .unreadable,
        "\(path): expected an event log (a SQLite database), found a file of \(Text.counted(file.size, "byte"))")
    }
  }
}

extension StoreEnvironment {
  /// The tool says itself what stops a list, and says it once.
  static var tool: StoreEnvironment { StoreEnvironment(report: { _ in }) }
}
