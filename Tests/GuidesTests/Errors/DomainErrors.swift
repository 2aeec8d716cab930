import Annals
import AnnalsSQLite
import Foundation

extension ErrorCase {
  /// The codes of `UndoError`.
  static let undo: [ErrorCase] = [
    ErrorCase("UndoError.alreadyReversed") { scene in
      let history = UndoHistory(MemoryEventStore(), of: "user-7", deciders: [Letter.self])
      try history.execute(.write("Dear Ann"), on: Letter["1"], named: "Typing")
      let shown = try history.stacks().undo[0]
      try history.undo()
      scene.fails { try history.undo(shown) }
      try history.redo(history.stacks().redo[0])
    },
    ErrorCase("UndoError.irreversible") { scene in
      let history = UndoHistory(MemoryEventStore(), of: "user-7", deciders: [Memo.self])
      try history.execute(.note("milk"), on: Memo["1"], named: "Note")
      try history.undo()
      scene.fails { try history.redo() }
    },
    ErrorCase("UndoError.notFound") { scene in
      let history = UndoHistory(MemoryEventStore(), of: "user-7", deciders: [Letter.self])
      try history.execute(.write("Dear Ann"), on: Letter["1"], named: "Typing")
      try history.undo()
      let shown = try history.stacks().redo[0]
      try history.execute(.write("Dear Bob"), on: Letter["1"], named: "Typing")
      scene.fails { try history.redo(shown) }
      try history.undo(history.stacks().undo[0])
    },
    ErrorCase("UndoError.nothingToRedo") { scene in
      let history = UndoHistory(MemoryEventStore(), of: "user-7", deciders: [Letter.self])
      scene.fails { try history.redo() }
    },
    ErrorCase("UndoError.nothingToUndo") { scene in
      let history = UndoHistory(MemoryEventStore(), of: "user-7", deciders: [Letter.self])
      scene.fails { try history.undo() }
    },
    ErrorCase("UndoError.refused") { scene in
      let store = MemoryEventStore()
      let history = UndoHistory(store, of: "user-7", deciders: [Letter.self])
      for id in ["1", "2"] { try history.execute(.write("Dear Ann"), on: Letter[id], named: "Typing") }
      try store.execute(.send, on: Letter["2"])
      scene.fails { try history.undo() }
      try history.undo(history.stacks().undo[0])
    },
    ErrorCase("UndoError.unknownDecider") { scene in
      let store = MemoryEventStore()
      try UndoHistory(store, of: "user-7", deciders: [Letter.self])
        .execute(.write("Dear Ann"), on: Letter["1"], named: "Typing")
      scene.fails { try UndoHistory(store, of: "user-7", deciders: [Memo.self]).undo() }
      try UndoHistory(store, of: "user-7", deciders: [Letter.self, Memo.self]).undo()
    },
    ErrorCase("UndoError.unreadable") { scene in
      let store = MemoryEventStore()
      let event = NewEvent(
        type: "LetterWritten", payload: #"{"to":7}"#, tags: ["undo:user-7"],
        metadata: ["actor": "user-7", "undostep": "s", "undopart": "1", "undodecider": "Letter"])
      try store.append(Append([event], to: Letter.stream("1")))
      scene.fails { try UndoHistory(store, of: "user-7", deciders: [Letter.self]).undo() }
    },
    ErrorCase("UndoError.withoutEffect") { scene in
      let store = MemoryEventStore()
      let history = UndoHistory(store, of: "user-7", deciders: [Letter.self])
      for id in ["1", "2"] { try history.execute(.write("Dear Ann"), on: Letter[id], named: "Typing") }
      try store.execute(.write(""), on: Letter["2"])
      scene.fails { try history.undo() }
      try history.undo(history.stacks().undo[0])
    },
  ]

  /// The codes of `Branch.DraftError`.
  static let draft: [ErrorCase] = [
    ErrorCase("Branch.DraftError.erased") { scene in
      let store = MemoryEventStore()
      let form = try store.draft(named: "form", deciders: .of(Invitation.self))
      try form.execute(Personal("Ann", of: "guest-1"), on: Invitation["1"])
      try store.append([PartyEvent.invited(id: "2", name: Personal("Ann", of: "guest-1"))], to: "party")
      try store.erase(subject: "guest-1")
      let reopened = try store.draft(named: "form", deciders: .of(Invitation.self))
      for conflict in reopened.conflicts { scene.note(conflict.error) }
      try reopened.drop(reopened.commands[0])
      try reopened.merge()
    },
    ErrorCase("Branch.DraftError.unknownDecider") { scene in
      let store = MemoryEventStore()
      let form = try store.draft(named: "form", deciders: .of(Memo.self))
      scene.fails { try form.execute(Reminder.Command(minutes: 5), on: Reminder["1"]) }
      try form.execute(.note("milk"), on: Memo["1"])
      for conflict in try store.draft(named: "form").conflicts { scene.note(conflict.error) }
      try store.draft(named: "form", deciders: .of(Memo.self)).merge()
    },
    ErrorCase("Branch.DraftError.unreadable") { scene in
      let store = MemoryEventStore()
      try store.draft(named: "form", deciders: .of(Memo.self)).execute(.note("milk"), on: Memo["1"])
      let form = try store.draft(named: "form", deciders: .of(LaterMemo.self))
      for conflict in form.conflicts { scene.note(conflict.error) }
      try form.drop(form.commands[0])
      try form.merge()
    },
    ErrorCase("Branch.DraftError.unwritable") { scene in
      let form = try MemoryEventStore().draft(named: "form", deciders: .of(Reminder.self))
      scene.fails { try form.execute(Reminder.Command(minutes: 9), on: Reminder["1"]) }
    },
  ]

