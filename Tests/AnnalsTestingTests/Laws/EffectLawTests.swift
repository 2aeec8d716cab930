import Annals
import AnnalsTesting
import Testing

private struct Ware: Row {
  let id: String
  var price = 0
  var shelf = "s"
}

private enum WareEvent: Event, Equatable {
  case stocked(String)
  case repriced(id: String, to: Int)
  case sold(String)
  case named(String)
}

private enum WareCommand {
  case stock(String)
  case reprice(String, to: Int)
  case sell(String)
  case name(String)
}

private enum Refusal: Error { case known, unknown }

/// A shop whose decider compares ids as strings, or by their scalars.
private protocol WareShop: Decider where Command == WareCommand, Event == WareEvent, Rejection == Refusal {
  associatedtype Key: Hashable
  static func key(_ id: String) -> Key
  var wares: Set<Key> { get set }
}

extension WareShop {
  func decide(_ command: WareCommand) throws(Refusal) -> [WareEvent] {
    switch command {
    case .stock(let id):
      if wares.contains(Self.key(id)) { throw .known }
      return [.stocked(id)]
    case .reprice(let id, let price):
      if !wares.contains(Self.key(id)) { throw .unknown }
      return [.repriced(id: id, to: price)]
    case .sell(let id):
      if !wares.contains(Self.key(id)) { throw .unknown }
      return [.sold(id)]
    case .name(let title): return [.named(title)]
    }
  }

  mutating func evolve(_ event: WareEvent) {
    switch event {
    case .stocked(let id): wares.insert(Self.key(id))
    case .sold(let id): wares.remove(Self.key(id))
    case .repriced, .named: break
    }
  }
}

private struct FoldingShop: WareShop {
  static func key(_ id: String) -> String { id }
  var wares: Set<String> = []
}

private struct ExactShop: WareShop {
  static func key(_ id: String) -> [UInt8] { Array(id.utf8) }
  var wares: Set<[UInt8]> = []
}

private struct Wares: Projection {
  func project(_ event: WareEvent, into rows: inout Rows<Ware>) {
    switch event {
    case .stocked(let id): rows.insert(Ware(id: id))
    case .repriced(let id, let price): rows[id]?.price = price
    case .sold(let id): rows[id] = nil
    case .named(let title): rows.renameSection("s", of: \.shelf, to: title)
    }
  }
}

private struct TolerantWares: Projection {
  static var toleratedEvents: Set<String> { ["WareRepriced", "WareSold"] }

  func project(_ event: WareEvent, into rows: inout Rows<Ware>) { Wares().project(event, into: &rows) }
}

@Suite struct EffectLawTests {
  private static let id = Generator.element(of: ["b1", "\u{E9}", "e\u{301}"])
  private static let commands = Generator<[WareCommand]>.array(
    of: .oneOf(
      id.map { .stock($0) }, zip(id, .int(in: 0...2)).map { .reprice($0, to: $1) }, id.map { .sell($0) },
      Generator.element(of: ["x", "y", "z"]).map { .name($0) }), count: 0...12)
  private let settings = CheckSettings(examples: 200, seed: 1, environment: .patient)

  @Test func `the law finds a decider that treats two spellings of an id as one, and names the other spelling`() throws
  {
    let failure = try #require(
      #expect(throws: PropertyFailure.self) {
        try check(Self.commands, settings: settings) { commands in
          // A title that is set twice is another matter.
          try FoldingShop.ensureEffects(commands.filter { if case .name = $0 { false } else { true } }, in: Wares())
        }
      })
    let text = failure.description
    #expect(text.contains("command 2 ("), "\(text)")
    #expect(text.contains("was accepted, but its event ") && text.contains("changed no row and no section of Wares"))
    #expect(
      text.contains(". A row has the canonically equivalent id e\\u{0301}, which")
        || text.contains(". A row has the canonically equivalent id \\u{00E9}, which"))
    try FoldingShop.ensureEffects([.stock("\u{E9}"), .reprice("\u{E9}", to: 0)], in: Wares())
  }

  @Test func `the law holds if the decider compares ids by their scalars, or the projection tolerates the events`()
    throws
  {
    try check(Self.commands, settings: settings) { commands in
      let commands = commands.filter { if case .name = $0 { false } else { true } }
      try ExactShop.ensureEffects(commands, in: Wares())
      try FoldingShop.ensureEffects(commands, in: TolerantWares())
    }
  }

  @Test func `a new title is an effect, and the same title isn't`() throws {
    try ExactShop.ensureEffects([.name("x"), .name("y")], in: Wares())
    let error = #expect(throws: Unmet.self) { try ExactShop.ensureEffects([.name("x"), .name("x")], in: Wares()) }
    #expect(error?.description.hasPrefix("command 2 (") == true)
    #expect(error?.description.hasSuffix("changed no row and no section of Wares") == true)
  }
}
