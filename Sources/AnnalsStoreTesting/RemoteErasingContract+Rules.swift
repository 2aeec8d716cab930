import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting

extension RemoteErasingContract {
  /// Rules for the records that a store keeps of its erasures.
  static let records: [Rule] = [
    rule(
      "the store records the number and the subject of every erasure, the position of the first changed event, and the "
        + "log's last position"
    ) {
      store, erasing in
      try await store.append(
        Append([said(of: "ann"), said(of: "bob"), said(of: "e\u{301}"), said(of: "bob")], to: "s"))
      try expect("whether the log has personal values before the erasures", try await erasing.hasPersonalValues(), true)
      try expect("the number of erased fields of the subject bob", try await store.erase(subject: "bob").fields, 2)
      try await store.append(Append([said(of: "ann")], to: "t"))
      try expect("the number of erased fields of the subject ann", try await store.erase(subject: "ann").fields, 2)
      try expect(
        "the number of erased fields of the subject \\u{E9} (no event contains this subject, but it is canonically "
          + "equivalent to the subject e\\u{301})",
        try await store.erase(subject: "\u{E9}").fields, 0)
      try expect(
        "the number of erased fields of the subject e\\u{301}", try await store.erase(subject: "e\u{301}").fields, 1)
      try expect("whether the log has personal values after the erasures", try await erasing.hasPersonalValues(), false)
      let all = try await erasing.erasures(after: 0, limit: 10)
      try expect("the erasures' numbers", all.map(\.number), [1, 2, 3])
      let subjects = ["bob", "ann", "e\u{301}"]
      try expect(
        "the erasures' subjects", all.map { Array($0.subject.unicodeScalars) },
        subjects.map { Array($0.unicodeScalars) })
      try expect("the positions of the first changed events", all.map(\.first), [2, 1, 3])
      try expect("the log's last position at each erasure", all.map(\.end), [4, 5, 5])
      try expect("the number of erased fields per erasure", all.map(\.fields), [2, 2, 1])
      try expect(
        "the erasures after number 1, with the limit 1", try await erasing.erasures(after: 1, limit: 1), [all[1]])
      try expect("the erasures after number 3", try await erasing.erasures(after: 3, limit: 5), [])
      try expect("the revision", try await store.revision(), LogRevision(erasures: 3))
    },
    rule("concurrent appends and erasures take effect one after another") { store, erasing in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<4 {
          group.addTask {
            for _ in 0..<10 { try await store.append(Append([said(of: "ann"), said(of: "bob")], to: "s\(task)")) }
          }
        }
        group.addTask { for _ in 0..<10 { try await store.erase(subject: "ann") } }
        try await group.waitForAll()
      }
      let last = try await erasing.erasures(after: 0, limit: 100).last
      for event in try await store.events(.all, after: 0, limit: 1_000) {
        let isOfAnn = event.payload?.contains("ann") == true
        let hasValue = event.payload?.contains("value") == true
        try expect(
          "whether event \(event.position) contains a personal value",
          hasValue, !isOfAnn || event.position > last?.end ?? 0)
      }
    },
  ]

  /// Rules for readers and deciders after an erasure.
  static let readers: [Rule] = [
    rule("a subscription continues after an erasure, and returns the other events without the erased values") {
      store, _ in
      try await store.append(Append([said(of: "ann"), said(of: "ann")], to: "s"))
      var batches = store.subscription(after: 0, batchSize: 1).makeAsyncIterator()
      let first = try await batches.next()
      try expect(
        "whether the first event contains a personal value", first?.events.first?.payload?.contains("value"), true)
      try await store.erase(subject: "ann")
      let second = try await batches.next()
      try expect("the second batch's position", second?.position, 2)
      try expect(
        "whether the second event contains the erased value", second?.events.first?.payload?.contains("value"), false)
    },
    rule("a command never reads erased values, even if another store erased them") { store, erasing in
      try await store.execute("Ann", on: Names["a"])
      try await store.execute("Bob", on: Names["a"])
      // The store that decides isn't notified of this erasure.
      _ = try await erasing.commitErasure(of: "person-Ann")
      do {
        try await store.execute("if Ann", on: Names["a"])
      } catch is Names.Unknown { return }
      throw RemoteCheckpointContract.Difference(
        description: "the decider must refuse the command, but the command ran and read the erased value")
    },
    rule("an erasure doesn't change an event's position, version or identity, and these values are never reused") {
      store, _ in
      let receipt = try await store.append(Append([said(of: "ann"), said(of: "bob")], to: "s"))
      let before = try await store.events(.all, after: 0, limit: 9)
      try await store.erase(subject: "ann")
      let after = try await store.events(.all, after: 0, limit: 9)
      try expect("the events' identities", after.map(\.id), before.map(\.id))
      try expect("the events' positions", after.map(\.position), before.map(\.position))
      try expect("the payload that contains another subject's value", after.last?.payload, before.last?.payload)
      let next = try await store.append(Append([said(of: "ann")], to: "s", expecting: .exact(2)))
      try expect("the next position", next.position.rawValue, receipt.position.rawValue + 1)
    },
  ]

  private static func expect<T: Equatable>(_ what: String, _ found: T, _ expected: T) throws {
    try RemoteCheckpointContract.expect(what, found, expected)
  }

  private static func said(of subject: String) -> NewEvent {
    NewEvent(type: "Said", payload: #"{"a":{"$personal":\#(JSONValue.quoted(subject)),"value":1}}"#)
  }
}

private enum NameEvent: Event {
  case named(who: Personal<String>)
}

/// A decider that collects the given names.
private struct Names: Decider {
  struct Unknown: Error {}
  var names: Set<String> = []

  func decide(_ command: String) throws -> [NameEvent] {
    if command.hasPrefix("if ") {
      guard names.contains(String(command.dropFirst(3))) else { throw Unknown() }
      return [.named(who: Personal("again", of: "person-again"))]
    }
    return [.named(who: Personal(command, of: "person-\(command)"))]
  }

  mutating func evolve(_ event: NameEvent) {
    if case .named(let who) = event, let name = who.value { names.insert(name) }
  }
}
