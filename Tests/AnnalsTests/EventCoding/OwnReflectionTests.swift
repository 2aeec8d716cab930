import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Types that misreport themselves, and types that accept only what was stored.
@Suite struct OwnReflectionTests {
  @Test func `what is stored does not depend on what a mirror or a description shows`() throws {
    let events: [(MaskedEvent, String, String)] = [
      (.named("a"), "MaskedNamed", #""a""#), (.put(Masked(id: "1")), "MaskedPut", #"{"id":"1"}"#),
      (.moved(id: "1", to: 2), "MaskedMoved", #"{"id":"1","to":2}"#),
      (.noted(text: "x"), "MaskedNoted", #"{"text":"x"}"#),
      (.rated(nil), "MaskedRated", "null"), (.closed, "MaskedClosed", "{}"),
      (.placed(shelf: nil), "MaskedPlaced", "{}"),
    ]
    for mirror in 0..<4 {
      try MaskedEvent.$shown.withValue(mirror) {
        // Also each case alone: what a coder learned about one case it knows for the next.
        for (event, type, payload) in events + events.reversed() {
          let stored = try EventCoder<MaskedEvent>().encode(event)
          #expect(stored.type == type && stored.payload == payload)
          var coder = try EventCoder<MaskedEvent>()
          #expect(try coder.decode(type: type, payload: payload) == event)
        }
      }
    }
  }

  @Test func `a value whose label the coding keys take away or give is stored as they say`() throws {
    var coder = try EventCoder<KeyedEvent>()
    for (event, payload) in [(KeyedEvent.put("a"), #"{"item":"a"}"#), (.moved("b"), #""b""#)] {
      let stored = try coder.encode(event)
      #expect(stored.payload == payload)
      #expect(try coder.decode(type: stored.type, payload: stored.payload) == event)
    }
  }

  @Test func `integers of 128 bits are stored and read wherever they stand`() throws {
    let number = Generator<Int128>.oneOf(
      .element(of: [.min, .max, 0, -1, Int128(Int64.max) + 1]), Generator<Int>.int().map { Int128($0) * 1_000_000_007 })
    let events: Generator<WideEvent> = .oneOf(
      number.map { .one($0) }, number.map { .two(number: $0, other: UInt128(bitPattern: $0)) },
      number.optional().map { .maybe($0) },
      number.optional().map { .perhaps(number: $0, other: $0.map { UInt128(bitPattern: $0) }) },
      Generator<[Int128]>.array(of: number).map { .many($0) },
      Generator<[Int128]>.array(of: number).map { .nested(Wide($0)) })
    try check(events, settings: CheckSettings(examples: 200)) { event in
      var coder = try EventCoder<WideEvent>()
      let stored = try coder.encode(event)
      try ensureEqual(try coder.decode(type: stored.type, payload: stored.payload), event)
    }
    #expect(try EventCoder<WideEvent>().encode(.one(.max)).payload == "170141183460469231731687303715884105727")
  }

  @Test func `rows that do not equal themselves are compared by what they hold, and not by what they say`() throws {
    for (first, second, isAlike) in [("a", "b", false), ("b", "b", true)] {
      let store = MemoryEventStore()
      for name in [first, second] { try store.put(.put(Item("1", nil, 1, name))) }
      var compaction = Compaction()
      // Keeps only the first event of the stream, whatever follows.
      compaction.rewrite(ItemEvent.self) { _, events in Array(events.prefix(1)) }
      compaction.prove(Odds())
      if isAlike {
        #expect(try store.compact(compaction).cut == 1)
      } else {
        #expect(throws: CompactionError.self) { try store.compact(compaction) }
      }
    }
  }

  @Test func `no value is made up: what decodes in an event is asked for what was stored, and for nothing else`() throws
  {
    Strict.seen.withLock { $0 = [] }
    var coder = try EventCoder<StrictEvent>()
    #expect(coder.known("StrictPut").meaning == .event(key: "put") && coder.known("StrictBurnt").meaning == .unknown)
    let stored = try coder.encode(.put(Strict("small")))
    #expect(Strict.seen.withLock { $0 } == [])
    #expect(try coder.decode(type: stored.type, payload: stored.payload) == .put(Strict("small")))
    let list = FetchedResultsController(
      store: MemoryEventStore(), projection: Stricts(), request: ListRequest(sort: [.ascending(\.id)]))
    try list.performFetch()
    #expect(Strict.seen.withLock { $0 } == ["small"])
  }

  @Test func `a type that decodes by its own code is asked which cases it has, and given nothing`() throws {
    for _ in 0..<3 {
      let error = #expect(throws: EventCodingError.self) { _ = try EventCoder<Handwritten>() }
      #expect(error?.code == .unsuitableType)
    }
    #expect(Handwritten.made.withLock { $0 } == 0)
  }
}

private struct Masked: Codable, Equatable, CustomReflectable {
  var id: String
  var customMirror: Mirror { Mirror(reflecting: ()) }
}

private enum MaskedEvent: Event, Equatable, CustomReflectable, CustomStringConvertible, CustomDebugStringConvertible {
  case named(String)
  case put(Masked)
  case moved(id: String, to: Int)
  case noted(text: String)
  case rated(Int?)
  case closed
  case placed(shelf: String?)

  @TaskLocal static var shown = 0
  var customMirror: Mirror {
    switch Self.shown {
    case 1: Mirror(reflecting: 7)
    case 2: Mirror(self, children: ["a": ("b", "c")])
    case 3: Mirror(self, unlabeledChildren: [1, 2])
    default: Mirror(self, children: [:])
    }
  }
  var description: String { "masked" }
  var debugDescription: String { "masked" }
}

private enum KeyedEvent: Event, Equatable {
  case put(String)
  case moved(String, note: String = "")

  enum PutCodingKeys: String, CodingKey { case _0 = "item" }
  enum MovedCodingKeys: CodingKey { case _0 }
}

private struct Wide: Codable, Equatable {
  var list: [Int128?]
  var byName: [String: UInt128]
  var single: Int128?

  init(_ numbers: [Int128]) {
    list = numbers.map { $0 } + [nil]
    byName = Dictionary(numbers.map { ("\($0)", UInt128(bitPattern: $0)) }) { first, _ in first }
    single = numbers.first
  }
}

private enum WideEvent: Event, Equatable {
  case one(Int128)
  case two(number: Int128, other: UInt128)
  case maybe(Int128?)
  case perhaps(number: Int128?, other: UInt128?)
  case many([Int128])
  case nested(Wide)
}

/// A value that ends the program if it is read from anything but the stored text.
private struct Strict: Codable, Equatable {
  static let seen = Mutex<[String]>([])
  var text: String

  init(_ text: String) { self.text = text }
  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    Self.seen.withLock { [text] in $0.append(text) }
    precondition(text == "small", "found \(text)")
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

private enum StrictEvent: Event, Equatable {
  case put(Strict)
}

/// A row that is equal to nothing, and has the same description whatever its content.
private struct Odd: Row, CustomStringConvertible {
  var id: String
  var name: String
  var names: Set<String>
  var number = Double.nan
  var other = Float.infinity
  var description: String { "odd" }
}

private struct Odds: Projection {
  func project(_ event: ItemEvent, into rows: inout Rows<Odd>) {
    guard case .put(let item) = event else { return }
    rows.insert(Odd(id: item.id, name: item.name, names: [item.name, "1", "2", "3"]))
  }
}

private struct Stricts: Projection {
  func project(_ event: StrictEvent, into rows: inout Rows<Item>) {}
}

/// An event type with its own decoder, which ends the program at an unknown kind.
private struct Handwritten: Event {
  static let made = Mutex(0)
  var kind: String

  enum Keys: CodingKey { case kind }

  init(from decoder: any Decoder) throws {
    kind = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .kind)
    Self.made.withLock { $0 += 1 }
    guard kind == "known" else { preconditionFailure("found \(kind)") }
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(kind, forKey: .kind)
  }
}
