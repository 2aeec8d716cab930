import Annals
import AnnalsSQLite
import Disks
import Foundation
import Synchronization

/// A log in a folder that is deleted with it.
final class ScratchLog: Sendable {
  /// How many streams it has.
  static let streams = 5_000

  let path: String
  let store: SQLiteEventStore
  private let folder: URL

  /// Creates a log on the system's disk, or on another one.
  init(on disk: (any FileWatcher)? = nil, durability: Durability = .power) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "annals-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if let disk { try WatchedFiles.watch(folder, by: disk) }
    path = folder.appending(path: "log").path
    store = try SQLiteEventStore(path: path, durability: durability)
  }

  deinit {
    store.close()
    WatchedFiles.forget(folder)
    try? FileManager.default.removeItem(at: folder)
  }

  /// Gives every stream its first event, so that neither side creates streams during the measurement.
  func fill(_ streams: Int = ScratchLog.streams) throws {
    try store.append(
      Append(
        (0..<streams).map {
          .init(stream: Self.stream($0, of: streams), event: NewEvent(type: "BookInserted", payload: Self.payload))
        }))
  }

  /// Appends events in one transaction, to the streams in turn, after the event with the number `next`.
  func append(_ count: Int, streams: Int, _ next: inout Int) throws {
    let entries = (0..<count).map { _ in
      next += 1
      return Append.Entry(stream: Self.stream(next, of: streams), event: Self.event(next))
    }
    try store.append(Append(entries))
  }

  static func stream(_ number: Int, of streams: Int = ScratchLog.streams) -> StreamName {
    "Book-\(number &* 7_919 % streams)"
  }

  static func event(_ number: Int) -> NewEvent {
    NewEvent(type: "BookRepriced", payload: payload, metadata: metadata)
  }

  private static let metadata: Metadata = ["actor": "benchmark"]

  /// As long as the events of the earlier measurements.
  static let payload =
    #"{"price":50.5,"shelf":"shelf-17","title":"The Annals of Imperial Rome, translated, with notes and an index"}"#
}

/// A book's price, decided on its stream.
struct BenchmarkBook: Decider {
  enum Command { case reprice(to: Double) }

  static var category: String { "Book" }
  private var price: Double?

  init() {}

  func decide(_ command: Command) -> [BenchmarkEvent] {
    switch command {
    case .reprice(let price):
      price == self.price
        ? []
        : [.repriced(price: price, shelf: "shelf-17", title: "The Annals of Imperial Rome, with notes and an index")]
    }
  }

  mutating func evolve(_ event: BenchmarkEvent) {
    switch event {
    case .inserted(let price, _, _), .repriced(let price, _, _): self.price = price
    }
  }
}

/// The events of a book.
enum BenchmarkEvent: Event {
  case inserted(price: Double, shelf: String, title: String)
  case repriced(price: Double, shelf: String, title: String)

  static var typePrefix: String { "Book" }
}

/// Keeps the first error of several threads.
final class FirstFailure: Sendable {
  private let error = Mutex<(any Error)?>(nil)

  func catching(_ body: () throws -> Void) {
    do { try body() } catch { self.error.withLock { $0 = $0 ?? error } }
  }

  func rethrow() throws {
    if let error = error.withLock({ $0 }) { throw error }
  }
}
