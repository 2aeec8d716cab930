import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

/// A payload that a coder of ours wrote is not checked again, and every other is.
@Suite struct KnownJSONTests {
  private static let changes: [@Sendable (inout NewEvent) -> Void] = [
    { $0.payload = "{" },
    { $0.payload?.append("x") },
    { $0.payload?.removeLast() },
    { $0[keyPath: \.payload] = "nul" },
    { event in
      func change(_ text: inout String?) { text = "[1,]" }
      change(&event.payload)
    },
    { $0.payload = $0.payload.map { $0 + $0 } },
    {
      var copy = $0
      copy.payload = #"{"a":1,"a":2}"#
      $0 = copy
    },
    { $0 = NewEvent(type: $0.type, payload: "'" + ($0.payload ?? "")) },
  ]

  @Test(arguments: changes.indices)
  func `a payload that was changed after it was encoded is refused where it is no JSON`(index: Int) throws {
    var event = try EventCoder<VesselEvent>().encode(.named(as: "Ann", of: 1))
    #expect(event.isKnownAsJSON)
    Self.changes[index](&event)
    #expect(!event.isKnownAsJSON)
    let store = MemoryEventStore()
    let error = #expect(throws: EventStoreError.self) { try store.append(Append([event], to: "s")) }
    #expect(error?.code == .invalidAppend)
    #expect(error?.message.hasPrefix("event 1 of 1: the payload is not JSON: ") == true)
    #expect(store.head() == 0)
  }

  @Test func `what is known of a payload makes no difference between events`() throws {
    let written = try EventCoder<VesselEvent>().encode(.named(as: "Ann", of: 1))
    let same = NewEvent(type: "VesselNamed", payload: written.payload)
    #expect(written == same && written.hashValue == same.hashValue)
    #expect(written.isKnownAsJSON && !same.isKnownAsJSON)
    var changed = written
    changed.schema = 2
    changed.metadata = ["actor": "Ann"]
    #expect(changed.isKnownAsJSON && changed != written)
    // Set to the text that it has, it is checked all the same.
    changed.payload = written.payload
    #expect(!changed.isKnownAsJSON)
  }

  @Test func `what a type's own coding writes is checked`() throws {
    let event = try EventCoder<DoubledEvent>().encode(.doubled(1))
    #expect(event.payload == #"{"a":1,"a":1}"#)
    let error = #expect(throws: EventStoreError.self) {
      try MemoryEventStore().append(Append([event], to: "s"))
    }
    #expect(error?.message.contains("the member \"a\" appears twice") == true)
  }

  @Test func `what is not checked is JSON, for any names, texts and numbers`() throws {
    let text = Generator<String>.nasty
    let numbers = zip(Generator<Double>.bordering, Generator<Double>.bordering.map { Float($0) })
    let events: Generator<VesselEvent> = .oneOf(
      zip(text, Generator<Int>.int()).map { .named(as: $0, of: $1) },
      zip(text, text).map { .noted(Dictionary([($0, [$1]), ($1, [$0])]) { $0 + $1 }) },
      numbers.map { .measured(one: $0, other: $1) },
      zip(Generator<Int>.int(), Generator<Int>.int(in: -130...130), Generator<Bool>.bool(0.1))
        .map { .priced($2 ? .nan : Decimal(sign: .plus, exponent: $1, significand: Decimal($0))) },
      Generator<Int>.int(in: 250...260).map { .nested(Nest(depth: $0)) })
    try check(events, settings: CheckSettings(examples: 2_000)) { event in
      let stored: NewEvent
      do { stored = try EventCoder<VesselEvent>().encode(event) } catch let error as EventCodingError {
        return try ensureEqual(error.code, .unsuitableValue)
      }
      try ensure(stored.isKnownAsJSON, "known")
      try JSON.check(try #require(stored.payload))
    }
  }

  @Test func `a decimal that is no number is refused as other numbers are`() throws {
    let error = #expect(throws: EventCodingError.self) { try EventCoder<VesselEvent>().encode(.priced(.nan)) }
    #expect(error?.code == .unsuitableValue)
    #expect(error?.message.contains("Unable to encode") == true)
  }
}

private struct Nest: Codable, Hashable {
  var inner: [Nest]
  init(depth: Int) { inner = depth > 1 ? [Nest(depth: depth - 1)] : [] }
  init(from decoder: any Decoder) throws { inner = try [Nest](from: decoder) }
  func encode(to encoder: any Encoder) throws { try inner.encode(to: encoder) }
}

private enum VesselEvent: Event, Hashable {
  case named(as: String, of: Int)
  case noted([String: [String]])
  case measured(one: Double, other: Float)
  case priced(Decimal)
  case nested(Nest)
}

private enum DoubledEvent: CustomCodedEvent {
  case doubled(Int)

  func write(to payload: inout PayloadWriter) -> String {
    switch self {
    case .doubled(let value):
      payload.writeObject {
        $0.write("a", value)
        $0.write("a", value)
      }
      return "doubled"
    }
  }

  init?(case name: String, payload: PayloadValue) throws {
    guard name == "doubled" else { return nil }
    self = .doubled(try payload["a"].int())
  }
}
