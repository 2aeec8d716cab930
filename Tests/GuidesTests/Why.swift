import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Synchronization

enum PlanEvent: Event {
  case sectionAdded(id: String, title: String)
  case sectionRenamed(id: String, to: String)
}

enum PlanCommand: Sendable { case addSection(id: String, title: String), renameSection(id: String, to: String) }

struct Plan: EventwiseUndoableDecider {
  enum Refusal: Error { case titleTaken, noSection }
  var titles: [String: String] = [:]

  func decide(_ command: PlanCommand) throws(Refusal) -> [PlanEvent] {
    switch command {
    case .addSection(_, let title) where titles.values.contains(title): throw .titleTaken
    case .addSection(let id, let title): return [.sectionAdded(id: id, title: title)]
    case .renameSection(_, let title) where titles.values.contains(title): throw .titleTaken
    case .renameSection(let id, _) where titles[id] == nil: throw .noSection
    case .renameSection(let id, let title): return [.sectionRenamed(id: id, to: title)]
    }
  }

  mutating func evolve(_ event: PlanEvent) {
    switch event {
    case .sectionAdded(let id, let title), .sectionRenamed(let id, let title): titles[id] = title
    }
  }

  func undoing(_ event: PlanEvent) -> PlanCommand? {
    switch event {
    case .sectionAdded: nil
    // `titles` has the title before the event.
    case .sectionRenamed(let id, _): titles[id].map { .renameSection(id: id, to: $0) }
    }
  }
}

struct PlanSection: Row {
  let id: String
  var title: String
}

struct PlanSections: Projection {
  func project(_ event: PlanEvent, into rows: inout Rows<PlanSection>) {
    switch event {
    case .sectionAdded(let id, let title): rows.insert(PlanSection(id: id, title: title))
    case .sectionRenamed(let id, let title): rows[id]?.title = title
    }
  }
}

/// The program of `Docs/Why.md`.
enum Why {
  @MainActor static func run(path: String) throws {
    let hours = Mutex(0)
    // The tool prints the events' times.
    let environment = StoreEnvironment(now: {
      let hour = hours.withLock { count in
        count += 1
        return count
      }
      return Date(timeIntervalSince1970: 1_793_606_400 + Double(hour) * 3_600)
    })
    do {
      let store = try SQLiteEventStore(path: path, environment: environment)
      let ann = UndoHistory(store, of: "ann", deciders: [Plan.self])
      try ann.execute(.addSection(id: "s1", title: "Later"), on: Plan["home"], named: "Add Section")

      let bob = UndoHistory(store, of: "bob", deciders: [Plan.self])
      try bob.execute(.renameSection(id: "s1", to: "Someday"), on: Plan["home"], named: "Rename Section")
      store.close()
    }
    let tool = ReplayTool(ReplayList(PlanSections()))
    print(tool.answer(to: ["why", path, "s1.title"]).output.trimmingCharacters(in: .newlines))

    let store = try SQLiteEventStore(path: path, environment: environment)
    let history = UndoHistory(store, of: "bob", deciders: [Plan.self])
    print("undo", try history.stacks().undo.last?.title ?? "")
    try history.undo()
    print(try store.list(of: PlanSections()).rows.map(\.title), "after", try store.head(), "events")
  }
}
