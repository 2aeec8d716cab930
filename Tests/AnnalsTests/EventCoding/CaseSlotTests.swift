import AnnalsTesting
import Testing

@testable import Annals
@testable import AnnalsLog

/// A coder decodes the events of a case one after the other, with containers that it makes once.
@Suite struct CaseSlotTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `events that one coder decodes are each what a coder of its own decodes`(seed: UInt64) throws {
    var chance = SplitMix64(seed: seed)
    let events: [SlotEvent] = (0..<60).map { number in
      switch Int.random(in: 0..<6, using: &chance) {
      case 0: .put(id: "\(number)", count: number, part: Portion(name: "p\(number)", weights: [1.5, Double(number)]))
      case 1: .moved(id: "\(number)", to: number % 2 == 0 ? nil : number)
      case 2: .noted("text \(number)")
      case 3: .rated(number % 3 == 0 ? nil : number)
      case 4: .listed([number, number + 1])
      default: .closed
      }
    }
    let writer = try EventCoder<SlotEvent>()
    var one = try EventCoder<SlotEvent>()
    for (index, event) in events.enumerated() {
      let stored = try writer.encode(event)
      var own = try EventCoder<SlotEvent>()
      #expect(try own.decode(type: stored.type, payload: stored.payload) == event)
      #expect(try one.decode(type: stored.type, payload: stored.payload) == event)
      // What fails between two events leaves nothing behind; a case without values is read from anything.
      if index % 3 == 0, event != .closed {
        #expect(throws: EventCodingError.self) { try one.decode(type: stored.type, payload: #"{"id":5}"#) }
        #expect(throws: EventCodingError.self) { try one.decode(type: stored.type, payload: "{") }
      }
    }
  }

  @Test func `a decoder that a value keeps stays that value's, whatever is decoded afterwards`() throws {
    var coder = try EventCoder<KeepingEvent>()
    var kept: [any Decoder] = []
    for number in 0..<5 {
      guard case .put(let value)? = try coder.decode(type: "KeepingPut", payload: #"{"n":\#(number)}"#) else {
        Issue.record("the event is not the one that was stored")
        return
      }
      kept.append(try #require(value.decoder))
    }
    for (number, decoder) in kept.enumerated() {
      #expect(try decoder.container(keyedBy: KeptValue.Key.self).decode(Int.self, forKey: .n) == number)
    }
  }

  @Test func `a container that an event keeps has nothing in it once the event is decoded`() throws {
    let slot = CaseSlot("put")
    for number in 0..<3 {
      let coder = PayloadCoder()
      slot.open(try coder.tape(of: #"{"n":\#(number)}"#))
      let cases = try CaseDecoder(slot: slot).container(keyedBy: PutKey.self)
      let values = try cases.nestedContainer(keyedBy: KeptValue.Key.self, forKey: .put)
      #expect(cases.allKeys == [.put] && cases.contains(.put) && values.contains(.n))
      #expect(try values.decode(Int.self, forKey: .n) == number)
      slot.close()
      #expect(throws: DecodingError.self) { try values.decode(Int.self, forKey: .n) }
      #expect(throws: DecodingError.self) { try values.decode(KeptValue.self, forKey: .n) }
      #expect(try values.decodeIfPresent(String.self, forKey: .n) == nil && values.allKeys.isEmpty)
      #expect(values.codingPath.isEmpty && cases.codingPath.isEmpty)
      // It is the next event's container as well, if the case is the same.
      slot.open(try coder.tape(of: #"{"n":-1}"#))
      if number > 0 { #expect(try values.decode(Int.self, forKey: .n) == -1) }
      slot.close()
    }
  }

  @Test func `containers of other keys are not taken for each other`() throws {
    let slot = CaseSlot("put")
    let coder = PayloadCoder()
    for number in 0..<4 {
      slot.open(try coder.tape(of: #"{"n":\#(number),"m":"text"}"#))
      let decoder = CaseDecoder(slot: slot)
      #expect(try decoder.container(keyedBy: PutKey.self).allKeys == [.put])
      #expect(try decoder.container(keyedBy: OtherKey.self).allKeys.map(\.stringValue) == ["put"])
      let cases = try decoder.container(keyedBy: PutKey.self)
      let numbers = try cases.nestedContainer(keyedBy: KeptValue.Key.self, forKey: .put)
      let texts = try cases.nestedContainer(keyedBy: OtherKey.self, forKey: .put)
      #expect(try numbers.decode(Int.self, forKey: .n) == number)
      #expect(try texts.decode(String.self, forKey: OtherKey(stringValue: "m")) == "text")
      slot.close()
    }
  }

  @Test func `a coder that goes lets go of its containers`() throws {
    weak var memory: CaseMemory?
    weak var slot: CaseSlot?
    do {
      let made = CaseMemory(SharedCases(), prefix: "Slot")
      let place = made.slot("put")
      for _ in 0..<3 {
        place.open(try PayloadCoder().tape(of: "{}"))
        // An event inside of another has a place of its own.
        #expect(made.slot("put") !== place)
        _ = try CaseDecoder(slot: place).container(keyedBy: PutKey.self)
          .nestedContainer(keyedBy: OtherKey.self, forKey: .put)
        place.close()
        #expect(made.slot("put") === place && made.slot("other") !== place)
      }
      (memory, slot) = (made, place)
    }
    #expect(memory == nil && slot == nil)
  }
}

private struct Portion: Codable, Equatable {
  var name: String
  var weights: [Double]
}

private enum SlotEvent: Event, Equatable {
  case put(id: String, count: Int, part: Portion)
  case moved(id: String, to: Int?)
  case noted(String)
  case rated(Int?)
  case listed([Int])
  case closed
}

private enum PutKey: CodingKey { case put }

private struct OtherKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A value that keeps the decoder that it was made from.
///
/// `@unchecked Sendable`: one test on one thread has it.
private struct KeptValue: Codable, @unchecked Sendable {
  enum Key: CodingKey { case n }
  var decoder: (any Decoder)?
  init(from decoder: any Decoder) throws { self.decoder = decoder }
  func encode(to encoder: any Encoder) throws {}
}

private enum KeepingEvent: Event {
  case put(KeptValue)
}
