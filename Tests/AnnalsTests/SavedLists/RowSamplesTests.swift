import Foundation
import Testing

@testable import Annals
@testable import AnnalsLists
@testable import AnnalsLog

/// Saved lists of rows that have other properties today, which saved sample rows reveal.
@Suite struct RowSamplesTests {
  /// Saves a list with one projection.
  ///
  /// Returns why another projection does not begin with it; nil if it does.
  private func miss<Before: Projection, After: Projection>(
    _ before: Before, _ after: After
  ) throws -> String? where Before.Row: Thing, After.Row: Thing {
    let store = MemoryEventStore()
    try store.put((0..<60).map { .put(Item("item \($0)", $0 % 5 == 0 ? nil : "g\($0 % 3)", $0, "\($0 % 2)")) })
    try store.put(.renamed(group: "g1", title: "one"))
    let first = FetchedResultsController(store: store, projection: before, cacheName: "things")
    try first.performFetch()
    try first.saveCache()
    let list = FetchedResultsController(store: store, projection: after, cacheName: "things")
    try list.performFetch()
    let plain = FetchedResultsController(store: store, projection: after)
    try plain.performFetch()
    #expect(list.results == plain.results && list.failure == nil)
    #expect((list.cacheReport.restored == nil) == (list.cacheReport.miss != nil))
    // The list that did not fit is replaced, although it is of the same position.
    try list.saveCache()
    let next = FetchedResultsController(store: store, projection: after, cacheName: "things")
    try next.performFetch()
    #expect(next.cacheReport.restored == 61 && next.results == plain.results)
    return list.cacheReport.miss
  }

  @Test func `a list is taken as long as its rows have the properties that they had`() throws {
    #expect(try miss(Making<Plain>(), Making<Plain>()) == nil)
    #expect(try miss(Making<Rich>(), Making<Rich>()) == nil)
    #expect(try miss(Making<Marked>(), Making<Marked>()) == nil)
    #expect(try miss(Making<Plain>(), Making<Same>()) == nil)
  }

  @Test func `a property that was added, taken away or has another type is a miss that says so`() throws {
    func expectMiss<After: Thing>(_ after: After.Type) throws {
      let reason = try miss(Making<Plain>(), Making<After>())
      #expect(reason?.contains("\(After.self)") == true, "\(after): \(reason ?? "taken")")
    }
    try expectMiss(Added.self)
    try expectMiss(AddedOptional.self)
    try expectMiss(AddedOptionalNumber.self)
    try expectMiss(Removed.self)
    try expectMiss(OtherNumber.self)
    try expectMiss(OtherText.self)
    try expectMiss(OptionalRank.self)
  }

  @Test func `a property of one case among many rows is noticed, and one behind an optional that is absent too`() throws
  {
    #expect(try miss(Making<Marked>(), Making<MarkedMore>())?.contains("MarkedMore") == true)
    let text = try #require(try miss(Making<AddedOptional>(), Making<AddedOptionalNumber>()))
    #expect(text.contains("note?:String") && text.contains("note?:Int"))
  }

  @Test func `an entity that rows depend on has properties, too`() throws {
    #expect(try miss(Tagged(), Tagged()) == nil)
    let store = MemoryEventStore()
    try store.put(.put(Item("item", nil, 1)), .renamed(group: "g1", title: "one"))
    let first = FetchedResultsController(store: store, projection: Tagged(), cacheName: "things")
    try first.performFetch()
    try first.saveCache()
    let list = FetchedResultsController(store: store, projection: Tagged(), cacheName: "things")
    try Tag.$asksForNote.withValue(true) { try list.performFetch() }
    #expect(list.cacheReport.miss?.contains("the properties of Tag have changed since the list was saved") == true)
  }

