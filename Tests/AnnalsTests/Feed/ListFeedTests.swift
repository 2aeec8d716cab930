import AnnalsTesting
import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsRemote

/// The versions of a list for the readers of a service.
@Suite struct ListFeedTests {
  private let store = MemoryEventStore(environment: .quiet)

  /// A list with some rows.
  private static func list(_ count: Int, at position: Position, rank: Int = 0) -> Results<Item> {
    var rows = Rows<Item>()
    for number in 0..<count { rows.insert(Item("\(number)", "x", number + rank)) }
    return Results(.byGroup, of: rows, at: position)
  }

  /// A feed with versions at some positions.
  ///
  /// The number of a version's rows is its position.
  private static func feed(capacity: Int = 1_000, _ positions: Position...) -> ListFeed<Item> {
    let feed = ListFeed<Item>(capacity: capacity)
    for position in positions { add(position, to: feed) }
    return feed
  }

  private static func add(_ position: Position, to feed: ListFeed<Item>) {
    feed.watch(list(position.rawValue, at: position), of: nil, failure: nil)
  }

  private typealias Reader = ListFeed<Item>.Messages.Iterator

  private func reader(_ feed: ListFeed<Item>, at position: Position, heartbeat: Duration? = nil) throws -> Reader {
    feed.messages(after: try #require(feed.list(at: position)), heartbeat: heartbeat).makeAsyncIterator()
  }

  /// Waits until some tasks wait for the feed, which can't be observed in another way.
  private func waiting(_ feed: ListFeed<Item>, _ count: Int) async {
    while feed.wakes.count != count { await Task.yield() }
  }

  // MARK: - The versions of a controller

  @MainActor @Test func `a feed has every list of its controller, including lists that differ only in the position`()
    throws
  {
    try store.put(.put(Item("a", "x", 1)))
    let controller = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
    let feed = ListFeed<Item>()
    let observation = feed.follow(controller)
    #expect(feed.latest == nil && feed.list(at: 0) == nil)
    try controller.performFetch()
    #expect(feed.latest?.position == 1)
    try store.put(.put(Item("b", "x", 2)))
    try store.put(.removed(id: "none"))
    try store.append(Append([NewEvent(type: "Other", payload: nil)], to: "other"))
    #expect(feed.latest?.position == 4)
    for (position, ids) in [(1, ["a"]), (2, ["a", "b"]), (3, ["a", "b"]), (4, ["a", "b"])] as [(Position, [String])] {
      #expect(feed.list(at: position)?.rows.map(\.id) == ids)
      #expect(feed.list(at: position)?.position == position)
    }
    #expect(feed.list(at: 0) == nil && feed.list(at: 5) == nil)
    observation.cancel()
    try store.put(.put(Item("c", "x", 3)))
    #expect(feed.latest?.position == 4)
    #expect(controller.position == 5)
  }

  @MainActor @Test func `a feed has the present list of a controller that has fetched before`() throws {
    try store.put(.put(Item("a", "x", 1)))
    let feed = ListFeed<Item>()
    let observation = feed.follow(try controller(store))
    #expect(feed.latest?.rows.map(\.id) == ["a"])
    // The observation retains the controller.
    try store.put(.put(Item("b", "x", 2)))
    #expect(feed.latest?.rows.map(\.id) == ["a", "b"])
    withExtendedLifetime(observation) {}
  }

  @Test func `a feed follows a controller of any actor, and other tasks wait for its positions`() async throws {
    actor Keeper {
      private var observation: ChangeObservation?

      func load(_ store: MemoryEventStore, into feed: ListFeed<Item>) async throws {
        let controller = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
        try await controller.performFetch { _ in }
        observation = feed.follow(controller)
      }
    }
    let (feed, keeper) = (ListFeed<Item>(), Keeper())
    try await keeper.load(store, into: feed)
    for number in 1...20 { try store.put(.put(Item("\(number)", "x", number))) }
    #expect(await feed.wait(for: 20, limit: .seconds(600)))
    #expect(feed.latest?.rows.count == 20)
    withExtendedLifetime(keeper) {}
  }

  @Test func `a feed follows a controller without isolation`() throws {
    let controller = try controller(store)
    let feed = ListFeed<Item>()
    let observation = feed.follow(controller)
    try store.put(.put(Item("a", "x", 1)))
    controller.refresh()
    #expect(feed.latest?.rows.map(\.id) == ["a"])
    withExtendedLifetime(observation) {}
  }

  @MainActor @Test func `a feed has the error that stops the list, until the list can be updated`() throws {
    let store = FailingStore()
    let controller = try controller(store)
    let feed = ListFeed<Item>()
    let observation = feed.follow(controller)
    try store.put(.put(Item("a", "x", 1)))
    #expect(feed.failure == nil && feed.latest?.position == 1)
    store.fails = true
    controller.refresh()
    #expect(feed.failure is EventStoreError && feed.latest?.position == 1)
    store.fails = false
    controller.refresh()
    #expect(feed.failure == nil)
    try store.put(.refused(reason: "no"))
    #expect(feed.failure is ProjectionError && feed.latest?.position == 1)
    withExtendedLifetime(observation) {}
  }

  @MainActor @Test func `readers receive a changed request, and a position is the list since then`() async throws {
    for item in [Item("a", "x", 1), Item("b", "x", 2)] { try store.put(.put(item)) }
    let controller = try controller(store)
    let feed = ListFeed<Item>()
    let observation = feed.follow(controller)
    try store.put(.put(Item("c", "x", 3)))
    var page = try ListPage(all: try #require(feed.latest))
    var reader = try reader(feed, at: 3)
    try await controller.update { $0.sort = [.descending(\.rank)] }
    #expect(feed.list(at: 2) == nil)
    #expect(feed.list(at: 3) == controller.results)
    try page.apply(decoded(try #require(try await reader.next()).json))
    #expect(try page == ListPage(all: controller.results))
    try store.put(.put(Item("d", "x", 4)))
    #expect(feed.list(at: 3) != nil && feed.list(at: 4) == controller.results)
    // The past is a version, too.
    try controller.seek(to: 1)
    #expect(feed.latest?.position == 1 && feed.list(at: 1) == controller.results && feed.list(at: 4) == nil)
    for _ in 0..<2 { try page.apply(decoded(try #require(try await reader.next()).json)) }
    #expect(try page == ListPage(all: controller.results))
    withExtendedLifetime(observation) {}
  }

  @Test func `an equal list replaces the latest list without a version`() async throws {
    let feed = Self.feed(1, 2)
    var reader = try reader(feed, at: 1)
    let (latest, equal) = (try #require(feed.latest), Self.list(2, at: 2))
    feed.replace(Self.list(2, at: 2), by: equal)
    #expect(feed.latest?.storage === latest.storage)
    feed.replace(latest, by: equal)
    #expect(feed.latest?.storage === equal.storage)
    #expect(try await reader.next()?.position == 2)
    Self.add(3, to: feed)
    #expect(try await reader.next()?.position == 3)
  }

  // MARK: - Messages

  @Test func `random readers that leave and resume show the list`() async throws {
    let steps = Generator.array(of: zip(.itemBatch, .int(in: 0...5)), count: 10...30)
    try await check(steps, settings: CheckSettings(examples: 100)) { steps async throws in
      let feed = ListFeed<Item>()
      var rows = Rows<Item>()
      feed.watch(Results(.byGroup, of: rows, at: 0), of: nil, failure: nil)
      var (page, client) = (try ListPage(all: feed.latest!), PlainClient(feed.latest!))
      var reader = try reader(feed, at: 0)
      for (step, (batch, action)) in steps.enumerated() {
        for edit in batch { try edit.apply(to: &rows) }
        let next = Results(.byGroup, of: rows, at: Position(2 * step + 1))
        feed.watch(next, of: nil, failure: nil)
        switch action {
        case 0:
          // The reader left, and this instance never had the same list object.
          let old = Results(.byGroup, of: Self.rows(of: page), at: page.position)
          reader = feed.messages(after: old).makeAsyncIterator()
        case 1: reader = try self.reader(feed, at: page.position)
        case 2: continue
        default: break
        }
        while page.position < next.position {
          let message = try await reader.next()
          try page.apply(decoded(message!.json))
          try client.apply(message!.json)
          try ensureEqual(message!.position, page.position)
        }
        try ensureEqual(page, try ListPage(all: next))
        try ensure(client.shows(next))
      }
    }
  }

  private static func rows(of page: ListPage<Item>) -> Rows<Item> {
    var rows = Rows<Item>()
    for section in page.sections {
      for row in section.rows {
        rows.insert(row)
        rows.renameSection(row.group, of: \.group, to: section.title)
      }
    }
    return rows
  }

  @Test func `the changes of a version are encoded once for all readers`() async throws {
    struct Counted: Row {
      static let count = Mutex(0)

      let id: Int

      init(id: Int) { self.id = id }

      init(from decoder: any Decoder) throws { id = try Int(from: decoder) }

      func encode(to encoder: any Encoder) throws {
        if encoder.userInfo[CodingUserInfoKey(rawValue: "counts")!] != nil { Self.count.withLock { $0 += 1 } }
        try id.encode(to: encoder)
      }
    }
    func list(_ count: Int) -> Results<Counted> {
      var rows = Rows<Counted>()
      for id in 0..<count { rows.insert(Counted(id: id)) }
      return Results(ListRequest(), of: rows, at: Position(count))
    }
    let encoder = JSONEncoder()
    encoder.userInfo[CodingUserInfoKey(rawValue: "counts")!] = true
    let feed = ListFeed<Counted>(encoder: encoder)
    let first = list(0)
    feed.watch(first, of: nil, failure: nil)
    let received = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 {
        group.addTask {
          var count = 0
          for try await message in feed.messages(after: first) {
            count += 1
            if message.position == 100 { break }
          }
          return count
        }
      }
      for count in 1...100 { feed.watch(list(count), of: nil, failure: nil) }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(received == Array(repeating: 100, count: 50))
    #expect(Counted.count.withLock { $0 } == 100)
  }

  @Test func `a slow reader receives every message, and keeps no list in memory`() async throws {
    let feed = Self.feed(capacity: 3, 1, 2)
    var slow = try reader(feed, at: 1)
    #expect(try await slow.next()?.position == 2)
    weak let storage = feed.list(at: 2)?.storage
    for position in 3...4 { Self.add(Position(position), to: feed) }
    #expect(storage != nil)
    #expect(try await slow.next()?.position == 3)
    #expect(try await slow.next()?.position == 4)
    for position in 5...20 { Self.add(Position(position), to: feed) }
    #expect(storage == nil)
    let error = await #expect(throws: ListFeedError.self) { try await slow.next() }
    #expect(error?.code == .forgotten)
    #expect(
      error?.message == "a reader was 16 versions behind, but the feed remembers only 5. Let the reader reconnect, or "
        + "increase the feed's capacity or byteLimit")
  }

  @Test(arguments: [1, 2, 3, 10])
  func `a feed remembers at least its capacity of versions, and less than twice its capacity`(
    capacity: Int
  ) throws {
    let feed = Self.feed(capacity: capacity)
    for position in 0...40 {
      Self.add(Position(position), to: feed)
      let remembered = (0...position).filter { feed.list(at: Position($0)) != nil }
      #expect(remembered.count >= min(capacity, position + 1) && remembered.count < 2 * capacity)
      #expect(remembered == Array(position + 1 - remembered.count...position))
    }
  }

  @Test func `a feed forgets its oldest versions if their messages are too large`() async throws {
    // One message with one row, and three messages with about 20 rows.
    let feed = ListFeed<Item>(byteLimit: 3_500)
    for position in [0, 1, 20, 40, 60] as [Position] { Self.add(position, to: feed) }
    let remembered = { [0, 1, 20, 40, 60].filter { feed.list(at: Position($0)) != nil } }
    var (reader, other) = (try reader(feed, at: 0), try self.reader(feed, at: 0))
    var sizes: [Int] = []
    for _ in 0..<3 { sizes.append(try #require(try await reader.next()).json.utf8.count) }
    #expect(sizes[0] < 200 && sizes[1] > 1_000 && sizes[2] > 1_000 && sizes.reduce(0, +) < 3_500)
    #expect(remembered() == [0, 1, 20, 40, 60])
    // The same messages count only once.
    for size in sizes { #expect(try await other.next()?.json.utf8.count == size) }
    #expect(remembered() == [0, 1, 20, 40, 60])
    let last = try #require(try await reader.next()).json.utf8.count
    #expect(sizes[1] + sizes[2] + last > 3_500 && sizes[2] + last < 3_500)
    #expect(remembered() == [40, 60])
    // A message that is larger than the limit alone doesn't end the latest version, but the next version does.
    Self.add(400, to: feed)
    #expect(try await reader.next()?.position == 400)
    #expect(feed.list(at: 60) == nil && feed.latest?.position == 400)
    Self.add(401, to: feed)
    #expect(feed.list(at: 400) == nil && feed.list(at: 401) != nil)
    #expect(try await reader.next()?.position == 401)
    var slow = feed.messages(after: Self.list(60, at: 60)).makeAsyncIterator()
    #expect(try await slow.next()?.position == 401)
    let error = await #expect(throws: ListFeedError.self) { try await other.next() }
    #expect(error?.code == .forgotten)
  }

  @Test func `forgotten messages no longer count`() async throws {
    let feed = ListFeed<Item>(capacity: 2, byteLimit: 600)
    Self.add(0, to: feed)
    var reader = try reader(feed, at: 0)
    // Every message has about 130 bytes, and the feed remembers at most three versions.
    for position in 1...100 {
      Self.add(Position(position), to: feed)
      #expect(try await reader.next()?.position.rawValue == position)
      #expect(feed.list(at: Position(position - 1)) != nil)
    }
  }

  @Test func `the first message for a list that the feed doesn't remember has all changes`() async throws {
    let feed = Self.feed(capacity: 2, 1, 2, 3, 4, 5, 6)
    #expect(feed.list(at: 1) == nil)
    var page = try ListPage(all: Self.list(1, at: 1))
    var reader = feed.messages(after: Self.list(1, at: 1)).makeAsyncIterator()
    try page.apply(decoded(try #require(try await reader.next()).json))
    #expect(try page == ListPage(all: try #require(feed.latest)))
    Self.add(7, to: feed)
    #expect(try await reader.next()?.position == 7)
  }

  @Test func `a reader with an equal list at the same position receives only later messages`() async throws {
    let feed = Self.feed(1, 2)
    var reader = feed.messages(after: Self.list(2, at: 2)).makeAsyncIterator()
    Self.add(3, to: feed)
    #expect(try await reader.next()?.json.hasPrefix(#"{"after":2,"position":3,"#) == true)
  }

  @Test func `a reader of another list at a position that the feed remembers receives the difference`() async throws {
    let feed = Self.feed(1, 2)
    let other = Self.list(2, at: 2, rank: 5)
    var page = try ListPage(all: other)
    var reader = feed.messages(after: other).makeAsyncIterator()
    try page.apply(decoded(try #require(try await reader.next()).json))
    #expect(try page == ListPage(all: try #require(feed.latest)))
  }

  @Test func `a reader ahead of the feed waits for its position`() async throws {
    let feed = ListFeed<Item>()
    let ahead = Self.list(5, at: 5)
    let task = Task {
      var reader = feed.messages(after: ahead).makeAsyncIterator()
      return try await reader.next()
    }
    await waiting(feed, 1)
    for position in [1, 4, 7] as [Position] { Self.add(position, to: feed) }
    let message = try await task.value
    #expect(message?.position == 7 && message?.json.hasPrefix(#"{"after":5,"#) == true)
  }

  @Test func `a heartbeat repeats the position`() async throws {
    let feed = Self.feed(1, 2)
    var reader = try reader(feed, at: 2, heartbeat: .milliseconds(1))
    let beat = #"{"after":2,"position":2,"rows":[],"sections":[]}"#
    for _ in 0..<3 { #expect(try await reader.next() == .init(position: 2, json: beat)) }
    Self.add(3, to: feed)
    #expect(try await reader.next()?.json.contains(#""row":"#) == true)
    #expect(try await reader.next()?.json == beat.replacing("2", with: "3"))
    var page = try ListPage(all: Self.list(2, at: 2))
    try page.apply(decoded(beat))
    #expect(try page == ListPage(all: Self.list(2, at: 2)))
    // A reader that is ahead of the feed gets heartbeats, too.
    var ahead = feed.messages(after: Self.list(9, at: 9), heartbeat: .milliseconds(1)).makeAsyncIterator()
    #expect(try await ahead.next()?.json == beat.replacing("2", with: "9"))
  }

  @Test func `an error of the encoder ends the reader`() async throws {
    struct Measured: Row {
      let id: Int
      let value: Double
    }
    func list(_ value: Double, at position: Position) -> Results<Measured> {
      var rows = Rows<Measured>()
      rows.insert(Measured(id: 1, value: value))
      return Results(ListRequest(), of: rows, at: position)
    }
    let feed = ListFeed<Measured>()
    feed.watch(list(1, at: 1), of: nil, failure: nil)
    feed.watch(list(.infinity, at: 2), of: nil, failure: nil)
    let first = try #require(feed.list(at: 1))
    for _ in 0..<2 {
      var reader = feed.messages(after: first).makeAsyncIterator()
      await #expect(throws: EncodingError.self) { try await reader.next() }
    }
  }

  // MARK: - Waits, and their end

  @Test func `a wait ends when the list has the position, or at the limit`() async throws {
    let feed = Self.feed(3)
    #expect(await feed.wait(for: 3, limit: .zero))
    #expect(await feed.wait(for: 2, limit: .zero))
    #expect(await feed.wait(for: 4, limit: .zero) == false)
    #expect(await feed.wait(for: 4, limit: .milliseconds(1)) == false)
    #expect(await feed.wait(for: 4, limit: .seconds(-1)) == false)
    let task = Task { await feed.wait(for: 5, limit: .seconds(600)) }
    await waiting(feed, 1)
    Self.add(4, to: feed)
    // A later position contains the events, too.
    Self.add(7, to: feed)
    #expect(await task.value)
    await waiting(feed, 0)
  }

  @Test func `closing a feed ends all waits and readers, and its lists can still be read`() async throws {
    let feed = Self.feed(1, 2)
    let list = try #require(feed.latest)
    let readers = (0..<5).map { _ in
      Task {
        var reader = feed.messages(after: list).makeAsyncIterator()
        return try await reader.next()
      }
    }
    let waits = (0..<5).map { _ in Task { await feed.wait(for: 9, limit: .seconds(600)) } }
    await waiting(feed, 10)
    #expect(!feed.isClosed)
    feed.close()
    for reader in readers { #expect(try await reader.value == nil) }
    for wait in waits { #expect(await wait.value == false) }
    #expect(feed.isClosed && feed.latest?.position == 2)
    var late = try reader(feed, at: 1)
    #expect(try await late.next() == nil)
    #expect(await feed.wait(for: 9, limit: .seconds(600)) == false)
    #expect(await feed.wait(for: 2, limit: .seconds(600)))
    feed.close()
  }

  @Test func `cancelled readers and waits end, and are removed`() async throws {
    let feed = Self.feed(1)
    let list = try #require(feed.latest)
    let reader = Task {
      var reader = feed.messages(after: list, heartbeat: .seconds(600)).makeAsyncIterator()
      return try await reader.next()
    }
    let wait = Task { await feed.wait(for: 9, limit: .seconds(600)) }
    await waiting(feed, 2)
    reader.cancel()
    wait.cancel()
    #expect(try await reader.value == nil)
    #expect(await wait.value == false)
    await waiting(feed, 0)
    // Also if a message is ready.
    Self.add(2, to: feed)
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var reader = feed.messages(after: list).makeAsyncIterator()
      return try await reader.next()
    }
    #expect(try await late.value == nil)
  }

  @Test func `readers that leave are removed`() async throws {
    let feed = Self.feed(1, 2)
    for _ in 0..<100 {
      var reader: Reader? = try reader(feed, at: 1)
      #expect(try await reader?.next()?.position == 2)
      reader = nil
      _ = feed.messages(after: Self.list(1, at: 1)).makeAsyncIterator()
    }
    await waiting(feed, 0)
  }

  @Test func `many readers, of which some leave and some are cancelled, show the last list of a fast writer`()
    async throws
  {
    let feed = Self.feed(capacity: 20, 0)
    let first = try #require(feed.latest)
    let writer = Task.detached {
      for position in 1...300 {
        Self.add(Position(position), to: feed)
        if position.isMultiple(of: 7) { await Task.yield() }
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          var page = try ListPage(all: first)
          var list = first
          while page.position < 300 {
            var left = number.isMultiple(of: 3) ? 10 : Int.max
            do {
              for try await message in feed.messages(after: list) {
                try page.apply(decoded(message.json))
                left -= 1
                if page.position == 300 || left == 0 { break }
              }
            } catch let error as ListFeedError where error.code == .forgotten {}
            list = feed.list(at: page.position) ?? Self.list(page.position.rawValue, at: page.position)
          }
          try #require(try page == ListPage(all: Self.list(300, at: 300)))
        }
        if number.isMultiple(of: 4) {
          group.addTask {
            let task = Task { for try await _ in feed.messages(after: first) { await Task.yield() } }
            await Task.yield()
            task.cancel()
            // The feed may have forgotten the cancelled reader.
            do { try await task.value } catch let error as ListFeedError where error.code == .forgotten {}
          }
        }
      }
      try await group.waitForAll()
    }
    await writer.value
    await waiting(feed, 0)
  }
}
