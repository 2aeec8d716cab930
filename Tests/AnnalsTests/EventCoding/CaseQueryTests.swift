import Annals
import AnnalsLog
import Foundation
import Testing

/// Queries that name event cases by the case.
@Suite struct CaseQueryTests {
  private func ensure<E: Event>(_ query: EventQuery, names event: E) throws {
    #expect(query == .types(try EventCoder<E>().encode(event).type))
    #expect(query == .case(event))
  }

  @Test func `a case is the type that its events are stored as, whatever values it has`() throws {
    let (id, url, date) = (UUID(), try #require(URL(string: "https://annals.test")), Date(timeIntervalSince1970: 5))
    try ensure(.case(OddEvent.closed), names: OddEvent.closed)
    try ensure(.case(OddEvent.added), names: OddEvent.added("text"))
    try ensure(.case(OddEvent.moved), names: OddEvent.moved(id: 7, to: "x", after: nil))
    try ensure(
      .case(OddEvent.linked), names: OddEvent.linked(id: id, url: url, at: date, data: Data([1]), cost: 1.5))
    try ensure(.case(OddEvent.sized), names: OddEvent.sized(.large, .heavy, .dots))
    try ensure(.case(OddEvent.drawn), names: OddEvent.drawn(shape: .circle(radius: 2), only: .one(text: "a")))
    try ensure(.case(OddEvent.grown), names: OddEvent.grown(.leaf("x")))
    try ensure(
      .case(OddEvent.listed),
      names: OddEvent.listed(items: [Item("a", nil, 0)], by: ["k": [1]], set: ["s"], range: 0..<3))
    try ensure(.case(OddEvent.named), names: OddEvent.named(Personal("Ann", of: "ann")))
    try ensure(.case(OddEvent.renamed), names: OddEvent.renamed(id: "a"))
    try ensure(.case(OddEvent.boxed), names: OddEvent.boxed(Box(value: Box(value: "x"))))
    try ensure(.case(OddEvent.kept), names: OddEvent.kept(on: .init(rawValue: "x"), odd: OddWord(word: "even")))
    #expect(EventQuery.case(OddEvent.renamed) == .types("OddTitleChanged"))
    #expect(EventQuery.case(OddEvent.closed) == .types("OddClosed"))
    #expect(EventQuery.case(ItemEvent.put) == .types("ItemPut"))
    // A type that brings its own coding, whose cases Codable names all the same.
    #expect(EventQuery.case(OwnCodedEvent.told) == .types("OwnCodedTold"))
  }

  @Test func `cases are joined with streams, tags and each other`() throws {
    let query = EventQuery.case(OddEvent.added) || .case(OddEvent.closed) && .tagged("t") && .stream("s")
    #expect(
      query
        == EventQuery([
          .init(types: ["OddAdded"]), .init(streams: ["s"], types: ["OddClosed"], tags: ["t"]),
        ]))
  }

  @Test func `a query is widened for stored events by former names and by what upcasters take`() throws {
    #expect(EventQuery.case(ShopEvent.sold) == .types("ShopSold"))
    #expect(
      try EventQuery.case(ShopEvent.sold).includingOlder(of: ShopEvent.self)
        == .types("ShopSold", "ShopBought", "ShopTaxed"))
    #expect(try EventQuery.tagged("t").includingOlder(of: ShopEvent.self) == .tagged("t"))
    #expect(throws: EventCodingError.self) { try EventQuery.all.includingOlder(of: NoEnum.self) }
  }

  @Test func `a boundary may name its types by cases`() throws {
    let store = MemoryEventStore()
    try store.append(
      Append(
        [
          NewEvent(type: "ShopBought", schema: 3, payload: #"{"id":"a"}"#),
          NewEvent(type: "ShopSold", schema: 3, payload: #"{"id":"b"}"#),
        ], to: "x"))
    #expect(try store.execute(1, on: .boundary(CaseSales.self)).count == 2)
  }

  @Test func `an event of the case does where no value can be made up`() throws {
    try ensure(.case(OddEvent.mailed(Mail(text: "ann@annals.test"))), names: OddEvent.mailed(Mail(text: "b@c")))
    try ensure(.case(OddEvent.endless(Endless())), names: OddEvent.endless(Endless()))
  }

  #if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    private func said(_ result: ExitTest.Result?) -> String {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func `a case whose values cannot be made up ends the program with a sentence`() async {
      let mail = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = EventQuery.case(OddEvent.mailed)
      }
      #expect(
        said(mail).contains(
          "can't create a placeholder value of type Mail, which the case of OddEvent needs. Pass an event"),
        "\(said(mail))")
      let endless = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = EventQuery.case(OddEvent.endless)
      }
      #expect(said(endless).contains("can't create a placeholder value of type Endless"), "\(said(endless))")
    }

    @Test func `what is no event's case ends the program with a sentence`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = EventQuery.case(NoEnum())
      }
      #expect(said(result).contains("EventQuery.case(_:): NoEnum can't be stored as an event"), "\(said(result))")
    }
  #endif
}