  @Test func `a former version's list stands in only if its rows have the properties of today`() async throws {
    let store = MemoryEventStore()
    try store.put((0..<40).map { .put(Item("item \($0)", "g", $0)) })
    let first = FetchedResultsController(store: store, projection: Making<Plain>(), cacheName: "things")
    try first.performFetch()
    try first.saveCache()
    func isShowingPlaceholder<T: Thing>(_ type: T.Type) async throws -> Bool {
      let list = FetchedResultsController(store: store, projection: Second<T>(), cacheName: "things")
      var found = false
      try await list.performFetch { _ in found = list.showsFormerVersion }
      return found
    }
    #expect(try await isShowingPlaceholder(Plain.self))
    #expect(try await !isShowingPlaceholder(AddedOptional.self))
    #expect(try await !isShowingPlaceholder(OtherText.self))
  }

  @Test func `nothing of a row is run on values that no event had`() throws {
    #expect(try miss(Making<Moody>(), Making<Moody>()) == nil)
  }

  @Test func `a value is the same whether it is recorded or not, and asks for the same each time`() throws {
    let values = [
      Everything(),
      Everything(date: Date(timeIntervalSinceReferenceDate: 7.5), list: [1, 2], inner: .init(deep: ["a"])),
      Everything(map: ["x": [.half(1, nil), .whole]], kind: .half(2, "t"), url: URL(string: "https://example.org/a")),
    ]
    var shapes: Set<String> = []
    for value in values {
      let text = try PayloadCoder().encode(value)
      let found = try PayloadCoder().decode(RecordedShape<Everything>.self, from: text)
      let again = try PayloadCoder().decode(RecordedShape<Everything>.self, from: text)
      let other = try JSONDecoder().decode(RecordedShape<Everything>.self, from: JSONEncoder().encode(value))
      #expect(found.value == value && found.shape == again.shape && other.value == value)
      shapes.insert(found.shape)
    }
    #expect(shapes.count == 3)
  }

  @Test func `samples are few, and each has a property that those before it lack`() {
    var samples = RowSamples()
    for number in 0..<40 {
      samples.look(at: [UInt8(number)]) { _ in ("shape \(number)", ["part \(number / 2)"]) }
    }
    #expect(samples.all.count == 16 && samples.all.map(\.bytes) == (0..<16).map { [UInt8($0 * 2)] })
    var other = RowSamples()
    other.look(at: Array(repeating: 0, count: 10_000)) { _ in ("first", ["a"]) }
    other.look(at: Array(repeating: 1, count: 10_000)) { _ in ("long", ["b"]) }
    for _ in 0..<5_000 { other.look(at: [1]) { _ in ("first", ["a"]) } }
    other.look(at: [2]) { _ in ("late", ["c"]) }
    #expect(other.all.map(\.shape) == ["first"])
  }
}

/// A row that is made from an item.
private protocol Thing: Row {
  init(_ item: Item)
}

private struct Making<R: Thing>: Projection {
  static var name: String { "things" }
  func project(_ event: ItemEvent, into rows: inout Rows<R>) {
    if case .put(let item) = event { rows.insert(R(item)) }
  }
}

private struct Second<R: Thing>: Projection {
  static var name: String { "things" }
  static var version: Int { 2 }
  static var formerVersions: Set<Int> { [1] }
  func project(_ event: ItemEvent, into rows: inout Rows<R>) {
    if case .put(let item) = event { rows.insert(R(item)) }
  }
}

private struct Tagged: Projection {
  static let name = "things"
  static let relations: [Relation<Plain>] = [.to(Tag.self, by: \.name) { _, _ in }]

  func project(_ event: ItemEvent, into rows: inout Rows<Plain>) {
    switch event {
    case .put(let item): rows.insert(Plain(item))
    case .renamed(let id, _): rows.relate(Tag(id: id ?? ""))
    default: break
    }
  }
}

/// An entity that gets a new property.
private struct Tag: Row {
  @TaskLocal static var asksForNote = false
  let id: String
  enum CodingKeys: CodingKey { case id, note }

  init(id: String) { self.id = id }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    if Self.asksForNote { _ = try container.decodeIfPresent(Int.self, forKey: .note) }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
  }
}

