import Annals
import AnnalsSQLite
import Foundation

/// The program of `Docs/Guides/06-SeveralProcesses.md`.
enum SeveralProcesses {
  @MainActor static func run(path: String) async throws {
    let app = try SQLiteEventStore(path: path)
    let todos = FetchedResultsController(store: app, projection: Todos())
    try await todos.performFetch { _ in }
    var batches = todos.changes.makeAsyncIterator()

    let widget = try SQLiteEventStore(path: path)
    try await widget.execute(.add(id: "1", title: "Buy milk"), on: TodoList["home"])
    if let changes = await batches.next() { print("the app shows", changes.new.rows.map(\.title)) }

    try await app.execute(.finish(id: "1"), on: TodoList["home"])
    do {
      try await widget.execute(.finish(id: "1"), on: TodoList["home"])
    } catch TodoList.Refusal.alreadyDone {
      print("the widget is refused: it was done in the app")
    }

    let tool = try SQLiteEventStore(readingFrom: path)
    print("the tool reads", try await tool.events(of: TodoEvent.self).count, "events")
    do {
      try await tool.execute(.add(id: "2", title: "Call Ann"), on: TodoList["home"])
    } catch let error as EventStoreError where error.code == .readOnly {
      print("and cannot write")
    }
  }
}
