import Annals
import AnnalsLog
import AnnalsTesting
import Disks
import Foundation
import Synchronization

@testable import AnnalsSQLite

/// Performs steps on a log while the disk loses power again and again, and checks what must be there each time.
final class PowerRun {
  /// The acknowledged steps, and when, on the disk's clock.
  private struct Answers {
    var source: (text: String, moment: Int)?
    var appends: [(position: Position, commandID: String?, moment: Int)] = []
    var erasures: [(subject: String, began: Int, moment: Int, secrets: [String])] = []
    /// The values of each subject that is not erased.
    var secrets: [String: [String]] = [:]
  }

  private static let request = ListRequest<PowerRow>(
    sort: [.descending(\.shelf), .ascending(\.id)], section: .by(\.shelf))

  private let folder: URL
  private let disk: PowerDisk
  private let durability: Durability
  /// The SQL to run each time that the log was opened.
  private let sabotage: String?
  private var store: SQLiteEventStore
  private var answers = Answers()
  private let coder: EventCoder<PowerEvent>
  private var number = 0

  /// Creates a log.
  init(seed: UInt64, sparesNeighbours: Bool, durability: Durability, oneOf rarity: Int = 12, sabotage: String?) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    disk = PowerDisk(seed: seed, oneOf: rarity, sparesNeighbours: sparesNeighbours)
    try WatchedFiles.watch(folder, by: disk)
    self.durability = durability
    self.sabotage = sabotage
    coder = try EventCoder<PowerEvent>()
    store = try SQLiteEventStore(path: folder.appending(path: "log").path, durability: durability)
    answers.source = (store.source, disk.moment)
    try sabotageStore()
  }

  deinit {
    store.close()
    WatchedFiles.forget(folder)
    try? FileManager.default.removeItem(at: folder)
  }

  private func sabotageStore() throws {
    if let sabotage { try store.writer?.use { try $0.execute(sabotage) } }
  }

  private func append(_ events: [PowerEvent], to stream: StreamName, id: String?) throws -> Append {
    Append(
      try events.map { event in
        guard case .put(let row) = event else { return .init(stream: stream, event: try coder.encode(event)) }
        // Each text is unique, so that the test can search for it.
        number += 1
        let secret = "SECRET NUMBER \(number) "
        answers.secrets[row.text.subject, default: []].append(secret)
        let text = Personal(secret + (row.text.value ?? ""), of: row.text.subject)
        return .init(
          stream: stream, event: try coder.encode(.put(PowerRow(id: row.id, shelf: row.shelf, text: text))))
      }, commandID: id)
  }

  /// Commits appends, one list per thread.
  private func commit(_ lanes: [[Append]]) throws {
    let (store, disk) = (store, disk)
    let done = Mutex<Result<[(Position, String?, Int)], any Error>>(.success([]))
    @Sendable func commit(_ lane: Int) {
      for append in lanes[lane] {
        let outcome = Result { (try store.append(append).position, append.commandID, disk.moment) }
        done.withLock { done in done = done.flatMap { all in outcome.map { all + [$0] } } }
      }
    }
    if lanes.count == 1 { commit(0) } else { onThreads(lanes.count) { commit($0) } }
    for answer in try done.withLock({ try $0.get() }) { answers.appends.append(answer) }
  }

  func run(_ step: PowerStep, _ number: Int) throws {
    switch step {
    case .append(let events, let withID):
      try commit([[try append(events, to: StreamName("s\(number % 3)"), id: withID ? "command \(number)" : nil)]])
    case .crowd(let count):
      try commit(
        (0..<3).map { lane in
          try (0..<count).map { place in
            let row = PowerRow(id: lane, shelf: place, text: Personal("in a crowd", of: "subject-\(lane)"))
            return try append([.put(row), .put(row)], to: "crowd", id: "\(number)-\(lane)-\(place)")
          }
        })
    case .checkpoint: try store.writer?.checkpoint()
    case .reopen:
      store.close()
      store = try SQLiteEventStore(path: folder.appending(path: "log").path, durability: durability)
      try sabotageStore()
    case .save: try Self.list(of: store, named: "rows").saveCache()
    case .erase(let subject):
      let began = disk.moment
      let subject = "subject-\(subject)"
      try ensure(store.erase(subject: subject).isComplete)
      answers.erasures.append((subject, began, disk.moment, answers.secrets.removeValue(forKey: subject) ?? []))
    }
  }

  private static func list(
    of store: SQLiteEventStore, named name: String?
  ) throws -> FetchedResultsController<PowerRow> {
    let list = FetchedResultsController(store: store, projection: PowerRows(), request: request, cacheName: name)
    try list.performFetch()
    return list
  }

  /// Checks the disk at each recorded moment, and returns their number.
  func checkPictures() throws -> Int {
    let events = try store.events(.all, after: 0, through: nil, limit: 10_000)
    let pictures = disk.pictures
    for picture in pictures {
      let found = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: found, withIntermediateDirectories: true)
      try WatchedFiles.watch(found, by: QuickDisk())
      defer {
        WatchedFiles.forget(found)
        try? FileManager.default.removeItem(at: found)
      }
      for (name, bytes) in picture.files { try Data(bytes).write(to: found.appending(path: name)) }
      do {
        try check(picture, found.appending(path: "log").path, events)
      } catch let error as EventStoreError {
        throw PropertyError("at the moment \(picture.moment): \(error.message)")
      }
    }
    return pictures.count
  }

  private struct PropertyError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  private func check(_ picture: PowerDisk.Picture, _ path: String, _ events: [StoredEvent]) throws {
    let (moment, name) = (picture.moment, "at the moment \(picture.moment):")
    let isDurable = durability > .process
    let wasOpened = answers.source.map { $0.moment <= moment } ?? false
    // Sometimes a read-only store opens the log first.
    if wasOpened, isDurable, moment % 3 == 0 { _ = try SQLiteEventStore(readingFrom: path).head() }
    let found = try SQLiteEventStore(path: path, durability: .process)
    defer { found.close() }
    if wasOpened, isDurable { try ensure(found.source == answers.source?.text, "\(name) the log is another one") }

    // The log must be a prefix of everything that was appended, and end at the end of an append.
    let head = try found.head().rawValue
    try ensure(head <= events.count, "\(name) \(head) events of \(events.count)")
    for (event, first) in zip(try found.events(.all, after: 0, through: nil, limit: 10_000), events) {
      try ensure(
        event.position == first.position && event.id == first.id && event.stream == first.stream
          && event.version == first.version && event.transaction == first.transaction && event.type == first.type,
        "\(name) \(event) instead of \(first)")
    }
    if head > 0, head < events.count {
      try ensure(events[head - 1].transaction != events[head].transaction, "\(name) half an append, up to \(head)")
    }
    let report = try found.verify()
    try ensure(report.isSound, "\(name) \(report.problems)")

    for append in answers.appends where append.moment <= moment {
      if isDurable {
        try ensure(append.position.rawValue <= head, "\(name) \(append.position) was lost, up to \(head)")
      }
      guard append.position.rawValue <= head, let id = append.commandID else { continue }
      try ensure(
        try found.receipt(ofCommand: id)?.position == append.position, "\(name) the command \(id) is not known")
    }
    try checkErasures(picture, found)

    let saved = try Self.list(of: found, named: "rows")
    try ensure(try saved.results == Self.list(of: found, named: nil).results, "\(name) the saved list is wrong")
    let next = PowerEvent.put(PowerRow(id: 1, shelf: 9, text: Personal("next", of: "nobody")))
    let receipt = try found.append(Append([try coder.encode(next)], to: "s0"))
    try ensure(receipt.position.rawValue == head + 1, "\(name) appended \(receipt.position) after \(head)")
    saved.refresh()
    try ensure(saved.results.row(forID: 1)?.shelf == 9, "\(name) the list does not go on")
  }

  /// Erased values with an answer are in no file; the other values are there with their events.
  private func checkErasures(_ picture: PowerDisk.Picture, _ store: SQLiteEventStore) throws {
    for erasure in answers.erasures where erasure.moment <= picture.moment {
      for (file, bytes) in picture.files {
        for secret in erasure.secrets {
          try ensure(
            Data(bytes).range(of: Data(secret.utf8)) == nil, "at the moment \(picture.moment): \(secret)is in \(file)")
        }
      }
    }
    let begun = Set(answers.erasures.filter { $0.began <= picture.moment }.map(\.subject))
    var coder = coder
    try store.forEachEvent { event in
      guard case .put(let row)? = try coder.decode(type: event.type, payload: event.payload), row.text.isErased else {
        return
      }
      try ensure(
        begun.contains(row.text.subject),
        "at the moment \(picture.moment): \(event.position) lost its text")
    }
  }
}
