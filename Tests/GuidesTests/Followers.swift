import Annals
import Foundation

actor Post {
  private(set) var sent: [EventID: String] = [:]
  private var isDown = true

  func mail(_ text: String, key: EventID) throws {
    if isDown {
      isDown = false
      throw Down()
    }
    // The same mail again is no second mail.
    if sent.updateValue(text, forKey: key) == nil { print("mail:", text) }
  }

  struct Down: Error {}
}

actor SearchIndex {
  private var titles: [String: String] = [:]

  func put(_ events: [TodoEvent]) {
    for case .added(let id, let title) in events { titles[id] = title }
    print("indexed \(events.count) events, \(titles.count) titles")
  }
}

/// The program of `Docs/Guides/08-Followers.md`.
enum Followers {
  @MainActor static func run(path: String) async throws {
    let store = MemoryEventStore(
      environment: StoreEnvironment(sleep: { print("waiting \($0)") }, report: { _ in }))
    try await store.append(
      [TodoEvent.added(id: "1", title: "Buy milk"), .added(id: "2", title: "Call Ann"), .finished(id: "1")],
      to: TodoList.stream("home"))

    let post = Post()
    let mailer = try EventFollower(
      "mailer", of: TodoEvent.self, in: store, startingAt: .beginning, retries: .retrying(attempts: 5)
    ) { recorded, context in
      guard case .finished(let id) = recorded.event, !context.isReplay else { return }
      try await post.mail("\(id) is done", key: recorded.id)
    }
    try await mailer.catchUp()
    print("the mailer is at \(try mailer.position)")

    let restarted = try EventFollower("mailer", of: TodoEvent.self, in: store, startingAt: .beginning) {
      recorded, context in
      print("event \(recorded.position), replayed: \(context.isReplay)")
    }
    try await store.execute(.finish(id: "2"), on: TodoList["home"])
    try await restarted.catchUp()

    let index = SearchIndex()
    let indexer = try EventFollower("indexer", of: TodoEvent.self, in: store, startingAt: .beginning, batchSize: 100) {
      batch, context in
      await index.put(batch.map(\.event))
    }
    try await indexer.catchUp()

    let planner = try EventFollower("planner", of: TodoEvent.self, in: store, startingAt: .beginning) { recorded, _ in
      guard case .finished(let id) = recorded.event else { return }
      try await store.execute(
        .add(id: recorded.id.id, title: "Check \(id)"), on: TodoList["checks"], commandID: "check \(recorded.id.id)")
    }
    try await planner.catchUp()
    let finished = try await store.events(of: TodoEvent.self, .case(TodoEvent.finished))
    let checks = try await store.events(of: TodoEvent.self, .stream(TodoList.stream("checks")))
    print(checks.map(\.metadata.causation) == finished.map(\.id.id))
  }

  static let patient: FollowerRetries =
    .retrying(attempts: 10, firstDelay: .milliseconds(200), factor: 3, largestDelay: .seconds(300))
}
