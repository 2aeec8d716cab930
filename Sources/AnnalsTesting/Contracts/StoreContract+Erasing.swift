import Annals
import Synchronization

extension StoreContract {
  /// A store that can't erase passes all of these rules.
  static let erasing: [Rule] = [
    Rule("erased data is read without its value, and nothing else changes") { trial in
      guard let store = try trial.erasing() else { return }
      let payloads = [
        #"{"a":{"$personal":"ann","value":"x"},"b":[{"value":[1.50],"$personal":"bob"}]}"#, "{}",
        #"{ "$personal" : "ann" , "value" : {"c":"y"} }"#, #"{"$personal":"e\u0301","value":null}"#,
      ]
      try store.append(Append(payloads.map { NewEvent(type: "T", payload: $0, tags: ["t"]) }, to: "s"))
      let before = try store.everything()
      try ensureEqual(before.map(\.payload), payloads)
      try ensureEqual(try store.revision().erasures, 0)
      let receipt = try store.erase(subject: "ann")
      // A store in a file leaves no remnants, but a server might report where bytes remain for a while.
      try ensure(receipt.isComplete || receipt.remnants?.isEmpty == false, "the remnants are empty")
      try ensureEqual(receipt.fields, 2)
      try ensureEqual(try store.revision().erasures, 1)
      let after = try store.everything()
      try ensureEqual(
        after.map(\.payload),
        [
          #"{"a":{"$personal":"ann"},"b":[{"value":[1.50],"$personal":"bob"}]}"#, "{}", #"{"$personal":"ann"}"#,
          payloads[3],
        ])
      try ensureEqual(after.map(\.id), before.map(\.id))
      try ensureEqual(after.map(\.tags), before.map(\.tags))
      try ensureEqual(
        try store.events(.tagged("t"), after: 0, through: nil, limit: 9).map(\.payload), after.map(\.payload))
      try ensureEqual(
        try store.eventsBackwards(.all, after: 0, through: nil, limit: 9).map(\.payload),
        after.reversed().map(\.payload))
    },
    Rule("a repeated erasure, or the erasure of a subject without values, erases nothing") { trial in
      guard let store = try trial.erasing() else { return }
      try store.append(Append([NewEvent(type: "T", payload: #"{"$personal":"é","value":1}"#)], to: "s"))
      try ensureEqual(try store.erase(subject: "e\u{301}").fields, 0)
      try ensureEqual(try store.revision().erasures, 0)
      try ensureEqual(try store.erase(subject: "\u{E9}").fields, 1)
      try ensureEqual(try store.erase(subject: "\u{E9}").fields, 0)
      try ensureEqual(try store.revision().erasures, 1)
    },
    Rule("data of a subject that is appended after an erasure is kept until the next erasure") { trial in
      guard let store = try trial.erasing() else { return }
      let event = NewEvent(type: "T", payload: #"{"$personal":"ann","value":1}"#)
      for round in 1...3 {
        try store.append(Append([event], to: "s"))
        try ensureEqual(
          try store.everything().map(\.payload),
          Array(repeating: #"{"$personal":"ann"}"#, count: round - 1) + [event.payload])
        try ensureEqual(try store.erase(subject: "ann").fields, 1)
        try ensureEqual(try store.revision().erasures, round)
      }
    },
    Rule("a malformed personal field is refused") { trial in
      guard let store = try trial.erasing() else { return }
      for payload in [
        #"{"$personal":1}"#, #"{"$personal":"a","value":1,"more":2}"#, #"{"$personal":""}"#,
        #"{"$personal":"a","value":{"$personal":"b","value":1}}"#, #"{"\u0024personal":null}"#,
      ] {
        try store.ensureRefuses(
          Append([Trial.event(), NewEvent(type: "T", payload: payload)], to: "s"), with: .invalidAppend(""))
      }
    },
    Rule("a watcher is notified of an erasure") { trial in
      guard let store = try trial.erasing() else { return }
      try store.append(Append([NewEvent(type: "T", payload: #"{"$personal":"ann","value":1}"#)], to: "s"))
      let counts = Mutex<[Int]>([])
      let token = store.signal.watch { [weak store] _ in
        let count = (try? store?.revision().erasures) ?? -1
        counts.withLock { $0.append(count) }
      }
      try store.erase(subject: "ann")
      token.cancel()
      try ensureEqual(counts.withLock { $0 }, [1])
    },
  ]
}

extension Trial {
  /// A store that can erase, or `nil` if the store under test can't.
  fileprivate func erasing() throws -> (any EventStore)? {
    let store = try store()
    return store.erasing == nil ? nil : store
  }
}