private struct Plain: Thing {
  let id: String
  let name: String
  let rank: Int
  init(_ item: Item) { (id, name, rank) = (item.id, item.name, item.rank) }
}

private struct Same: Thing {
  let id: String
  let name: String
  let rank: Int
  var more: Int { rank + 1 }
  init(_ item: Item) { (id, name, rank) = (item.id, item.name, item.rank) }
}

private struct Added: Thing {
  let id: String
  let name: String
  let rank: Int
  let half: Int
  init(_ item: Item) { (id, name, rank, half) = (item.id, item.name, item.rank, item.rank / 2) }
}

private struct AddedOptional: Thing {
  let id: String
  let name: String
  let rank: Int
  var note: String?
  init(_ item: Item) { (id, name, rank) = (item.id, item.name, item.rank) }
}

private struct AddedOptionalNumber: Thing {
  let id: String
  let name: String
  let rank: Int
  var note: Int?
  init(_ item: Item) { (id, name, rank) = (item.id, item.name, item.rank) }
}

private struct Removed: Thing {
  let id: String
  let name: String
  init(_ item: Item) { (id, name) = (item.id, item.name) }
}

private struct OtherNumber: Thing {
  let id: String
  let name: String
  let rank: Double
  init(_ item: Item) { (id, name, rank) = (item.id, item.name, Double(item.rank)) }
}

private struct OtherText: Thing {
  let id: String
  let name: [String]
  let rank: Int
  init(_ item: Item) { (id, name, rank) = (item.id, [item.name], item.rank) }
}

private struct OptionalRank: Thing {
  let id: String
  let name: String
  let rank: Int?
  init(_ item: Item) { (id, name, rank) = (item.id, item.name, item.rank) }
}

private struct Rich: Thing {
  let id: String
  var value = Everything()
  init(_ item: Item) {
    id = item.id
    if item.rank % 2 == 0 { value.list = [item.rank] }
    if item.rank % 3 == 0 { value.kind = .half(item.rank, nil) }
  }
}

private struct Marked: Thing {
  enum Mark: Codable, Hashable, Sendable {
    case none
    case rare(level: Int)
  }
  let id: String
  let mark: Mark
  init(_ item: Item) { (id, mark) = (item.id, item.rank == 57 ? .rare(level: 1) : .none) }
}

private struct MarkedMore: Thing {
  enum Mark: Codable, Hashable, Sendable {
    case none
    case rare(level: Int, why: String? = nil)
  }
  let id: String
  let mark: Mark
  init(_ item: Item) { (id, mark) = (item.id, item.rank == 57 ? .rare(level: 1) : .none) }
}

/// A row whose decoder ends the program at an unknown value.
private struct Moody: Thing {
  struct Mood: Codable, Hashable, Sendable {
    let name: String
    init(_ name: String) { self.name = name }
    init(from decoder: any Decoder) throws {
      name = try decoder.singleValueContainer().decode(String.self)
      precondition(name == "calm" || name == "wild", "no mood is called \(name)")
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(name)
    }
  }
  let id: String
  let mood: Mood
  let moods: [Mood]
  init(_ item: Item) { (id, mood, moods) = (item.id, Mood(item.rank > 9 ? "calm" : "wild"), []) }
}

private struct Everything: Codable, Hashable, Sendable {
  enum Kind: Codable, Hashable, Sendable {
    case whole
    case half(Int, String?)
  }
  struct Inner: Codable, Hashable, Sendable {
    var deep: [String?] = []
    var self_: Bool? = true
  }
  var date: Date?
  var list: [Int] = []
  var map: [String: [Kind]] = [:]
  var kind = Kind.whole
  var inner: Inner? = nil
  var url: URL?
  var data = Data([1, 2])
  var decimal = Decimal(string: "1.25")
  var uuid = UUID(uuidString: "00000000-0000-4000-8000-000000000000")
  var small: Int8 = 3
  var large: UInt64 = .max
  var float: Float = 0.5
}
