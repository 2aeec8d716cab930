import Annals
import AnnalsLog
import AnnalsTesting
import Synchronization

extension StoreContract {
  static let commands: [Rule] = [
    Rule("a command with an id is committed once, and repeated calls return the first call's receipt") { trial in
      let store = try trial.store()
      func command(_ id: String) -> Append {
        Append(
          [.init(stream: "s", event: Trial.event())], expectations: ["s": .any, "t": .doesNotExist], commandID: id)
      }
      try ensureEqual(try store.receipt(ofCommand: "one"), nil)
      let first = try store.append(command("one"))
      try ensureEqual(first, Receipt(position: 1, count: 1, transaction: 1, versions: ["s": 1, "t": 0]))
      try store.append(Append([Trial.event()], to: "t"))
      // The expected version is outdated by now, but the store doesn't check it for a repeated command.
      let second = try store.append(command("one"))
      try ensureEqual(second, first)
      try ensure(
        !first.isRepeated && second.isRepeated,
        "the repeated call's receipt must be marked as repeated, and the first call's receipt must not")
      let found = try store.receipt(ofCommand: "one")
      try ensureEqual(found, first)
      try ensure(found?.isRepeated == false, "the stored receipt must not be marked as repeated")
      try ensureEqual(try store.head(), 2)
      try store.ensureRefuses(
        command("two"), with: .versionConflict(stream: "t", expected: .doesNotExist, found: 1))
      try ensureEqual(try store.receipt(ofCommand: "two"), nil)
      // Another spelling is a different ID.
      try store.append(Append([Trial.event()], to: "s", expecting: .exact(1)))
      let nothing = try store.append(Append(commandID: "caf\u{E9}"))
      try ensureEqual(nothing, Receipt(position: 3, count: 0, transaction: nil, versions: [:]))
      try ensureEqual(try store.receipt(ofCommand: "caf\u{E9}"), nothing)
      try ensureEqual(try store.receipt(ofCommand: "cafe\u{301}"), nil)
      try store.ensureRefuses(
        Append([.init(stream: "s", event: Trial.event())], commandID: ""), with: .invalidAppend(""))
    },
    Rule("the store refuses to reuse a command's id for a different append, and adds no event") { trial in
      let store = try trial.store()
      func command(_ id: String, _ streams: [StreamName], type: String = "T", payload: String? = nil) -> Append {
        Append(
          streams.map { .init(stream: $0, event: NewEvent(type: type, payload: payload)) }, commandID: id)
      }
      let first = try store.append(command("k", ["s"], payload: #"{"a":[1,2],"b":1}"#))
      for other in [
        command("k", ["t"], payload: #"{"a":[1,2],"b":1}"#), command("k", ["s", "s"], payload: #"{"a":[1,2],"b":1}"#),
        command("k", ["s"], type: "U", payload: #"{"a":[1,2],"b":1}"#), command("k", []),
        command("k", ["s"], payload: #"{"a":[1,3],"b":1}"#), command("k", ["s"]),
      ] {
        guard let use = try store.receipt(ofCommand: "k")?.use, let otherUse = other.use else {
          throw Unmet(
            description: "the receipt and the append must describe the call with the command id in `use`, but `use` is "
              + "nil",
            fileID: #fileID, line: #line)
        }
        try store.ensureRefuses(other, with: .commandReused("k", at: 1, first: use, now: otherUse))
      }
      // A set's elements have a different order in every process.
      try ensureEqual(try store.append(command("k", ["s"], payload: #"{"b":1.0,"a":[2,1]}"#)).isRepeated, true)
      try ensureEqual(try store.receipt(ofCommand: "k"), first)
      try ensure(
        try store.receipt(ofCommand: "k")?.use != nil,
        "the receipt must describe the call with the command id in `use`, but `use` is nil")
      try ensureEqual(try store.head(), 1)
      try ensureEqual(try store.append(command("l", ["t"])).isRepeated, false)
    },
    Rule("an erasure deletes a command's digest, and keeps the name of the call that used the command id") {
      trial in
      let store = try trial.store()
      guard store.erasing != nil else { return }
      let payload = #"{"a":{"$personal":"ann","value":1}}"#
      let append = Append(
        [.init(stream: "s", event: NewEvent(type: "P", payload: payload))], commandID: "k")
      try store.append(append)
      try ensure(
        try store.receipt(ofCommand: "k")?.use?.digest != nil,
        "the receipt has no digest of its command")
      try store.erase(subject: "ann")
      try ensureEqual(try store.receipt(ofCommand: "k")?.use, CommandUse(call: append.use?.call ?? "", digest: nil))
      try ensureEqual(try store.append(append).isRepeated, true)
    },
    Rule(
      "if several threads commit the same command, the store commits the command once, and all threads get the same "
        + "receipt"
    ) { trial in
      let store = try trial.store()
      let outcomes = Mutex<[String]>([])
      let added = Mutex(0)
      onThreads(4) { _ in
        for number in 0..<10 {
          let append = Append(
            [.init(stream: "s", event: Trial.event())], commandID: "command \(number)")
          let outcome: String
          do {
            let receipt = try store.append(append)
            outcome = "\(number): \(receipt.position)"
            if !receipt.isRepeated { added.withLock { $0 += receipt.count } }
          } catch { outcome = "\(error)" }
          outcomes.withLock { $0.append(outcome) }
        }
      }
      try ensureEqual(added.withLock { $0 }, 10)
      try ensureEqual(Set(outcomes.withLock { $0 }).count, 10)
      try ensureEqual(try store.head(), 10)
    },
  ]
}
