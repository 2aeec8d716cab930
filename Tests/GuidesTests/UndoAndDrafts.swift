import Annals
import Foundation

enum LetterEvent: Event {
  case written(to: String)
  case sent
}

enum LetterCommand: Sendable { case write(String), send }

struct Letter: Decider {
  enum Refusal: Error { case wasSent }
  var text = ""
  var isSent = false

  func decide(_ command: LetterCommand) throws(Refusal) -> [LetterEvent] {
    if isSent { throw .wasSent }
    switch command {
    case .write(let text): return text == self.text ? [] : [.written(to: text)]
    case .send: return [.sent]
    }
  }

  mutating func evolve(_ event: LetterEvent) {
    switch event {
    case .written(let text): self.text = text
    case .sent: isSent = true
    }
  }
}

extension Letter: EventwiseUndoableDecider {
  func undoing(_ event: LetterEvent) -> LetterCommand? {
    switch event {
    // `text` is the text before the event.
    case .written: .write(text)
    // A sent letter can't be unsent.
    case .sent: nil
    }
  }
}

/// The program of `Docs/Guides/10-UndoAndDrafts.md`.
enum UndoAndDrafts {
  @MainActor static func run(path: String) throws {
    let store = MemoryEventStore()
    func text() throws -> String { try store.state(of: Letter["1"]).text }
    let history = UndoHistory(store, of: "user-7", deciders: [Letter.self])
    for text in ["Dear Ann", "Dear Ann, thanks"] {
      try history.execute(.write(text), on: Letter["1"], named: "Typing")
    }
    try history.undo()
    print(try text())
    try history.redo()
    print(try text())
    do {
      try history.redo()
    } catch let error as UndoError where error.code == .nothingToRedo {
      print("nothing to redo, and the log has \(store.head()) events")
    }

    try store.execute(.send, on: Letter["1"])
    do {
      try history.undo()
    } catch let error as UndoError where error.code == .refused {
      print(error)
    }

    try store.execute(.write("Dear Cid"), on: Letter["2"])
    let version = store.version(of: Letter.stream("2"))
    let draft = try store.state(of: Letter["2"]).text + ", see you"
    try store.execute(.write("Dear Bob"), on: Letter["2"])
    do {
      try store.execute(.write(draft), on: Letter["2", expecting: .exact(version)])
    } catch let error as EventStoreError where error.code == .versionConflict {
      print("someone wrote meanwhile: \(try store.state(of: Letter["2"]).text)")
    }

    let branch = try store.branch()
    let form = UndoHistory(branch, of: "user-7", deciders: [Letter.self])
    try form.execute(.write("Dear Dan"), on: Letter["3"], named: "New Letter")
    try form.execute(.write("Dear Dan, no"), on: Letter["3"], named: "Typing")
    try form.undo()
    try store.execute(.write("Dear Eve"), on: Letter["2"])
    print("the log says \"\(try store.state(of: Letter["3"]).text)\"")
    try branch.merge()
    print("now it says \"\(try store.state(of: Letter["3"]).text)\"")
    try history.undo()
    print("and after an undo \"\(try store.state(of: Letter["3"]).text)\"")
  }
}
