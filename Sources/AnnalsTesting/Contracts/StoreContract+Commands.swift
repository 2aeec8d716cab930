import Annals
import Synchronization

extension StoreContract {
  static let commands: [Rule] = [
    Rule("a command with an id is committed once, and answers its first receipt ever after") { trial in
      let store = try trial.store()
      func command(_ id: String) -> Append {
        Append(
          [.init(stream: "s", event: Trial.event())], expectations: ["s": .any, "t": .doesNotExist], commandID: id)
      }
      try ensureEqual(try store.receipt(ofCommand: "one"), nil)
      let first = try store.append(command("one"))
      try ensureEqual(first, Receipt(position: 1, count: 1, transaction: 1, versions: ["s": 1, "t": 0]))
      try store.append(Append([Trial.event()], to: "t"))
      // The expected version is outdated, but the store does not check it a second time.
      let second = try store.append(command("one"))
      try ensureEqual(second, first)
      try ensure(!first.isRepeated && second.isRepeated, "a receipt says whether its call added nothing")
      let found = try store.receipt(ofCommand: "one")
      try ensureEqual(found, first)
      try ensure(found?.isRepeated == false, "the receipt that the log has is the first call's")
      try ensureEqual(try store.head(), 2)
      try store.ensureRefuses(
        command("two"), with: .versionConflict(stream: "t", expected: .doesNotExist, found: 1))
      try ensureEqual(try store.receipt(ofCommand: "two"), nil)
      // Another spelling is another id.
      try store.append(Append([Trial.event()], to: "s", expecting: .exact(1)))
      let nothing = try store.append(Append(commandID: "caf\u{E9}"))
      try ensureEqual(nothing, Receipt(position: 3, count: 0, transaction: nil, versions: [:]))
      try ensureEqual(try store.receipt(ofCommand: "caf\u{E9}"), nothing)
      try ensureEqual(try store.receipt(ofCommand: "cafe\u{301}"), nil)
      try store.ensureRefuses(
        Append([.init(stream: "s", event: Trial.event())], commandID: ""), with: .invalidAppend(""))
    },
    Rule("of many threads that commit one command one does, and all have its receipt") { trial in
      let store = try trial.store()
      let outcomes = Mutex<[String]>([])
      let added = Mutex(0)
      onThreads(4) { lane in
        for number in 0..<10 {
          let append = Append(
            [.init(stream: StreamName("s\(lane)"), event: Trial.event())], commandID: "command \(number)")
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
