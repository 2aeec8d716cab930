import Annals
import AnnalsTesting
import Synchronization

extension StoreContract {
  /// The rules for erasure.
  ///
  /// A store that can't erase personal data passes all of them.
  static let erasing: [Rule] = [
    Rule("after an erasure, events are read without the subject's values, and no other data changes") { trial in
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
      try ensure(
        receipt.isComplete || receipt.remnants?.isEmpty == false,
        "the receipt of an incomplete erasure must explain in `remnants` why bytes remain, but it is nil or empty")
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
    Rule("an erasure erases no values if the erasure is repeated, or if the subject has no values") { trial in
      guard let store = try trial.erasing() else { return }
      try store.append(Append([NewEvent(type: "T", payload: #"{"$personal":"é","value":1}"#)], to: "s"))
      try ensureEqual(try store.erase(subject: "e\u{301}").fields, 0)
      try ensureEqual(try store.revision().erasures, 0)
      try ensureEqual(try store.erase(subject: "\u{E9}").fields, 1)
      try ensureEqual(try store.erase(subject: "\u{E9}").fields, 0)
      try ensureEqual(try store.revision().erasures, 1)
    },
    Rule("if a subject's data is appended after an erasure, the store keeps this data until the next erasure") {
      trial in
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
    Rule("the store refuses an append with a malformed personal field") { trial in
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
      let token = store.runtime.watch { [weak store] _ in
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
  /// Creates a store, or returns `nil` if the store can't erase personal data.
  fileprivate func erasing() throws -> (any EventStore)? {
    let store = try store()
    return store.erasing == nil ? nil : store
  }
}
