import Annals
import Foundation
import Synchronization

enum CopyEvent: Event {
  case written(page: String, text: String)
  case deleted(page: String)
}

struct Copy: Row {
  let id: String
  var text: String
}

struct Copies: Projection {
  func project(_ event: CopyEvent, into rows: inout Rows<Copy>) {
    switch event {
    case .written(let page, let text): rows.insert(Copy(id: page, text: text))
    case .deleted(let page): rows[page] = nil
    }
  }
}

struct Activity: Row {
  let id: Position
  var day: String
  var words: String
}

struct Feed: Projection {
  func project(_ recorded: Recorded<CopyEvent>, into rows: inout Rows<Activity>) {
    let words =
      switch recorded.event {
      case .written(let page, _): "\(recorded.author ?? "someone") wrote \(page)"
      case .deleted(let page): "\(recorded.author ?? "someone") deleted \(page)"
      }
    let day = recorded.time.formatted(.iso8601.year().month().day())
    rows.insert(Activity(id: recorded.position, day: day, words: words))
  }
}

/// The program of `Docs/Guides/07-GoingBackInTime.md`.
enum GoingBackInTime {
  @MainActor static func run(path: String) throws {
    let day = Mutex(1)
    let store = MemoryEventStore(environment: StoreEnvironment(now: { time(of: day.withLock { $0 }) }))
    /// Writes on a day of November.
    func write(_ event: CopyEvent, on date: Int, by author: String) throws {
      day.withLock { $0 = date }
      try store.append([event], to: "wiki", metadata: ["actor": author])
    }
    try write(.written(page: "Rome", text: "A city."), on: 1, by: "Ann")
    try write(.written(page: "Nero", text: "An emperor."), on: 2, by: "Bob")
    try write(.written(page: "Rome", text: "A city in Italy."), on: 3, by: "Ann")
    try write(.deleted(page: "Nero"), on: 3, by: "Ann")

    let pages = FetchedResultsController(store: store, projection: Copies())
    try pages.performFetch()
    let observation = pages.observe { changes in
      print("\(changes.from) → \(changes.to):", changes.new.rows.map { "\($0.id): \($0.text)" })
    }
    try pages.seek(to: 2)
    try pages.seek(to: time(of: 1))
    try write(.written(page: "Ovid", text: "A poet."), on: 4, by: "Bob")
    let end = store.head()
    print("at \(pages.position) of \(end)")
    try pages.returnToLive()
    observation.cancel()

    let yesterday = try store.list(of: Copies(), at: store.position(at: time(of: 3)))
    let today = try store.list(of: Copies())
    for change in Changes(from: yesterday, to: today).rows { print("new since then: \(change.row.id)") }

    let feed = try store.list(
      of: Feed(), ListRequest(sort: [.descending(\.id)], section: .by(\.day, order: .byKey.descending), limit: 3))
    print(feed.map { "\($0.title): \($0.map(\.words).joined(separator: ", "))" }.joined(separator: "\n"))

    let unseen = FetchedResultsController(
      store: store,
      projection: UnseenChanges("wiki", by: "Ann") { (recorded: Recorded<CopyEvent>) -> String? in
        if recorded.author == "Ann" { return nil }
        switch recorded.event {
        case .written(let page, _), .deleted(let page): return page
        }
      })
    try unseen.performFetch()
    for row in unseen.results.rows { print(row.id, row.positions.count, row.author ?? "unknown") }
    try store.markSeen("wiki", by: "Ann", through: unseen.position)
    print("unseen:", unseen.rowCount)

    for page in today.rows {
      if let position = today.lastEvent(forID: page.id), let event = try store.event(at: position) {
        print(
          "\(page.id): \(event.metadata.author ?? "unknown"), \(event.time.formatted(.iso8601.year().month().day()))")
      }
    }
    print("changed:", today.rows(setAfter: yesterday.position).map(\.id))
  }

  /// Noon of a day of November 2026, in UTC.
  static func time(of day: Int) -> Date { Date(timeIntervalSince1970: 1_793_534_400 + Double(day - 1) * 86_400) }
}
