import Annals
import AnnalsSQLite
import Foundation

extension Figure {
  /// The cost of taking a command back.
  static var undo: [Figure] {
    [
      Figure(
        "undo", rows: 100_000, "an undo on a stream of 100,000 events, not synced",
        against: "a command on the stream", .cost(atMost: 3), tries: 3
      ) {
        let log = try TillLog(events: 100_000)
        return Contest {
          try log.timeUndoes()
        } baseline: {
          try log.timeCommands()
        }
      }
    ]
  }
}

/// A till in a file, and who undoes what was paid in.
private final class TillLog {
  private let store: SQLiteEventStore
  private let history: UndoHistory
  private let folder: URL
  private let count = 100

  init(events: Int) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "annals-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    store = try SQLiteEventStore(path: folder.appending(path: "log").path, durability: .process)
    history = UndoHistory(store, of: "user-7", deciders: [UndoTill.self])
    for start in stride(from: 0, to: events, by: 10_000) {
      let new = (start..<min(events, start + 10_000)).map { _ in
        NewEvent(type: "UndoTillPaid", payload: #"{"amount":1}"#)
      }
      try store.append(Append(new, to: UndoTill.stream("main")))
    }
  }

  deinit {
    store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// The time of a command.
  func timeCommands() throws -> Double {
    try nanoseconds(per: count) {
      for _ in 0..<count { try store.execute(.pay(2), on: UndoTill["main"]) }
    }
  }

  /// The time of an undo of a command that was executed before; executing it does not count.
  func timeUndoes() throws -> Double {
    for _ in 0..<count { try history.execute(.pay(2), on: UndoTill["main"], named: "Pay In") }
    return try nanoseconds(per: count) {
      for _ in 0..<count { try history.undo() }
    }
  }
}

private enum UndoTillCommand: Sendable { case pay(Int) }

private enum UndoTillEvent: Event {
  case paid(amount: Int)
}

private struct UndoTill: UndoableDecider {
  private var total = 0

  func decide(_ command: UndoTillCommand) -> [UndoTillEvent] {
    switch command {
    case .pay(let amount): [.paid(amount: amount)]
    }
  }

  mutating func evolve(_ event: UndoTillEvent) {
    switch event {
    case .paid(let amount): total += amount
    }
  }

  func undoing(_ events: [UndoTillEvent]) -> [UndoTillCommand]? {
    events.reversed().map { event in
      switch event {
      case .paid(let amount): .pay(-amount)
      }
    }
  }
}
