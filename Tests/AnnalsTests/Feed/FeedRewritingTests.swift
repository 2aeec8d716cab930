import AnnalsTesting
import Foundation
import Testing

@testable import Annals
@testable import AnnalsRemote

/// A feed whose log is erased or compacted.
@Suite struct FeedRewritingTests {
  private let store = MemoryEventStore(environment: .quiet)

  @MainActor @Test func `readers receive an erasure, which has no position`() async throws {
    try await store.append([VisitEvent.came(id: 1, name: Personal("Ann", of: "ann"))], to: "visits")
    try await store.append([VisitEvent.came(id: 2, name: Personal("Bob", of: "bob"))], to: "visits")
    let controller = FetchedResultsController(store: store, projection: Visits())
    try controller.performFetch()
    let feed = ListFeed<Visit>()
    let observation = feed.follow(controller)
    let list = try #require(feed.latest)
    var reader = feed.messages(after: list).makeAsyncIterator()
    _ = try await store.erase(subject: "ann")
    let erasure = try await reader.next(isolation: #isolation)
    #expect(
      erasure?.json == """
        {"after":2,"position":2,"rows":[{"from":[0,0],"row":{"id":1,"name":"(erased)"},"to":[0,0]}],"sections":[]}
        """)
    #expect(feed.list(at: 2)?.rows.map(\.name) == ["(erased)", "Bob"])
    // The next erasure is delivered together with an event, so the list has another position.
    try await store.append([VisitEvent.came(id: 3, name: Personal("Cid", of: "cid"))], to: "visits")
    #expect(feed.list(at: 3)?.rows.map(\.name) == ["(erased)", "Bob", "Cid"])
    controller.suspendDelivery()
    _ = try await store.erase(subject: "bob")
    try await store.append([VisitEvent.came(id: 4, name: Personal("Dan", of: "dan"))], to: "visits")
    controller.resumeDelivery()
    #expect(feed.list(at: 4)?.rows.map(\.name) == ["(erased)", "(erased)", "Cid", "Dan"])
    #expect(feed.list(at: 3) == nil)
    withExtendedLifetime(observation) {}
  }

  private enum VisitEvent: Event {
    case came(id: Int, name: Personal<String>)
    case left(id: Int)
  }

  private struct Visit: Row {
    let id: Int
    let name: String
  }

  private struct Visits: Projection {
    func project(_ event: VisitEvent, into rows: inout Rows<Visit>) {
      switch event {
      case .came(let id, let name): rows.insert(Visit(id: id, name: "\(name)"))
      case .left(let id): rows[id] = nil
      }
    }
  }

