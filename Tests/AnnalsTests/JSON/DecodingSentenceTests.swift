import Annals
import AnnalsLog
import Testing

@Suite struct DecodingSentenceTests {
  private struct Guest: Codable, Hashable {
    var name: String
    var age: Int
  }

  private enum PartyEvent: Event {
    case planned(id: String, guests: [Guest], host: Guest?)
  }

  @Test(arguments: [
    (#"{"guests":[]}"#, "the member id is missing"),
    (#"{"id":"a","guests":[{"name":"x","age":1},{"age":1}]}"#, "the member name is missing in guests[1]"),
    (#"{"id":"a","guests":[],"host":{"name":"x"}}"#, "the member age is missing in host"),
    (#"{"id":null,"guests":[]}"#, "the member id: expected a value of type String, found null"),
    (#"{"id":7,"guests":[]}"#, "the member id: expected to decode String but found number instead"),
    (
      #"{"id":"a","guests":[{"name":"x","age":1.5}]}"#,
      "the member guests[0].age: expected a number that Int can represent, found 1.5"
    ),
    (#"{"id":"a","guests":{}}"#, "the member guests: expected to decode Array<Any> but found a dictionary instead"),
  ])
  func `a payload that does not fit names its member`(payload: String, sentence: String) throws {
    let store = MemoryEventStore()
    try store.append(Append([NewEvent(type: "PartyPlanned", payload: payload)], to: "party"))
    let error = #expect(throws: EventCodingError.self) { try store.events(of: PartyEvent.self) }
    let part = "the payload of PartyPlanned doesn't match PartyEvent.planned: \(sentence). "
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
  }

  private enum GuestEvent: Event {
    case invited(name: String)
    static let schema = 2
    static let upcasters: [Upcaster] = [
      .changed("GuestInvited", from: 1, to: 2) { payload in
        struct Old: Decodable { let title: String }
        payload["name"] = .string(try payload.decoded(as: Old.self).title)
      }
    ]
  }

  @Test func `an upcaster that misses a member names it`() throws {
    let store = MemoryEventStore()
    try store.append(Append([NewEvent(type: "GuestInvited", payload: "{}")], to: "party"))
    let error = #expect(throws: EventCodingError.self) { try store.events(of: GuestEvent.self) }
    #expect(error?.message.contains("failed: the member title is missing. ") == true, "\(error?.message ?? "")")
  }

  @Test func `errors of Foundation and of own codings are sentences, too`() throws {
    struct Key: CodingKey {
      let stringValue: String
      let intValue: Int?
      init?(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
      init?(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }
    }
    struct Reason: Error, CustomStringConvertible { let description = "the reason" }
    let path = ["a", "b"].compactMap { Key(stringValue: $0) } + [Key(intValue: 3)].compactMap { $0 }
    let context = DecodingError.Context(codingPath: path, debugDescription: "Nothing fits.", underlyingError: Reason())
    #expect(described(DecodingError.dataCorrupted(context)) == "the member a.b[3]: nothing fits: the reason")
    #expect(
      described(DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "No date"))) == "no date")
    let end = DecodingError.Context(codingPath: path, debugDescription: "Unkeyed container is at end.")
    #expect(
      described(DecodingError.valueNotFound(Int.self, end))
        == "the element a.b[3] of type Int is missing, because the array is too short")
  }
}
