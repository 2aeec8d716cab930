import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Testing

@testable import AnnalsReplay

/// The check of records keeps only ids, and finds the same problems as the rows.
@Suite struct RecordCheckTests {
  private static let types = ["RecordInserted", "RecordUpdated", "RecordDeleted", "SectionRenamed", "Other"]

  /// Members of payloads, mostly valid.
  private static func payload(_ collection: Int, _ id: Int, _ fields: Int) -> String? {
    let members = [
      ([#""collection":"a""#, #""collection":"b""#, #""coll\u0065ction":"a""#, #""collection":1"#, nil] as [String?])[
        [0, 0, 0, 0, 1, 1, 2, 3, 4][collection]],
      ([#""id":"1""#, #""id":"2""#, #""id":"\u0031""#, #""id":null"#, #""id":"é""#, nil] as [String?])[
        [0, 0, 0, 1, 1, 2, 3, 4, 5][id]],
      ([
        #""fields":{}"#, #""fields":{"n":[1,null],"f":null}"#, #""fields":[]"#, #""section":1,"title":"t""#, nil,
      ] as [String?])[[0, 0, 0, 1, 1, 1, 2, 3, 4][fields]],
    ]
    return fields == 8 && id == 8 ? nil : "{\(members.compactMap(\.self).joined(separator: " , "))}"
  }

  @Test func `the check finds the first problem that the rows have, in the same words`() throws {
    let event = zip(
      Generator<Int>.int(in: 0...9), Generator<Int>.int(in: 0...8), Generator<Int>.int(in: 0...8),
      Generator<Int>.int(in: 0...8)
    ).map { type, collection, id, fields in
      NewEvent(
        type: Self.types[[0, 0, 0, 0, 1, 1, 1, 2, 3, 4][type]], payload: Self.payload(collection, id, fields))
    }
    try check(.array(of: event, count: 0...12), settings: CheckSettings(examples: 400)) { events in
      let store = MemoryEventStore()
      for event in events { try store.append(Append([event], to: "records")) }
      var (rows, expected) = (RecordCollections(), nil as String?)
      for (index, event) in events.enumerated() where expected == nil {
        do {
          try rows.apply(type: event.type, payload: event.payload)
        } catch {
          expected = "\(index + 1): this record event isn't valid: \(error)"
        }
      }
      let found = try RecordSource().problem(in: store) { _ in }
      try ensureEqual(found.map { "\($0.position): \($0.message)" }, expected)
    }
  }

  @Test func `an event that a list can't apply is found in the pass that verifies the log`() throws {
    let tool = try ToolRunner()
    do {
      let store = try SQLiteEventStore(path: tool.log)
      for (type, data) in [
        ("RecordInserted", #""id":"1","fields":{}"#), ("RecordDeleted", #""id":"2""#), ("RecordDeleted", #""id":"3""#),
      ] {
        try store.append(
          Append([NewEvent(type: type, payload: #"{"collection":"a",\#(data)}"#)], to: "records"))
      }
    }
    let answer = tool.run("verify", tool.log)
    #expect(answer.status == 1)
    #expect(
      answer.output
        == "event 2: this record event isn't valid: deletes the id \"2\", which \"a\" does not have\n")
    #expect(answer.talk.contains("3 events checked, 1 problem found; the file is sound, but a list cannot fold"))
  }
}
