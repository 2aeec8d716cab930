import Annals
import AnnalsSQLite
import Foundation

struct OldTask: Codable {
  var id: String
  var title: String
  var made: Date
  var finished: Date?
}

/// The program of `Docs/Guides/09-BringingDataIn.md`.
enum BringingDataIn {
  static func events(of tasks: [OldTask]) throws -> Append {
    var events: [(event: TodoEvent, id: String, time: Date)] = []
    for task in tasks {
      events.append((event: .added(id: task.id, title: task.title), id: "\(task.id)-added", time: task.made))
      if let finished = task.finished {
        events.append((event: .finished(id: task.id), id: "\(task.id)-finished", time: finished))
      }
    }
    var append = Append(commandID: "tasks of the old app")
    for (event, id, time) in events.sorted(by: { $0.time < $1.time }) {
      try append.add(
        event, to: TodoList.stream("home"), id: EventID(source: "old-app", id: id), time: time,
        metadata: ["actor": "import"])
    }
    return append
  }

  @MainActor static func run(path: String) throws {
    let json = """
      [{"id": "1", "title": "Buy milk", "made": "2026-03-01T08:00:00Z", "finished": "2026-03-02T18:00:00Z"},
       {"id": "2", "title": "Answer Ann", "made": "2026-03-02T09:00:00Z"}]
      """
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let tasks = try decoder.decode([OldTask].self, from: Data(json.utf8))

    let store = try SQLiteEventStore(path: path)
    for _ in 0..<2 {
      let receipt = try store.append(events(of: tasks))
      print(receipt.isRepeated ? "it was there before" : "\(receipt.count) events")
    }
    for event in try store.events(of: TodoEvent.self) {
      print(event.time.formatted(.iso8601.year().month().day()), event.author ?? "", event.event)
    }

    do {
      try store.execute(.finish(id: "1"), on: TodoList["home"])
    } catch TodoList.Refusal.alreadyDone {
      print("done already, says the decider")
    }

    let table = "3;Call Bob;2026-03-03T10:00:00Z\n4;Read Tacitus;2026-03-04T10:00:00Z"
    var append = Append(commandID: "tasks of the table")
    for line in table.split(separator: "\n") {
      let cells = line.split(separator: ";").map(String.init)
      try append.add(
        TodoEvent.added(id: cells[0], title: cells[1]), to: TodoList.stream("home"),
        time: Date(cells[2], strategy: .iso8601))
    }
    print(try store.append(append).count, "events of the table")
  }
}
