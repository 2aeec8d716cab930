import Annals
import Foundation
import Testing

/// Lists of several row types that are treated alike.
@MainActor
@Suite struct FetchedListTests {
  private let store = MemoryEventStore()

  private func lists(cacheName: String? = nil) -> (all: [any FetchedList], words: FetchedResultsController<Word>) {
    let words = FetchedResultsController(
      store: store, projection: Words(), request: ListRequest(sort: [.ascending(\.id)]), cacheName: cacheName)
    let lengths = FetchedResultsController(
      store: store, projection: Lengths(), request: ListRequest(section: .by("even") { $0.isEven }),
      cacheName: cacheName)
    return ([words, lengths], words)
  }

  private func say(_ words: String..., at time: Date? = nil) throws {
    var append = Append()
    for word in words { try append.add(SaidEvent.said(word), to: "said", time: time) }
    try store.append(append)
  }

  @Test func `lists of several row types are fetched, counted, moved in time and saved alike`() async throws {
    try say("one", "two", "three", at: Date(timeIntervalSince1970: 10))
    let (lists, words) = lists(cacheName: "alike")
    #expect(lists.map(\.position) == [0, 0] && lists.map(\.rowCount) == [0, 0])
    try lists[0].performFetch()
    try await lists[1].performFetch(isolation: #isolation) { _ in }
    #expect(lists.map(\.position) == [3, 3])
    #expect(lists.map(\.rowCount) == [3, 2] && lists.map(\.sectionCount) == [1, 1])
    try say("four", at: Date(timeIntervalSince1970: 20))
    #expect(lists.map(\.rowCount) == [4, 3] && lists.map(\.sectionCount) == [1, 2])
    for list in lists { try list.seek(to: 1) }
    #expect(
      lists.map(\.rowCount) == [1, 1] && lists.allSatisfy(\.isSeeking) && words.results.rows.map(\.id) == ["one"])
    for list in lists { #expect(try list.seek(to: Date(timeIntervalSince1970: 15)) == 3) }
    for list in lists { try list.returnToLive() }
    #expect(lists.map(\.position) == [4, 4] && !lists.contains(where: \.isSeeking))
    for list in lists { list.suspendDelivery() }
    try say("five")
    #expect(lists.allSatisfy(\.isDeliverySuspended) && lists.map(\.rowCount) == [4, 3])
    for list in lists { list.resumeDelivery() }
    #expect(lists.map(\.rowCount) == [5, 3])
    for list in lists { list.collapsedSections = .all }
    #expect(lists.map(\.rowCount) == [0, 0])
    for list in lists { list.collapsedSections = .none }
    for list in lists { try list.saveCache() }
    let (next, _) = self.lists(cacheName: "alike")
    for list in next { try list.performFetch { _ in } }
    #expect(next.map(\.rowCount) == [5, 3] && next.map(\.cacheName) == ["alike", "alike"])
    #expect(next.allSatisfy { $0.cacheReport.restored != nil } && !next.contains(where: \.showsFormerVersion))
  }

  @Test func `one closure hears of every list that changed, and of no other`() throws {
    let (lists, words) = lists()
    for list in lists { try list.performFetch() }
    var heard: [(name: String, count: Int)] = []
    let observations = lists.map { list in
      list.observeList { heard.append(($0 === words ? "words" : "lengths", $0.rowCount)) }
    }
    try say("one")
    #expect(heard.map(\.name).sorted() == ["lengths", "words"] && heard.map(\.count) == [1, 1])
    heard = []
    // A length that is there already changes nothing of the other list.
    try say("two")
    #expect(heard.map(\.name) == ["words"] && heard.map(\.count) == [2])
    heard = []
    observations[0].cancel()
    try say("three")
    #expect(heard.map(\.name) == ["lengths"])
  }

  @Test func `the lists that stopped are found, and tried again`() throws {
    let (lists, _) = lists()
    for list in lists { try list.performFetch() }
    try store.append(Append([NewEvent(type: "SaidShouted", payload: nil)], to: "said"))
    #expect(lists.filter { $0.failure != nil }.count == 2)
    for list in lists { list.refresh() }
    #expect(lists.allSatisfy { $0.failure is ProjectionError })
  }

  @Test func `a list keeps no controller alive by its observation`() throws {
    weak var gone: FetchedResultsController<Word>?
    var observation: ChangeObservation?
    do {
      let list = FetchedResultsController(store: store, projection: Words())
      try list.performFetch()
      observation = list.observeList { _ in Issue.record("it is gone") }
      gone = list
    }
    #expect(gone == nil)
    try say("one")
    observation?.cancel()
  }
}

private enum SaidEvent: Event { case said(String) }

private struct Word: Row { let id: String }

private struct Length: Row {
  let id: Int
  var isEven: Bool { id.isMultiple(of: 2) }
}

private struct Words: Projection {
  func project(_ event: SaidEvent, into rows: inout Rows<Word>) {
    if case .said(let word) = event { rows.insert(Word(id: word)) }
  }
}

private struct Lengths: Projection {
  func project(_ event: SaidEvent, into rows: inout Rows<Length>) {
    if case .said(let word) = event { rows.insert(Length(id: word.count)) }
  }
}
