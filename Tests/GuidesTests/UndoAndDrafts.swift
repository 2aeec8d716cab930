import Annals
import Foundation

enum LetterEvent: Event {
  case written(to: String)
  case undone(to: String)
  case redone(to: String)
}

enum LetterCommand { case write(String), undo, redo }

struct Letter: Decider {
  enum Refusal: Error { case nothingToUndo, nothingToRedo }
  var text = ""
  var past: [String] = []
  var future: [String] = []

  func decide(_ command: LetterCommand) throws(Refusal) -> [LetterEvent] {
    switch command {
    case .write(let text): return text == self.text ? [] : [.written(to: text)]
    case .undo:
      guard let text = past.last else { throw .nothingToUndo }
      return [.undone(to: text)]
    case .redo:
      guard let text = future.last else { throw .nothingToRedo }
      return [.redone(to: text)]
    }
  }

  mutating func evolve(_ event: LetterEvent) {
    switch event {
    case .written(let text):
      past.append(self.text)
      future = []
      self.text = text
    case .undone(let text):
      future.append(self.text)
      past.removeLast()
      self.text = text
    case .redone(let text):
      past.append(self.text)
      future.removeLast()
      self.text = text
    }
  }
}

/// The program of `Docs/Guides/10-UndoAndDrafts.md`.
enum UndoAndDrafts {
  @MainActor static func run(path: String) throws {
    let store = MemoryEventStore()
    func text() throws -> String { try store.state(of: Letter.self, id: "1").text }
    for text in ["Dear Ann", "Dear Ann, thanks"] {
      try store.execute(.write(text), on: Letter.self, id: "1")
    }
    try store.execute(.undo, on: Letter.self, id: "1")
    print(try text())
    try store.execute(.redo, on: Letter.self, id: "1")
    print(try text())
    do {
      try store.execute(.redo, on: Letter.self, id: "1")
    } catch Letter.Refusal.nothingToRedo {
      print("nothing to redo, and the log has \(store.head()) events")
    }

    var draft = try text()
    let version = store.version(of: Letter.stream("1"))
    draft += " for the book"
    try store.execute(.write("Dear Bob"), on: Letter.self, id: "1")
    do {
      try store.execute(.write(draft), on: Letter.self, id: "1", expecting: .exact(version))
    } catch let error as EventStoreError where error.code == .versionConflict {
      print("someone wrote meanwhile: \(try text())")
    }

    let branch = try store.branch()
    try branch.execute(.write("Dear Cid"), on: Letter.self, id: "1")
    try branch.execute(.undo, on: Letter.self, id: "1")
    try branch.execute(.redo, on: Letter.self, id: "1")
    print("the log says \(try text())")
    try branch.merge()
    print("now it says \(try text())")
  }
}
