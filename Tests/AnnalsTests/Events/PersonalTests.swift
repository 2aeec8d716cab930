import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

/// Personal values as JSON, and how stores cut them out of payloads and put them back.
@Suite struct PersonalTests {
  private struct Person: Codable, Equatable, Sendable {
    var name: Personal<String>
    var nick: Personal<String?>
    var size: Personal<[Int]>?
  }

  @Test func `a personal value is an object that names its subject, and an erased one has no value`() throws {
    let coder = PayloadCoder()
    let person = Person(
      name: Personal("Ann \"Smith\"", of: "caf\u{E9}"), nick: Personal(nil, of: "b"), size: Personal([1, 2], of: "c"))
    let text = try coder.encode(person)
    #expect(
      text == #"""
        {"name":{"$personal":"café","value":"Ann \"Smith\""},"nick":{"$personal":"b","value":null},\#
        "size":{"$personal":"c","value":[1,2]}}
        """#)
    #expect(try coder.decode(Person.self, from: text) == person)
    #expect(try JSONDecoder().decode(Person.self, from: Data(text.utf8)) == person)
    let erased = try coder.decode(
      Person.self, from: #"{"name":{"$personal":"a"},"nick":{"$personal":"b"},"size":{"$personal":"c"}}"#)
    #expect(erased.name.isErased && erased.nick.isErased && erased.size?.isErased == true)
    #expect(erased.name == Personal(erasedOf: "a") && erased.name.value == nil && "\(erased.name)" == "(erased)")
    #expect(try coder.encode(erased.name) == #"{"$personal":"a"}"#)
    #expect(throws: (any Error).self) { try coder.decode(Personal<String>.self, from: #"{"value":"x"}"#) }
    #expect(throws: (any Error).self) { try coder.decode(Personal<String>.self, from: #"{"$personal":1}"#) }
  }

  @Test func `subjects are compared by their scalars, and values are ordered with erased ones first`() {
    #expect(Personal("x", of: "e\u{301}") != Personal("x", of: "\u{E9}"))
    #expect(Set([Personal("x", of: "e\u{301}"), Personal("x", of: "\u{E9}"), Personal("x", of: "\u{E9}")]).count == 2)
    let values = [Personal("b", of: "1"), Personal(erasedOf: "2"), Personal("a", of: "3")]
    let sorted = values.sorted { OrderKey($0) < OrderKey($1) }
    #expect(sorted.map(\.subject) == ["2", "3", "1"])
    #expect(Personal("a", of: "1").sectionKey == .string("a") && Personal<String>(erasedOf: "1").sectionKey == .null)
  }

  @Test(arguments: [
    (#"{"a":{"$personal":"s","value":1}}"#, #"{"a":{"$personal":"s"}}"#, [#"{"$personal":"s","value":1}"#]),
    (#"{"$personal":"s","value":{"b":[{}]}}"#, #"{"$personal":"s"}"#, [#"{"$personal":"s","value":{"b":[{}]}}"#]),
    (
      "[ {\"value\" : \"x\" , \"$personal\":\"\\u0061\" } ,1]", #"[ {"$personal":"a"} ,1]"#,
      ["{\"value\" : \"x\" , \"$personal\":\"\\u0061\" }"]
    ),
    (#"{"\u0024personal":"s","value":"}{\""}"#, #"{"$personal":"s"}"#, [#"{"\u0024personal":"s","value":"}{\""}"#]),
    (
      #"[{"$personal":"s"},{"$personal":"t","value":null},{ "$personal":"s" }]"#,
      #"[{"$personal":"s"},{"$personal":"t"},{ "$personal":"s" }]"#, [nil, #"{"$personal":"t","value":null}"#, nil]
    ),
    (
      #"{"é":{"$personal":"\ud83d\ude00","value":"é"}}"#, "{\"é\":{\"$personal\":\"\u{1F600}\"}}",
      [#"{"$personal":"\ud83d\ude00","value":"é"}"#]
    ),
  ])
  func `values are cut out of a payload wherever they stand, and come back to the byte`(
    payload: String, stored: String, objects: [String?]
  ) throws {
    let cut = try PersonalPayload(cutting: payload)
    #expect(Array(cut.payload.utf8) == Array(stored.utf8))
    #expect(cut.fields.map(\.object) == objects)
    #expect(try PersonalPayload.subjects(of: cut.payload) == cut.fields.map(\.subject))
    let found = Dictionary(
      uniqueKeysWithValues: cut.fields.enumerated().compactMap { place, field in field.object.map { (place, $0) } })
    #expect(Array(try PersonalPayload.joined(cut.payload, found).utf8) == Array(payload.utf8))
    #expect(try PersonalPayload.joined(cut.payload, [:]) == cut.payload)
  }

  @Test(arguments: [
    "{}", "\"$personal\"", #"["$personal"]"#, #"{"a":"$personal\"","$personal ":1}"#, #"{"personal":"$","value":1}"#,
    #"{"a":"\u0000\u0024"}"#, #"{"value":{"value":1}}"#, "null", "12", #"{"$Personal":7}"#,
  ])
  func `a payload without personal fields stays as it is`(payload: String) throws {
    let cut = try PersonalPayload(cutting: payload)
    #expect(cut.payload == payload && cut.fields == [])
    #expect(try PersonalPayload.subjects(of: payload) == [])
  }

  @Test(arguments: [
    (#"{"$personal":1,"value":2}"#, "a subject that isn't a string"), (#"{"$personal":null}"#, "isn't a string"),
    (#"{"$personal":"s","value":1,"more":2}"#, "the additional member \"more\""),
    (#"{"$personal":""}"#, "an empty subject"), (#"{"$personal":"\u0000"}"#, "a NUL character in the subject"),
    (
      #"[0,{"$personal":"s","value":[{"$personal":"t","value":1}]}]"#,
      "at byte 4, found a nested personal field. Move the inner field next to the outer field"
    ),
    (#"{"$personal":"s","value":{"$personal":"s"}}"#, "a nested personal field"),
    (#"{"\u0024personal":[]}"#, "a subject that isn't a string"),
  ])
  func `a personal field that is not as it must be is refused with a sentence`(payload: String, message: String) throws
  {
    for store in [MemoryEventStore()] as [any EventStore] {
      let error = #expect(throws: EventStoreError.self) {
        try store.append(Append([NewEvent(type: "T", payload: "1"), NewEvent(type: "T", payload: payload)], to: "s"))
      }
      #expect(error?.code == .invalidAppend)
      #expect(error?.message.hasPrefix("event 2 of 2: the payload is invalid: the member \"$personal\"") == true)
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
      #expect(try store.head() == 0)
    }
  }

  @Test func `any JSON with personal fields anywhere is cut and joined to the byte, and erasing takes one subject's`()
    throws
  {
    // A text, and what remains of it without the values of "a".
    typealias Piece = (text: String, erased: String, count: Int)
    let space = Generator<String>.element(of: ["", " ", "\n\t"])
    let leaf = Generator<String>.element(of: [
      "1", "-0.5e3", "true", "null", #""x\"$personal\"{""#, "\"\u{E9}\\u00e9\"", "{}", "[]",
    ])
    @Sendable func piece(_ depth: Int) -> Generator<Piece> {
      Generator { draw in
        switch try draw(.int(in: 0...(depth > 0 ? 4 : 1))) {
        case 0:
          let text = try draw(leaf)
          return (text, text, 0)
        case 1:
          let subject = try draw(.element(of: ["a", "b", "e\u{301}"]))
          let (one, two) = (try draw(space), try draw(space))
          let spelled = try draw(.element(of: ["$personal", "\\u0024personal", "$person\\u0061l"]))
          let value = try draw(leaf)
          var members = ["\"\(spelled)\"\(one):\"\(subject)\""]
          if try draw(.bool(0.8)) {
            members.insert("\"value\":\(two)\(value)", at: try draw(.int(in: 0...1)))
          }
          let text = "{\(one)\(members.joined(separator: ","))\(two)}"
          let goes = subject == "a" && members.count == 2
          return (text, goes ? #"{"$personal":"a"}"# : text, goes ? 1 : 0)
        case 2:
          let parts = try draw(.array(of: piece(depth - 1), count: 0...3))
          let gap = try draw(space)
          return (
            "[" + gap + parts.map(\.text).joined(separator: ",") + "]",
            "[" + gap + parts.map(\.erased).joined(separator: ",") + "]", parts.map(\.count).reduce(0, +)
          )
        default:
          let parts = try draw(.array(of: piece(depth - 1), count: 0...3))
          let gap = try draw(space)
          func text(_ part: (Piece) -> String) -> String {
            "{" + parts.enumerated().map { "\"m\($0)\"\(gap):" + part($1) }.joined(separator: ",") + "}"
          }
          return (text(\.text), text(\.erased), parts.map(\.count).reduce(0, +))
        }
      }
    }
    try check(piece(4), settings: CheckSettings(examples: 400)) { piece in
      let store = MemoryEventStore()
      try store.append(Append([NewEvent(type: "T", payload: piece.text)], to: "s"))
      func payload() throws -> [UInt8]? {
        store.events(.all, after: 0, through: nil, limit: 1)[0].payload.map { Array($0.utf8) }
      }
      try ensureEqual(try payload(), Array(piece.text.utf8))
      let cut = try PersonalPayload(cutting: piece.text)
      let objects = Dictionary(
        uniqueKeysWithValues: cut.fields.enumerated().compactMap { place, field in field.object.map { (place, $0) } })
      try ensureEqual(Array(try PersonalPayload.joined(cut.payload, objects).utf8), Array(piece.text.utf8))
      try ensureEqual(try store.erase(subject: "a").fields, piece.count)
      try ensureEqual(try payload(), Array(piece.erased.utf8))
      try ensureEqual(try store.erase(subject: "a").fields, 0)
    }
  }
}
