import Annals
import AnnalsTesting
import Foundation

extension StoreContract {
  /// Rules for the features that replicas and imports need.
  static let groups: [Rule] = [
    Rule("every append in a group is a separate transaction, and the store skips appends after a refused append") {
      trial in
      let store = try trial.store()
      guard let grouping = store.grouping else { return }
      func append(_ count: Int, _ stream: StreamName, expecting expected: ExpectedVersion = .any) -> Append {
        Append((0..<count).map { _ in Trial.event() }, to: stream, expecting: expected)
      }
      try ensure(try grouping.commitGroup([]).receipts.isEmpty, "a group without appends returned receipts")
      let all = try grouping.commitGroup([
        append(2, "a", expecting: .doesNotExist), append(1, "b"), append(1, "a", expecting: .exact(2)),
      ])
      try ensure(all.refusal == nil, "a valid group was refused: \(all.refusal as Any)")
      try ensureEqual(
        all.receipts,
        [
          Receipt(position: 2, count: 2, transaction: 1, versions: ["a": 2]),
          Receipt(position: 3, count: 1, transaction: 2, versions: ["b": 1]),
          Receipt(position: 4, count: 1, transaction: 3, versions: ["a": 3]),
        ])
      let some = try grouping.commitGroup([
        append(1, "b", expecting: .exact(1)), append(1, "b", expecting: .exact(1)), append(1, "c"),
      ])
      try ensureEqual(some.receipts.map(\.position), [5])
      try ensureEqual((some.refusal as? EventStoreError)?.code, .versionConflict)
      let condition = Append.Condition(noneMatching: .stream("b"), after: 4)
      let none = try grouping.commitGroup([Append([.init(stream: "c", event: Trial.event())], conditions: [condition])])
      try ensureEqual((none.refusal as? EventStoreError)?.code, .conditionConflict)
      try ensureEqual(try store.everything().map(\.transaction), [1, 1, 2, 3, 4])
      try ensureEqual(try store.everything().map(\.stream), ["a", "a", "b", "a", "b"])
    },
    Rule("if another log's transactions are appended with their identities and times, both logs have equal events") {
      trial in
      let (first, second) = (try trial.store(), try trial.store())
      for number in 1...12 {
        var append = Append()
        for part in 0..<(number % 4 + 1) {
          append.entries.append(
            .init(
              stream: StreamName("s\((number + part) % 3)"),
              event: NewEvent(
                type: "T\(part)", schema: part + 1, payload: part == 1 ? nil : "{ \"n\" :\(number)}",
                tags: ["n:\(number)", "e\u{301}"], metadata: ["who": "ann"],
                id: EventID(source: "urn:other", id: "\(number).\(part)"),
                time: Trial.time.addingTimeInterval(Double(number) / 7))))
        }
        try first.append(append)
      }
      let events = try first.everything()
      let transactions = Dictionary(grouping: events, by: \.transaction).sorted { $0.key < $1.key }.map(\.value)
      let appends = transactions.map { events in
        Append(
          events.map { Append.Entry(stream: $0.stream, event: NewEvent($0)) },
          conditions: [.init(noneMatching: .all, after: Position((events.first?.position.rawValue ?? 1) - 1))])
      }
      if let grouping = second.grouping {
        let group = try grouping.commitGroup(appends)
        try ensureEqual(group.receipts.count, appends.count)
      } else {
        for append in appends { try second.append(append) }
      }
      try ensureEqual(try second.everything(), events)
    },
  ]
}
