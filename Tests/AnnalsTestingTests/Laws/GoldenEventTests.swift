import Annals
import AnnalsTesting
import Foundation
import Testing

private enum PotEvent: Event, Equatable {
  case fired(id: Int, degrees: Double?, glazes: [String])
  case sold(id: Int)

  static let schema = 2
  static let formerNames = ["PotBought": "PotSold"]
  static let upcasters: [Upcaster] = [
    .split("PotFired", from: 1, to: 2, into: ["PotFired", "PotSold"]) { pot in
      [Upcaster.Output("PotFired", pot)] + (pot["sold"] == true ? [Upcaster.Output("PotSold", pot)] : [])
    }
  ]
}

/// Cups whose sales once had no place, time and seller.
private enum CupEvent: Event, Equatable {
  case sold(id: Int, place: String, seconds: Int, by: String?)

  static let schema = 2
  static let upcasters: [Upcaster] = [
    .changed("CupSold", from: 1, to: 2) { cup, event in
      cup["place"] = .string(event.stream.text)
      cup["seconds"] = .number(JSONNumber(Int(event.time.timeIntervalSince1970)))
      if let author = event.metadata.author { cup["by"] = .string(author) }
    }
  ]
}

private struct Cup: Row, Equatable {
  let id: Int
  var text: String
}

private struct Cups: Projection {
  func project(_ event: CupEvent, into rows: inout Rows<Cup>) {
    if case .sold(let id, let place, let seconds, let by) = event {
      rows.insert(Cup(id: id, text: "\(place) \(seconds) \(by ?? "")"))
    }
  }
}

/// Writes a different number from the one that it read.
private enum SwollenEvent: Event {
  case grown(Size)

  static let typePrefix = "Pot"

  struct Size: Codable {
    var size: Int

    init(from decoder: any Decoder) throws { size = try decoder.singleValueContainer().decode(Int.self) + 1 }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(size)
    }
  }
}