  private static func todos() throws -> MemoryEventStore {
    let store = MemoryEventStore(environment: StoreEnvironment(report: { _ in }))
    for command in [milk, call, .finish(id: "1")] { try store.execute(command, on: TodoList["home"]) }
    return store
  }

  private static func compaction(
    through: Position? = nil,
    keeping: @escaping @Sendable ([Compaction.Candidate<TodoEvent>]) -> [Compaction.Candidate<TodoEvent>] = { $0 }
  ) -> Compaction {
    var compaction = Compaction(through: through)
    compaction.rewrite(TodoEvent.self) { _, events in keeping(events) }
    return compaction
  }

  private static func removal(of stream: StreamName, allowing names: Set<String> = []) -> Compaction {
    var removal = Compaction()
    removal.removeStream(stream, allowing: names)
    removal.prove(Todos())
    removal.prove(Letters())
    return removal
  }

  /// The codes of `CompactionError`.
  static let compaction: [ErrorCase] = [
    ErrorCase("CompactionError.badHorizon") { scene in
      let store = try todos()
      var late = compaction(through: 9)
      late.prove(Todos())
      scene.fails { try store.compact(late) }
      var present = compaction(through: store.head())
      present.prove(Todos())
      try store.compact(present)
    },
    ErrorCase("CompactionError.badRule") { scene in
      let store = try todos()
      var twice = compaction { $0 + $0 }
      twice.prove(Todos())
      scene.fails { try store.compact(twice) }
      var once = compaction { $0 }
      once.prove(Todos())
      try store.compact(once)
    },
    ErrorCase("CompactionError.draft") { scene in
      let store = try todos()
      try store.execute(.note("milk"), on: Memo["1"])
      try store.draft(named: "form", deciders: .of(Memo.self)).execute(.note("tea"), on: Memo["1"])
      for names: Set<String> in [["MemoNoted"], ["MemoNoted", "form"]] {
        let planned = try store.rehearse(removal(of: Memo.stream("1"), allowing: names))
        for reference in planned.blockingReferences { scene.note(reference) }
      }
      try store.compact(removal(of: Memo.stream("1"), allowing: ["MemoNoted", "form"]))
    },
    ErrorCase("CompactionError.followerBehind") { scene in
      let store = try todos()
      let mailer = try EventFollower("mailer", of: TodoEvent.self, in: store, startingAt: .beginning) { _, _ in }
      try await mailer.catchUp()
      try await store.execute(.finish(id: "2"), on: TodoList["home"])
      var shorter = compaction { $0.filter { $0.recorded.position != 2 && $0.recorded.position != 4 } }
      shorter.prove(OpenTodos())
      await scene.failsAwaiting { try await store.compact(shorter) }
      try await mailer.catchUp()
      try await store.compact(shorter)
    },
    ErrorCase("CompactionError.incomplete") { scene in
      let store = try todos()
      var compaction = compaction()
      scene.fails { try store.compact(Compaction()) }
      scene.fails { try store.compact(compaction) }
      compaction.prove(Todos())
      try store.compact(compaction)
    },
    ErrorCase("CompactionError.noStream") { scene in
      let store = try todos()
      scene.fails { try store.compact(removal(of: "TodoList-hom", allowing: ["Todos"])) }
      try store.compact(removal(of: "TodoList-home", allowing: ["Todos"]))
    },
    ErrorCase("CompactionError.notEqual") { scene in
      let store = try todos()
      var shorter = compaction { $0.filter { $0.recorded.position != 3 } }
      shorter.prove(Todos())
      scene.fails { try store.compact(shorter) }
      var equal = compaction()
      equal.prove(Todos())
      try store.compact(equal)
    },
    ErrorCase("CompactionError.notFoldable") { scene in
      let store = try todos()
      try store.append(Append([NewEvent(type: "TodoMoved", payload: "{}")], to: "TodoList-work"))
      var compaction = compaction { $0.filter { $0.recorded.position == 2 } }
      compaction.prove(Todos())
      scene.fails { try store.compact(compaction) }
    },
    ErrorCase("CompactionError.referenced") { scene in
      let store = try todos()
      scene.fails { try store.compact(removal(of: "TodoList-home")) }
      try store.compact(removal(of: "TodoList-home", allowing: ["Todos"]))
    },
    ErrorCase("CompactionError.relatedEvent") { scene in
      let store = try todos()
      try store.append(
        Append([NewEvent(type: "LetterSent", payload: "{}", tags: ["TodoList-home"])], to: Letter.stream("1")))
      let receipt = try store.compact(removal(of: "TodoList-home", allowing: ["Todos"]))
      for reference in receipt.references where reference.code == .relatedEvent { scene.note(reference) }
    },
    ErrorCase("CompactionError.undoStep") { scene in
      let store = try todos()
      let history = UndoHistory(store, of: "user-7", deciders: [Letter.self])
      try history.execute(.write("Dear Ann"), on: Letter["1"], named: "Typing")
      let receipt = try store.compact(removal(of: Letter.stream("1"), allowing: ["Letters"]))
      for reference in receipt.references where reference.code == .undoStep { scene.note(reference) }
    },
    ErrorCase("CompactionError.unproven") { scene in
      let store = try todos()
      var shorter = compaction { $0.filter { $0.recorded.position == 2 } }
      shorter.prove(Guests())
      scene.fails { try store.compact(shorter) }
      shorter.prove(OpenTodos())
      try store.compact(shorter)
    },
  ]
}