  @MainActor @Test func `a slow reader receives no message from before an erasure`() async throws {
    func come(_ id: Int, _ name: String) throws {
      try store.append([VisitEvent.came(id: id, name: Personal(name, of: name))], to: "visits")
    }
    try come(1, "Bob")
    let controller = FetchedResultsController(store: store, projection: Visits())
    try controller.performFetch()
    let feed = ListFeed<Visit>()
    let observation = feed.follow(controller)
    let list = try #require(feed.latest)
    var readers = (0..<4).map { _ in feed.messages(after: list).makeAsyncIterator() }
    // The message with the name is encoded for the first reader, before the row of the name leaves the list.
    try come(2, "Ann")
    for reader in 0..<3 {
      let message = try await readers[reader].next(isolation: #isolation)
      #expect(message?.json.contains("Ann") == true)
    }
    try await store.append([VisitEvent.left(id: 2)], to: "visits")
    try come(3, "Cid")
    for position in [3, 4] as [Position] {
      let message = try await readers[0].next(isolation: #isolation)
      #expect(message?.position == position)
    }
    _ = try await store.erase(subject: "Ann")
    try come(4, "Dan")
    // The first reader had the last version before the erasure, so it receives every message.
    for position in [4, 5] as [Position] {
      let message = try await readers[0].next(isolation: #isolation)
      #expect(message?.position == position)
    }
    // The other readers receive one message, also the reader that hasn't begun before the erasure.
    for reader in 1..<4 {
      let next = try await readers[reader].next(isolation: #isolation)
      let message = try #require(next)
      #expect(message.position == 5 && !message.json.contains("Ann"))
      let rows = try JSONDecoder().decode(ListChanges<Visit>.self, from: Data(message.json.utf8)).rows
      // The second and third reader have Ann's row, which leaves.
      #expect(rows.map(\.from) == (reader == 3 ? [nil, nil] : [[0, 1], nil, nil]))
      #expect(rows.compactMap(\.row?.name) == ["Cid", "Dan"])
    }
    try come(5, "Eve")
    for reader in 0..<4 {
      let message = try await readers[reader].next(isolation: #isolation)
      #expect(message?.position == 6)
    }
    withExtendedLifetime(observation) {}
  }

  @MainActor @Test func `an erasure without a change of the latest list applies to the earlier lists and messages`()
    async throws
  {
    try await store.append([VisitEvent.came(id: 1, name: Personal("Bob", of: "bob"))], to: "visits")
    let controller = FetchedResultsController(store: store, projection: Visits())
    try controller.performFetch()
    let feed = ListFeed<Visit>()
    let observation = feed.follow(controller)
    let list = try #require(feed.latest)
    var readers = (0..<3).map { _ in feed.messages(after: list).makeAsyncIterator() }
    try await store.append([VisitEvent.came(id: 2, name: Personal("Ann", of: "ann"))], to: "visits")
    for reader in 0..<2 {
      let message = try await readers[reader].next(isolation: #isolation)
      #expect(message?.json.contains("Ann") == true)
    }
    try await store.append([VisitEvent.left(id: 2)], to: "visits")
    #expect(feed.list(at: 2)?.rows.map(\.name) == ["Bob", "Ann"])
    let left = try await readers[0].next(isolation: #isolation)
    #expect(left?.position == 3)
    _ = try await store.erase(subject: "ann")
    #expect(feed.list(at: 1) == nil && feed.list(at: 2) == nil)
    #expect(feed.list(at: 3)?.storage === controller.results.storage)
    // The last reader receives the changes of both versions in one message.
    for (reader, after) in [(1, 2), (2, 1)] {
      let message = try await readers[reader].next(isolation: #isolation)
      #expect(message?.position == 3 && message?.json.hasPrefix(#"{"after":\#(after),"#) == true)
      #expect(message?.json.contains("Ann") == false)
    }
    withExtendedLifetime(observation) {}
  }

  @MainActor @Test func `encoded messages from before an erasure no longer count`() async throws {
    let feed = ListFeed<Visit>(byteLimit: 300)
    let controller = FetchedResultsController(store: store, projection: Visits())
    try controller.performFetch()
    let observation = feed.follow(controller)
    let list = try #require(feed.latest)
    var (reader, slow) = (
      feed.messages(after: list).makeAsyncIterator(), feed.messages(after: list).makeAsyncIterator()
    )
    func size() async throws -> Int {
      let message = try await reader.next(isolation: #isolation)
      return try #require(message).json.utf8.count
    }
    func come(_ id: Int) throws {
      try store.append([VisitEvent.came(id: id, name: Personal("Ann", of: "ann"))], to: "visits")
    }
    try come(1)
    let first = try await slow.next(isolation: #isolation)
    #expect(first?.position == 1)
    try come(2)
    let before = try await size() + size()
    _ = try await store.erase(subject: "ann")
    let erasure = try await size()
    try come(3)
    let after = try await erasure + size()
    #expect(before < 300 && after < 300 && before + after > 300)
    // The feed still has the version after the slow reader's version.
    let next = try await slow.next(isolation: #isolation)
    #expect(next?.position == 3)
    withExtendedLifetime(observation) {}
  }

  /// A projection that a compaction can't change, because every compaction compares the lists of a projection.
  private struct NoRows: Projection {
    func project(_ event: ItemEvent, into rows: inout Rows<Item>) {}
  }

  @MainActor @Test func `a feed remembers its versions after a compaction that keeps the list`() async throws {
    for rank in 1...3 { try store.put(.put(Item("a", "x", rank))) }
    try store.put(.put(Item("b", "x", 4)))
    let controller = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
    try controller.performFetch()
    let feed = ListFeed<Item>()
    let observation = feed.follow(controller)
    try store.put(.put(Item("c", "x", 5)))
    try store.put(.put(Item("a", "x", 6)))
    let lists = try [4, 5, 6].map { try #require(feed.list(at: $0)) }
    var (reader, slow) = (
      feed.messages(after: lists[2]).makeAsyncIterator(), feed.messages(after: lists[0]).makeAsyncIterator()
    )
    func compact(_ isRemoved: @escaping @Sendable (ItemEvent) -> Bool) throws {
      var compaction = Compaction()
      compaction.prove(NoRows())
      compaction.rewrite(ItemEvent.self) { _, events in events.filter { !isRemoved($0.recorded.event) } }
      try store.compact(compaction)
      controller.refresh()
    }
    try compact {
      if case .put(let item) = $0 { item.id == "a" && item.rank < 6 } else { false }
    }
    #expect(feed.latest?.storage !== lists[2].storage && feed.latest?.storage === controller.results.storage)
    #expect(feed.list(at: 4)?.storage === lists[0].storage && feed.list(at: 5)?.storage === lists[1].storage)
    try store.put(.put(Item("d", "x", 7)))
    let added = try await reader.next(isolation: #isolation)
    #expect(added?.json.hasPrefix(#"{"after":6,"position":7,"#) == true)
    var page = try ListPage(all: lists[0])
    for position in [5, 6, 7] as [Position] {
      let next = try await slow.next(isolation: #isolation)
      let message = try #require(next)
      try page.apply(decoded(message.json))
      #expect(message.position == position)
    }
    #expect(try page == ListPage(all: controller.results))
    // This compaction changes the list, so earlier positions no longer determine a list.
    try compact {
      if case .put(let item) = $0 { item.id == "b" } else { false }
    }
    #expect(controller.results.rows.map(\.id) == ["c", "a", "d"])
    #expect(feed.list(at: 6) == nil && feed.list(at: 7) == controller.results)
    let last = try await slow.next(isolation: #isolation)
    try page.apply(decoded(try #require(last).json))
    #expect(try page == ListPage(all: controller.results))
    withExtendedLifetime(observation) {}
  }
}
