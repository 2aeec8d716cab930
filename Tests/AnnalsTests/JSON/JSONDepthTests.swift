import Annals
import AnnalsLog
import Foundation
import Testing

/// One limit of nesting, on every way in and out.
@Suite struct JSONDepthTests {
  private static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  @Test func `the deepest payload is appended, exported, imported and cut, and one level more is refused everywhere`()
    throws
  {
    let (deepest, tooDeep) = (Self.nested(JSON.maximumDepth), Self.nested(JSON.maximumDepth + 1))
    let store = MemoryEventStore()
    try store.append(Append([NewEvent(type: "T", payload: deepest)], to: "s"))
    let event = store.events(.all, after: 0, through: nil, limit: 1)[0]
    let line = CloudEvent.line(event, transaction: "1")
    #expect(try CloudEvent(line: line).event.payload == deepest)
    let error = #expect(throws: EventStoreError.self) {
      try store.append(Append([NewEvent(type: "T", payload: tooDeep)], to: "s"))
    }
    #expect(error?.message.contains("the value is nested deeper than \(JSON.maximumDepth) levels") == true)
    #expect(throws: CloudEvent.Problem.self) {
      try CloudEvent(line: line.replacingOccurrences(of: deepest, with: tooDeep))
    }
    #expect(throws: JSONFailure.self) { try JSONValue(parsing: tooDeep) }
    #expect(throws: DecodingError.self) { try PayloadCoder().decode(JSONDepthTests.Arrays.self, from: tooDeep) }
    #expect(throws: PersonalPayload.Problem.self) { try PersonalPayload(cutting: "[\"\\u0024\",\(deepest)]") }
  }

  @Test func `metadata are as deep as payloads`() throws {
    var metadata: Metadata = [:]
    metadata.set("deep", json: Self.nested(JSON.maximumDepth))
    #expect(try Metadata(json: metadata.json) == metadata)
    metadata.set("deep", json: Self.nested(JSON.maximumDepth + 1))
    #expect(throws: JSONFailure.self) { try Metadata(json: metadata.json) }
  }

  struct Arrays: Codable, Equatable {
    var inner: [Arrays]
    init(depth: Int) { inner = depth > 1 ? [Arrays(depth: depth - 1)] : [] }
    init(from decoder: any Decoder) throws { inner = try decoder.singleValueContainer().decode([Arrays].self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(inner)
    }
  }

  final class Chain: Codable {
    var name = "n"
    var next: Chain?
    init(depth: Int) { next = depth > 1 ? Chain(depth: depth - 1) : nil }
  }

  /// On Apple's systems a thread that is not the main one has 512 KB.
  @Test func `what is nested to the limit needs no more stack than a secondary thread has`() async throws {
    let limit = JSON.maximumDepth
    let text = Self.nested(limit)
    let object = String(repeating: "{\"a\":", count: limit) + "1" + String(repeating: "}", count: limit)
    let works: [@Sendable () throws -> Bool] = [
      {
        try JSON.check(text)
        return true
      },
      {
        let (value, again) = (try JSONValue(parsing: object), try JSONValue(parsing: object))
        return value.text == object && value.canonicalText == object && value == again
          && value.hashValue == again.hashValue
      },
      { try PayloadCoder().decode(Arrays.self, from: text) == Arrays(depth: limit) },
      { try PayloadCoder().encode(Arrays(depth: limit)) == text },
      {
        let written = try PayloadCoder().encode(Chain(depth: limit))
        return try PayloadCoder().encode(PayloadCoder().decode(Chain.self, from: written)) == written
      },
      { try PersonalPayload(cutting: object.replacingOccurrences(of: "1", with: "\"\\u0024\"")).fields == [] },
    ]
    for work in works {
      let isRight = await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: Result { try work() }) }
        thread.stackSize = 512 * 1_024
        thread.start()
      }
      #expect(try isRight.get())
    }
  }
}
