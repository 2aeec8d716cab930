import Annals
import AnnalsLog
import AnnalsTesting
import Testing
@testable import AnnalsReplay

/// Rows as texts and digests, beside plain dictionaries.
@Suite struct RecordTextsTests {
  /// Collections with their rows and titles.
  private struct Model: Equatable {
    var rows: [String: [String: [String: JSONValue]]] = [:]
    var titles: [String: [String: String]] = [:]
  }

  private func event(_ generator: inout SplitMix64) -> (type: String, payload: String) {
    let collection = ["a", "b"].randomElement(using: &generator) ?? ""
    let id = ["1", "2", "3"].randomElement(using: &generator) ?? ""
    let fields = ["{}", #"{"n":1}"#, #"{"n":1.0}"#, #"{"n":2,"m":"x"}"#, #"{"n":null}"#, #"{"m":"y"}"#]
    let field = fields.randomElement(using: &generator) ?? ""
    let head = #"{"collection":"\#(collection)","#
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<4: return ("RecordInserted", head + #""id":"\#(id)","fields":\#(field)}"#)
    case 4..<7: return ("RecordUpdated", head + #""id":"\#(id)","fields":\#(field)}"#)
    case 7..<9: return ("RecordDeleted", head + #""id":"\#(id)"}"#)
    default: return ("SectionRenamed", head + #""section":"\#(id)","title":"\#(field.count)"}"#)
    }
  }

  /// Folds an event into both; both refuse it, or both take it.
  private func fold(_ event: (type: String, payload: String), _ model: inout Model, _ texts: inout RecordTexts) throws {
    let read = try #require(try RecordEvent.read(type: event.type, payload: event.payload))
    let (name, record) = (read.collection, read.event)
    let isValid: Bool
    func updated(_ row: [String: JSONValue], _ fields: [JSONMember]) -> [String: JSONValue] {
      fields.reduce(into: row) { $0[$1.name] = $1.value == .null ? nil : $1.value }
    }
    switch record {
    case .inserted(let id, let fields):
      isValid = model.rows[name]?[id] == nil
      if isValid { model.rows[name, default: [:]][id] = updated([:], fields) }
    case .updated(let id, let fields):
      isValid = model.rows[name]?[id] != nil
      if let row = model.rows[name]?[id] { model.rows[name]?[id] = updated(row, fields) }
    case .deleted(let id):
      isValid = model.rows[name]?[id] != nil
      if isValid { model.rows[name]?[id] = nil as [String: JSONValue]? }
    case .sectionRenamed(let section, let title):
      isValid = true
      model.rows[name, default: [:]].merge([:]) { $1 }
      model.titles[name, default: [:]][section.text] = title
    }
    if isValid {
      try texts.apply(type: event.type, payload: event.payload)
    } else {
      #expect(throws: RecordEvent.Problem.self) { try texts.apply(type: event.type, payload: event.payload) }
    }
  }

  private func areEqual(_ one: RecordDigests, _ other: RecordDigests) -> Bool {
    let (here, there) = one.differing(from: other)
    return one.names == other.names && one.titles == other.titles && here.isEmpty && there.isEmpty
  }

  @Test(arguments: 1...60) func `digests are equal just where the records are`(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var states: [(model: Model, digests: RecordDigests)] = []
    for _ in 0..<3 {
      var (model, texts) = (Model(), RecordTexts())
      for _ in 0..<14 {
        try fold(event(&generator), &model, &texts)
        states.append((model, texts.digests()))
      }
    }
    var equal = 0
    for one in states {
      for other in states {
        #expect(areEqual(one.digests, other.digests) == (one.model == other.model))
        equal += one.model == other.model ? 1 : 0
      }
    }
    #expect(equal >= states.count)
  }

  @Test func `equal numbers of other digits are equal, and what differs is named`() throws {
    func texts(_ fields: String...) throws -> RecordTexts {
      var texts = RecordTexts()
      for (number, fields) in fields.enumerated() {
        try texts.apply(type: "RecordInserted", payload: #"{"collection":"a","id":"\#(number)","fields":\#(fields)}"#)
      }
      return texts
    }
    let one = try texts(#"{"n":1}"#, #"{"n":1.50,"m":2}"#, "{}")
    #expect(areEqual(one.digests(), try texts(#"{"n":1.0}"#, #"{"m":2,"n":1.5}"#, #"{"x":null}"#).digests()))
    let other = try texts(#"{"n":1}"#, #"{"n":1.51,"m":2}"#)
    let (here, there) = one.digests().differing(from: other.digests())
    #expect(here.count == 2 && there.count == 1)
    let named = other.firstRow { there.contains($0) }
    #expect(named?.collection == "a" && named?.id == "1" && named?.text == #"{"m":2,"n":1.51}"#)
    #expect(other.firstRow { _ in false } == nil)
  }
}
