import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

/// Imports a repository's first-parent history into a log: a row for each file, a transaction for each commit.
struct GitImporter {
  private static let collection = "file"
  private static let stream: StreamName = "file"

  private let log: LogFile
  private var version = 0
  /// The ids of the files that exist, by path.
  private var ids: [ExactString: String] = [:]
  /// How many commits have touched each file, by its id.
  ///
  /// Nil in a log that was begun by an older version, whose rows have no such field: it goes on as it was begun.
  private var touched: [ExactString: Int]? = [:]
  private var inserted = 0
  /// The last commit that the log has; nil if it has none.
  private(set) var last: String?
  private var source: String?
  private(set) var commits = 0
  private(set) var events = 0
  /// The appends that are not committed yet, and how many events they have.
  private var held: (appends: [Append], events: Int) = ([], 0)
  /// How many events are committed together.
  private static let most = 16_384

  /// Begins to import.
  ///
  /// If the log does not exist, the first commit creates it.
  init(into log: LogFile) throws {
    self.log = log
    guard let store = log.store else { return }
    version = try store.version(of: Self.stream)
    var records = RecordCollections()
    try store.forEachEvent { event in
      try records.apply(type: event.type, payload: event.payload)
      if event.stream == Self.stream, event.type == "RecordInserted" { inserted += 1 }
      if event.id.source.hasPrefix("git:") {
        last = event.metadata["transaction"]
        source = event.id.source
      }
    }
    for record in records.rows[ExactString(Self.collection)]?.all ?? [] {
      if case .string(let path) = record[ExactString("path")] { ids[ExactString(path)] = record.id }
      if case .number(let number) = record[ExactString("commits")], let count = number.int {
        touched?[ExactString(record.id)] = count
      } else {
        touched = nil
      }
    }
  }

  /// Imports the commits that the log doesn't have.
  ///
  /// - Parameters:
  ///   - repository: The repository.
  ///   - progress: A closure that is called after every commit. If it throws, the commits so far are in the log.
  /// - Throws: ``ReplayError``, the errors of the log, and the errors of the closure.
  mutating func take(_ repository: GitRepository, progress: (GitImporter) throws -> Void) throws {
    let history = try repository.history()
    guard let root = history.first else { return }
    let source = "git:\(root)"
    if let last, !history.contains(last) || self.source != source {
      throw ReplayError(
        .negative,
        "the log ends at commit \(last), which the history of \(repository.path) does not have: it is another "
          + "repository, another branch or a rewritten history; import it into a new log")
    }
    do {
      try repository.forEachCommit(after: last) { commit in
        try take(commit, source)
        try progress(self)
      }
    } catch {
      // The commits before it are good.
      try flush()
      throw error
    }
    try flush()
  }

  /// Commits what is held, with one sync of the disk.
  private mutating func flush() throws {
    let answer = try log.commit(held.appends)
    held = ([], 0)
    if let refusal = answer.refusal { throw refusal }
  }

  private mutating func take(_ commit: GitRepository.Commit, _ source: String) throws {
    var records: [RecordEvent] = []
    var renames: [(id: String, from: String, to: String)] = []
    // Deletions before insertions: a commit may give a file's name to another file.
    for change in commit.changes {
      switch change {
      case .deleted(let path):
        let id = try remove(path, commit)
        touched?[ExactString(id)] = nil
        records.append(.deleted(id: id))
      case .renamed(let from, let to):
        renames.append((try remove(from, commit), try text(from, commit), try text(to, commit)))
      default: continue
      }
    }
    for rename in renames {
      ids[ExactString(rename.to)] = rename.id
      let (old, new) = (fields(rename.from), fields(rename.to))
      let changed = zip(old, new).filter { $0.value != $1.value }.map(\.1)
      records.append(.updated(id: rename.id, fields: changed + touch(rename.id, commit)))
    }
    for change in commit.changes {
      switch change {
      case .added(let path):
        let path = try text(path, commit)
        inserted += 1
        let id = "f\(inserted)"
        ids[ExactString(path)] = id
        records.append(.inserted(id: id, fields: fields(path) + touch(id, commit)))
      case .modified(let path):
        let id = try id(of: path, commit)
        records.append(.updated(id: id, fields: touch(id, commit)))
      default: continue
      }
    }
    commits += 1
    guard !records.isEmpty else { return }
    try append(records, of: commit, source)
  }

  private mutating func append(_ records: [RecordEvent], of commit: GitRepository.Commit, _ source: String) throws {
    let time = RFC3339.date(of: commit.time)
    var metadata: Metadata = ["transaction": commit.hash]
    if !commit.author.isEmpty { metadata.author = commit.author }
    if !commit.subject.isEmpty { metadata["message"] = commit.subject }
    let new = records.enumerated().map { index, record in
      NewEvent(
        type: record.type, payload: record.payload(in: Self.collection), metadata: metadata,
        id: EventID(source: source, id: "\(commit.hash)-\(index + 1)"), time: time)
    }
    held.appends.append(Append(new, to: Self.stream, expecting: .exact(version)))
    held.events += new.count
    version += new.count
    events += new.count
    if held.events >= Self.most { try flush() }
  }

  /// Counts a commit that touches a file: the fields that say so.
  private mutating func touch(_ id: String, _ commit: GitRepository.Commit) -> [JSONMember] {
    guard touched != nil else { return [] }
    let count = (touched?[ExactString(id)] ?? 0) + 1
    touched?[ExactString(id)] = count
    return [
      .init(name: "commits", value: .number(JSONNumber(count))), .init(name: "changed", value: .string(commit.time)),
    ]
  }

  private func id(of path: Data, _ commit: GitRepository.Commit) throws -> String {
    let path = try text(path, commit)
    guard let id = ids[ExactString(path)] else {
      throw ReplayError(
        .unreadable,
        "commit \(commit.hash) changes \(JSONValue.quoted(path)), which the log does not have; "
          + "import into a new log"
      )
    }
    return id
  }

  private mutating func remove(_ path: Data, _ commit: GitRepository.Commit) throws -> String {
    let id = try id(of: path, commit)
    ids[ExactString(try text(path, commit))] = nil
    return id
  }

  private func text(_ path: Data, _ commit: GitRepository.Commit) throws -> String {
    if let text = String(validating: path, as: UTF8.self) { return text }
    let name = String(decoding: path, as: UTF8.self).debugDescription
    throw ReplayError(
      .unreadable,
      "commit \(commit.hash): the name \(name) is not UTF-8, and an event holds nothing else; "
        + "the commits before it were imported, but not this commit")
  }

  private func fields(_ path: String) -> [JSONMember] {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let directory = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
    let name = parts.last.map(String.init) ?? path
    return [("path", path), ("directory", directory), ("name", name)].map { .init(name: $0, value: .string($1)) }
  }
}
