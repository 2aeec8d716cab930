import Annals
import AnnalsRemote
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

extension ErrorCase {
  /// The codes of `EventStoreError`.
  static let store: [ErrorCase] = [
    ErrorCase("EventStoreError.busy") { scene in
      let app = try SQLiteEventStore(path: scene.path)
      try app.execute(milk, on: TodoList["home"])
      let widget = try SQLiteEventStore(path: scene.path, patience: .milliseconds(1))
      var compaction = Compaction()
      compaction.rewrite(TodoEvent.self) { _, events in events }
      compaction.prove(Todos())
      try app.compact(compaction) { _ in scene.fails { try widget.execute(call, on: TodoList["home"]) } }
      try widget.execute(call, on: TodoList["home"])
    },
    ErrorCase("EventStoreError.closed") { scene in
      let closed = try SQLiteEventStore(path: scene.path)
      closed.close()
      scene.fails { try closed.execute(milk, on: TodoList["home"]) }
      let store = try SQLiteEventStore(path: scene.path)
      let merged = try store.branch()
      try merged.execute(milk, on: TodoList["home"])
      try merged.merge()
      scene.fails { try merged.execute(call, on: TodoList["home"]) }
      try store.branch().execute(call, on: TodoList["home"])
      func form() throws -> Branch { try store.draft(named: "form", deciders: .of(Memo.self)) }
      let window = try form()
      try form().execute(.note("milk"), on: Memo["1"])
      scene.fails { try window.execute(.note("tea"), on: Memo["1"]) }
      try form().execute(.note("tea"), on: Memo["1"])
    },
    ErrorCase("EventStoreError.commandReused") { scene in
      let store = MemoryEventStore()
      try store.execute(milk, on: TodoList["home"], commandID: "tap-1")
      scene.fails { try store.execute(milk, on: TodoList["work"], commandID: "tap-1") }
      try store.execute(milk, on: TodoList["work"], commandID: "tap-2")
      try store.execute(.note("milk"), on: Memo["1"], commandID: "tap-3")
      scene.fails { try store.execute(.note("tea"), on: Memo["1"], commandID: "tap-3") }
    },
    ErrorCase("EventStoreError.compacted") { scene in
      let store = MemoryEventStore()
      for command in [milk, call, .finish(id: "1")] { try await store.execute(command, on: TodoList["home"]) }
      var compaction = Compaction()
      compaction.rewrite(TodoEvent.self) { _, events in events.filter { $0.recorded.position == 2 } }
      compaction.prove(OpenTodos())
      try await store.compact(compaction)
      scene.fails { _ = try store.branch(at: 1) }
      _ = try store.branch()
      await scene.failsAwaiting { for try await _ in store.subscription(after: 1) {} }
    },
    ErrorCase("EventStoreError.conditionConflict") { scene in
      let store = MemoryEventStore()
      let sold = NewEvent(type: "TicketSold", payload: "{}", tags: ["concert:bach"])
      func append() throws {
        let query = EventQuery.tagged("concert:bach")
        let after = store.head()
        if after == 0 { try store.append(Append([sold], to: "Concert-bach")) }
        try store.append(
          Append(
            [.init(stream: "Concert-bach", event: sold)], conditions: [.init(noneMatching: query, after: after)]))
      }
      scene.fails { try append() }
      try append()
    },
    ErrorCase("EventStoreError.corrupt") { scene in
      let store = try SQLiteEventStore(path: scene.path)
      try store.execute(milk, on: TodoList["home"])
      try store.backUp(to: scene.path(of: "copy.annals"))
      store.close()
      var bytes = try Data(contentsOf: URL(fileURLWithPath: scene.path))
      for index in stride(from: 4_000, to: bytes.count, by: 4_096) { bytes[index] ^= 1 }
      try bytes.write(to: URL(fileURLWithPath: scene.path))
      scene.fails { _ = try SQLiteEventStore(path: scene.path).list(of: Todos()) }
      _ = try SQLiteEventStore(path: scene.path(of: "copy.annals")).list(of: Todos())
    },
    ErrorCase("EventStoreError.duplicateEvent") { scene in
      let store = MemoryEventStore()
      let event = NewEvent(type: "TodoFinished", payload: #"{"id":"1"}"#)
      func append(_ id: String) throws {
        var event = event
        event.id = EventID(source: "urn:shop", id: id)
        try store.append(Append([event], to: "TodoList-home"))
      }
      try append("7")
      scene.fails { try append("7") }
      try append("8")
    },
    ErrorCase("EventStoreError.followerBusy") { scene in
      let store = MemoryEventStore(environment: StoreEnvironment(sleep: { _ in }, report: { _ in }))
      let claim = try store.checkpoints?.claim(follower: "mailer")
      let mailer = try EventFollower("mailer", of: TodoEvent.self, in: store, startingAt: .beginning) { _, _ in }
      await scene.failsAwaiting { try await mailer.catchUp() }
      claim?.release()
      try await mailer.catchUp()
    },
    ErrorCase("EventStoreError.followerMoved") { scene in
      let store = MemoryEventStore(environment: StoreEnvironment(report: { _ in }))
      for command in [milk, call, .finish(id: "1")] { try await store.execute(command, on: TodoList["home"]) }
      let mailer = try EventFollower("mailer", of: TodoEvent.self, in: store, startingAt: .beginning) { recorded, _ in
        guard recorded.position == 2 else { return }
        _ = try store.checkpoints?.setCheckpoint(named: "follower/mailer/version/1", to: 3, from: 1)
      }
      await scene.failsAwaiting { try await mailer.catchUp() }
      try await mailer.catchUp()
    },
    ErrorCase("EventStoreError.invalidAppend") { scene in
      let store = MemoryEventStore()
      scene.fails { try store.append(Append([NewEvent(type: "TodoAdded", payload: "{id: 1}")], to: "TodoList-home")) }
      scene.fails { _ = try store.draft(named: "") }
      try store.append(Append([NewEvent(type: "TodoAdded", payload: #"{"id":"1"}"#)], to: "TodoList-home"))
    },
    ErrorCase("EventStoreError.io") { scene in
      scene.fails { _ = try SQLiteEventStore(path: scene.folder.path) }
      scene.fails { _ = try SQLiteEventStore(path: "") }
      let store = try SQLiteEventStore(path: scene.path)
      scene.fails { try store.backUp(to: scene.path) }
      try store.backUp(to: scene.path(of: "copy.annals"))
    },
    ErrorCase("EventStoreError.newerFormat") { scene in
      try SQLiteEventStore(path: scene.path).close()
      var bytes = try Data(contentsOf: URL(fileURLWithPath: scene.path))
      bytes[63] = 99
      try bytes.write(to: URL(fileURLWithPath: scene.path))
      scene.fails { _ = try SQLiteEventStore(path: scene.path) }
    },
    ErrorCase("EventStoreError.notALog") { scene in
      let note = scene.path(of: "notes.txt")
      try Data("Buy milk".utf8).write(to: URL(fileURLWithPath: note))
      scene.fails { _ = try SQLiteEventStore(path: note) }
      try Data().write(to: URL(fileURLWithPath: scene.path))
      scene.fails { _ = try SQLiteEventStore(readingFrom: scene.path) }
    },
    ErrorCase("EventStoreError.notFound") { scene in
      scene.fails { _ = try SQLiteEventStore(readingFrom: scene.path) }
      let store = try SQLiteEventStore(path: scene.path)
      _ = try SQLiteEventStore(readingFrom: scene.path)
      scene.fails { _ = try store.branch(at: 9) }
      _ = try store.branch()
    },
    ErrorCase("EventStoreError.otherPartitions") { scene in
      let remote = MemoryRemoteStore()
      func mailer(partitions: Int) throws -> RemoteFollower<TodoEvent> {
        try RemoteFollower("mailer", of: TodoEvent.self, in: remote, startingAt: .beginning, partitions: partitions) {
          (_, _) async throws in
        }
      }
      try await remote.execute(milk, on: TodoList["home"])
      try await mailer(partitions: 2).catchUp()
      await scene.failsAwaiting { try await mailer(partitions: 3).catchUp() }
      try await mailer(partitions: 2).catchUp()
    },
    ErrorCase("EventStoreError.readOnly") { scene in
      let writer = try SQLiteEventStore(path: scene.path)
      let reader = try SQLiteEventStore(readingFrom: scene.path)
      scene.fails { try reader.execute(milk, on: TodoList["home"]) }
      try writer.execute(milk, on: TodoList["home"])
    },
    ErrorCase("EventStoreError.replaced") { scene in
      let store = try SQLiteEventStore(path: scene.path)
      try store.execute(milk, on: TodoList["home"])
      try FileManager.default.removeItem(atPath: scene.path)
      scene.fails { try store.execute(call, on: TodoList["home"]) }
      store.close()
      try SQLiteEventStore(path: scene.path(of: "other.annals")).execute(call, on: TodoList["home"])
    },
    ErrorCase("EventStoreError.rewritten") { scene in
      let store = MemoryEventStore()
      let guest = PartyEvent.invited(id: "1", name: Personal("Ann", of: "guest-1"))
      try store.append([guest, guest], to: "party")
      scene.fails {
        try store.forEachEvent(batchSize: 1) { _ in try store.erase(subject: "guest-1") }
      }
      try store.forEachEvent(batchSize: 1) { _ in }
      let plan = try store.branch(floating: true)
      try plan.execute(.note("milk"), on: Memo["1"])
      let part = try plan.branch()
      try store.execute(milk, on: TodoList["home"])
      scene.fails { _ = try part.state(of: Memo["1"]) }
      try part.rebase()
      _ = try part.state(of: Memo["1"])
    },
    ErrorCase("EventStoreError.suspended") { scene in
      let store = try SQLiteEventStore(path: scene.path)
      store.suspend()
      scene.fails { try store.execute(milk, on: TodoList["home"]) }
      store.resume()
      try store.execute(milk, on: TodoList["home"])
    },
    ErrorCase("EventStoreError.tooManyConflicts") { scene in
      let busy = Mutex<MemoryEventStore?>(nil)
      let store = MemoryEventStore(
        environment: StoreEnvironment(hook: { step in
          guard case .willAppend = step, let store = busy.withLock({ $0 }) else { return }
          try store.append(Append([NewEvent(type: "Noise", payload: nil)], to: "TodoList-home"))
        }))
      busy.withLock { $0 = store }
      scene.fails { try store.execute(milk, on: TodoList["home"]) }
      busy.withLock { $0 = nil }
      try store.execute(milk, on: TodoList["home"])
    },
    ErrorCase("EventStoreError.unequalDecision") { scene in
      let store = MemoryEventStore()
      scene.fails { try store.branch().execute("draw", on: Raffle["1"]) }
      try store.branch().execute(.note("ticket 7"), on: Memo["1"])
    },
    ErrorCase("EventStoreError.unknownOutcome") { scene in
      let remote = MemoryRemoteStore()
      remote.fail(StoreFault(.append, way: .answerLost))
      await scene.failsAwaiting { try await remote.execute(milk, on: TodoList["home"], commandID: "tap") }
      let receipt = try await remote.execute(milk, on: TodoList["home"], commandID: "tap")
      #expect(receipt.isRepeated)
    },
    ErrorCase("EventStoreError.unreachable") { scene in
      let remote = MemoryRemoteStore()
      remote.fail(StoreFault(way: .notDone, lasts: true))
      await scene.failsAwaiting { try await remote.execute(milk, on: TodoList["home"]) }
      remote.mend()
      try await remote.execute(milk, on: TodoList["home"])
    },
    ErrorCase("EventStoreError.unsupported") { scene in
      let store = MemoryEventStore()
      scene.fails { _ = try store.branch().draft(named: "form") }
      _ = try store.draft(named: "form")
    },
    ErrorCase("EventStoreError.versionConflict") { scene in
      let store = MemoryEventStore()
      try store.execute(milk, on: TodoList["home"])
      let stream = TodoList.stream("home")
      scene.fails { try store.append([TodoEvent.finished(id: "1")], to: stream, expecting: .exact(0)) }
      try store.append([TodoEvent.finished(id: "1")], to: stream, expecting: .exact(store.version(of: stream)))
    },
  ]
}