@Suite final class KeptEventTests {
  private let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString)/kept/Pot.jsonl")

  deinit { try? FileManager.default.removeItem(at: file.deletingLastPathComponent().deletingLastPathComponent()) }

  private var text: String {
    get throws { try String(contentsOf: file, encoding: .utf8) }
  }

  private func keep(_ lines: String...) throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
  }

  private func sentence<E: Event>(_ samples: [E]) -> String {
    (#expect(throws: Unmet.self) { try E.ensureKept(samples, in: file.path) })?.description ?? ""
  }

  @Test func `samples are kept the first time, said to be new, and found from then on`() throws {
    let samples: [PotEvent] = [.fired(id: 1, degrees: nil, glazes: ["a", "b"]), .sold(id: 1), .sold(id: 1)]
    #expect(
      sentence(samples) == "2 events in new forms were added to \(file.path). Check the end of the file, commit the "
        + "file, and rerun this test.")
    let lines = """
      {"type":"PotFired","schema":2,"payload":{"glazes":["a","b"],"id":1}}
      {"type":"PotSold","schema":2,"payload":{"id":1}}

      """
    #expect(try text == lines)
    let kept = try PotEvent.ensureKept(samples, in: file.path)
    #expect(kept.map(\.events) == [[samples[0]], [samples[1]]] && kept.map(\.line) == [1, 2])
    #expect(try text == lines)
    #expect(sentence(samples + [PotEvent.sold(id: 2)]).hasPrefix("1 event in a new form was added"))
    #expect(try text == lines + #"{"type":"PotSold","schema":2,"payload":{"id":2}}"# + "\n")
  }

  @Test func `lines of older schemas and names are read, and stay`() throws {
    try keep(
      #"{"type":"PotFired","schema":1,"payload":{"id":1,"glazes":[],"sold":true}}"#, "",
      #"{"payload":{"id":3},"schema":2,"type":"PotBought"}"#,
      #"{"type":"PotFired","schema":2,"payload":{"id":4,"degrees":null,"glazes":[]}}"#)
    let before = try text
    let kept = try PotEvent.ensureKept([], in: file.path)
    #expect(
      kept.map(\.events) == [
        [.fired(id: 1, degrees: nil, glazes: []), .sold(id: 1)], [.sold(id: 3)],
        [.fired(id: 4, degrees: nil, glazes: [])],
      ])
    #expect(kept.map(\.line) == [1, 3, 4])
    #expect(try text == before)
    #expect(sentence([PotEvent.sold(id: 3)]).hasPrefix("1 event in a new form was added"))
    #expect(try text == before + "\n" + #"{"type":"PotSold","schema":2,"payload":{"id":3}}"# + "\n")
  }

  private enum ShowEvent: Event, Equatable {
    case planned(at: Date, minutes: Int)
  }

  @Test func `a date as a number is the same date as a string, and the new form is added once`() throws {
    let shown = ShowEvent.planned(at: Date(timeIntervalSinceReferenceDate: 804_769_200), minutes: 804_769_200)
    let old = #"{"type":"ShowPlanned","schema":1,"payload":{"at":804769200,"minutes":804769200}}"#
    try keep(old)
    #expect(sentence([shown]).hasPrefix("1 event in a new form was added"))
    #expect(
      try text == old + "\n" + #"{"type":"ShowPlanned","schema":1,"#
        + #""payload":{"at":"2026-07-03T11:00:00Z","minutes":804769200}}"# + "\n")
    #expect(try ShowEvent.ensureKept([shown], in: file.path).map(\.events) == [[shown], [shown]])
    let offset = #"{"type":"ShowPlanned","schema":1,"payload":{"at":"2026-07-03T13:00:00+02:00","minutes":1}}"#
    try keep(offset)
    #expect(try ShowEvent.ensureKept([], in: file.path).map(\.line) == [1])
  }

  @Test func `what a line says and the type forgets is named, and so is what cannot be read`() throws {
    let foreign =
      "expected the stored name of an event of PotEvent, found CupSold. Add the name to `formerNames`, or move the "
      + "line to the file of another event type that has this stored name"
    for (line, words) in [
      (
        #"{"type":"PotSold","schema":2,"payload":{"id":1,"to":"Ada"}}"#,
        #"loses a stored value: payload.to, which is "Ada""#
      ),
      (
        #"{"type":"PotFired","schema":2,"payload":{"id":1,"glazes":[],"kiln":{"n":1}}}"#,
        #"loses a stored value: payload.kiln, which is {"n":1}"#
      ),
      (#"{"type":"PotFired","schema":2,"payload":{"id":1}}"#, "the payload of PotFired doesn't match"),
      (#"{"type":"PotSmashed","schema":2,"payload":{}}"#, "has no case for this name"),
      (#"{"type":"PotSold","schema":3,"payload":{"id":1}}"#, "has schema version 3"),
      (#"{"type":"CupSold","schema":1,"payload":{"id":1}}"#, foreign),
      (#"{"type":"PotSold","payload":{"id":1}}"#, "expected a stored event with type, schema and payload"),
      (#"{"type":"PotSold""#, "byte"),
    ] {
      try keep(#"{"type":"PotSold","schema":2,"payload":{"id":1}}"#, line)
      let sentence = sentence([PotEvent.sold(id: 1)])
      #expect(sentence.contains(", line 2: ") && sentence.contains(words), "\(words) in \(sentence)")
    }
    try keep(#"{"type":"PotGrown","schema":1,"payload":1}"#)
    #expect(
      sentence([] as [SwollenEvent]).contains(
        "line 1: PotGrown with schema version 1 loses a stored value: payload: expected 1, found 2"))
  }

  @Test func `a file's place is beside the file that asks`() throws {
    let folder = file.deletingLastPathComponent()
    try keep(#"{"type":"PotSold","schema":2,"payload":{"id":1}}"#)
    let asking = folder.deletingLastPathComponent().appending(path: "Tests.swift").path
    #expect(try PotEvent.ensureKept([], in: "kept/Pot.jsonl", filePath: asking).count == 1)
  }

  @Test func `a line's stream, time and metadata reach the upcasters`() throws {
    try keep(
      #"{"type":"CupSold","schema":1,"stream":"Rome","time":"1970-01-01T00:01:00Z","metadata":{"actor":"ann"},"#
        + #""payload":{"id":1}}"#,
      #"{"type":"CupSold","schema":1,"payload":{"id":2}}"#)
    let kept = try CupEvent.ensureKept([], in: file.path)
    #expect(
      kept.map(\.events) == [
        [.sold(id: 1, place: "Rome", seconds: 60, by: "ann")],
        [.sold(id: 2, place: "history", seconds: 1_700_000_000, by: nil)],
      ])
    for (member, words) in [
      (#""time":"noon""#, #"time: expected a time such as "2024-02-29T12:00:00Z", found "noon""#),
      (#""time":5"#, "found 5"), (#""stream":5"#, "stream: expected a string, found 5"),
      (#""metadata":5"#, "line 1: "),
    ] {
      try keep(#"{"type":"CupSold","schema":1,"payload":{"id":1},\#(member)}"#)
      let sentence = sentence([] as [CupEvent])
      #expect(sentence.contains(words), "\(words) in \(sentence)")
    }
  }

  @Test func `laws of old events pass a stream, and the events' times and metadata, to the upcasters`() throws {
    var old = NewEvent(type: "CupSold", schema: 1, payload: #"{"id":1}"#)
    (old.time, old.metadata.author) = (Date(timeIntervalSince1970: 60), "ann")
    let new = CupEvent.sold(id: 1, place: "Rome", seconds: 60, by: "ann")
    try CupEvent.ensureReads([old], as: [new], stream: "Rome")
    try Cups().ensureReads([old], as: [new], stream: "Rome")
    #expect(throws: Unmet.self) { try CupEvent.ensureReads([old], as: [new], stream: "Oslo") }
    #expect(throws: Unmet.self) { try Cups().ensureReads([old], as: [new]) }
    enum OldCupEvent: Event {
      case sold(id: Int)
      static let typePrefix = "Cup"
    }
    let olds = Generator<Int>.int(in: 1...9).map { OldCupEvent.sold(id: $0) }
    let settings = CheckSettings(examples: 5, environment: .patient)
    try CupEvent.ensureReads(
      [OldCupEvent.sold(id: 3)], as: [.sold(id: 3, place: "Rome", seconds: 1_700_000_000, by: nil)], stream: "Rome")
    let failure = #expect(throws: PropertyFailure.self) {
      try CupEvent.checkReads(olds, stream: "Rome", settings: settings) { _ in [] }
    }
    #expect(failure?.description.contains("Rome") == true)
  }
}