/// Cases with values of every kind.
private enum OddEvent: Event {
  case closed
  case added(String)
  case moved(id: Int, to: String, after: Double?)
  case linked(id: UUID, url: URL, at: Date, data: Data, cost: Decimal)
  case sized(Size, Weight, Pattern)
  case drawn(shape: Shape, only: Only)
  case grown(Tree)
  case listed(items: [Item], by: [String: [Int]], set: Set<String>, range: Range<Int>)
  case named(Personal<String>)
  case renamed(id: String)
  case boxed(Box<Box<String>>)
  case kept(on: Word, odd: OddWord)
  case mailed(Mail)
  case endless(Endless)

  private enum CodingKeys: String, CodingKey {
    case closed, added, moved, linked, sized, drawn, grown, listed, named, boxed, kept, mailed, endless
    case renamed = "titleChanged"
  }

  // Labels are compulsory where there are several values; the cases above that have none are only named.
  private enum SizedCodingKeys: String, CodingKey {
    case _0 = "size"
    case _1 = "weight"
    case _2 = "pattern"
  }
}

private enum Size: String, Codable { case small, large }
private enum Weight: Int, Codable { case light = 7, heavy = 9 }
private enum Pattern: String, Codable, CaseIterable { case dots }

private enum Shape: Codable {
  case square(side: Double, name: String)
  case circle(radius: Double)
}

private enum Only: Codable { case one(text: String) }

private indirect enum Tree: Codable, Sendable {
  case leaf(String)
  case both(Tree, Tree)
}

private struct Box<Value: Codable & Sendable>: Codable { var value: Value }

private struct Word: RawRepresentable, Codable { var rawValue: String }

/// A type with a coding of its own.
private struct OddWord: Codable {
  var word: String

  init(word: String) { self.word = word }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    var words: [String] = []
    while !container.isAtEnd { words.append(try container.decode(String.self)) }
    word = words.joined()
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(word)
  }
}

/// Takes nothing that is made up.
private struct Mail: Codable {
  var text: String

  init(text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    guard text.contains("@") else { throw Refusal(reason: text) }
  }
}

/// Decodes itself for ever.
private struct Endless: Codable {
  var text = ""

  init() {}

  init(from decoder: any Decoder) throws { self = try decoder.singleValueContainer().decode(Endless.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

private struct CaseSales: BoundaryDecider {
  private var ids: [String] = []

  static func boundary(for command: Int) -> EventQuery { .case(ShopEvent.sold) }
  func decide(_ command: Int) -> [ShopEvent] { ids.map { .sold(id: "again \($0)") } }

  mutating func evolve(_ event: ShopEvent) {
    if case .sold(let id) = event { ids.append(id) }
  }
}

private enum OwnCodedEvent: CustomCodedEvent {
  case told(text: String)

  func write(to payload: inout PayloadWriter) -> String {
    if case .told(let text) = self { payload.writeObject { $0.write("text", text) } }
    return "told"
  }

  init?(case name: String, payload: PayloadValue) throws {
    guard name == "told" else { return nil }
    self = .told(text: try payload["text"].string())
  }
}
