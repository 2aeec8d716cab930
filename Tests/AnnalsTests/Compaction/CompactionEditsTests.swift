@testable import Annals
@testable import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

/// What becomes of events, compared with a dictionary.
@Suite struct EventChangesTests {
  private static let stretch = 4_096

  private static func event(_ position: Position) -> StoredEvent {
    StoredEvent(
      position: position, transaction: 1, stream: "s", version: position.rawValue,
      id: EventID(source: "t", id: "\(position)"), type: "A", schema: 1, time: .init(timeIntervalSince1970: 0),
      tags: [],
      payload: nil, metadata: [:])
  }

  @Test func `a plan answers what becomes of each event, and lists the changes in the order of positions`() throws {
    // Positions on both sides of a word and of a stretch, and far away.
    let position = Generator<Int>.frequency(
      (3, .int(in: 1...200)), (2, .int(in: Self.stretch - 70...Self.stretch + 70)),
      (1, .int(in: 1...1 << 50)))
    let changes = Generator<[(Int, Bool)]>.array(of: zip(position, .bool), count: 0...60)
    try check(changes, settings: CheckSettings(examples: 200)) { changes in
      var (plan, model) = (CompactionPlan { _ in true }, [Position: CompactionPlan.Change]())
      for (number, (position, isCut)) in changes.enumerated() {
        let position = Position(position)
        let change: CompactionPlan.Change = isCut ? .cut : .replaced(by: NewEvent(type: "B\(number)", payload: "{}"))
        let isNew = model[position] == nil
        do {
          try plan.add(change, to: Self.event(position))
          try ensure(isNew, "a second change of \(position) was taken")
          model[position] = change
        } catch let error as CompactionError {
          try ensure(!isNew && error.code == .badRule, "\(error)")
        }
      }
      let sorted = model.sorted { $0.key < $1.key }
      try ensureEqual(plan.changes.map(\.position), sorted.map(\.key))
      try ensureEqual(plan.changes.map(\.change), sorted.map(\.value))
      try ensureEqual(plan.changes.count, model.count)
      try ensureEqual(plan.changes.isEmpty, model.isEmpty)
      try ensureEqual(plan.cutCount, model.values.filter { $0 == .cut }.count)
      for position in changes.map({ Position($0.0) }) + [0, 63, 64, 4_095, 4_096, 4_097] {
        try ensureEqual(plan.changes[position], model[position])
      }
      let mapped = plan.mapReplacements { event in NewEvent(type: event.type + "x", payload: event.payload) }
      for (position, change) in sorted {
        guard case .replaced(let event) = change else {
          try ensureEqual(mapped.changes[position], .cut)
          continue
        }
        try ensureEqual(mapped.changes[position], .replaced(by: NewEvent(type: event.type + "x", payload: "{}")))
      }
    }
  }
}
