import Annals
import AnnalsTesting
import Foundation
import Testing

// The code of Docs/Testing.md, in its order. A test at the end holds the two together.

enum ShelfEvent: Event {
  case put(shelf: Int, books: Int)
  case taken(shelf: Int, books: Int)
}

struct Shelf: Row {
  let id: Int
  var books: Int
}

struct Shelves: Projection {
  func project(_ event: ShelfEvent, into rows: inout Rows<Shelf>) {
    switch event {
    case .put(let shelf, let books):
      rows.insert(Shelf(id: shelf, books: (rows[shelf]?.books ?? 0) + books))
    case .taken(let shelf, let books):
      rows.update(shelf) { $0.books -= books }
      if let row = rows[shelf], row.books <= 1 { rows[shelf] = nil }
    }
  }
}

let history = Generator.array(
  of: zip(.bool, .int(in: 1...3), .int(in: 1...20)).map { isTaken, shelf, books in
    isTaken ? ShelfEvent.taken(shelf: shelf, books: books) : .put(shelf: shelf, books: books)
  })

/// What the rows should be, in the plainest words.
func books(on shelf: Int, after history: [ShelfEvent]) -> Int {
  history.reduce(0) { books, event in
    switch event {
    case .put(shelf, let more): books + more
    case .taken(shelf, let fewer): max(0, books - fewer)
    default: books
    }
  }
}

func shelvesHoldTheirBooks(_ history: [ShelfEvent], _ shelf: Int) throws {
  let list = try rows(of: Shelves(), after: history)
  try ensureEqual(list.first { $0.id == shelf }?.books ?? 0, books(on: shelf, after: history))
}

/// The rows that a history leads to.
func rows<P: Projection>(of projection: P, after history: [P.Event]) throws -> [P.Row] {
  var rows = Rows<P.Row>()
  for event in history { try projection.project(event, into: &rows) }
  return Array(Results(FetchRequest(), of: rows, at: 0).rows)
}

struct Till: Decider {
  enum Rejection: Error { case tooLittle }

  var money = 0

  func decide(_ command: Int) throws(Rejection) -> [TillEvent] {
    guard money + command >= 0 else { throw .tooLittle }
    return [.changed(by: command)]
  }

  mutating func evolve(_ event: TillEvent) {
    if case .changed(let amount) = event { money += amount }
  }
}

enum TillEvent: Event {
  case changed(by: Int)
}

/// The till as an app uses it: commands go through a store.
final class TillSystem {
  let store = MemoryEventStore()

  func change(by amount: Int) throws {
    try store.execute(amount, on: Till.self, id: "main")
  }

  func money() throws -> Int {
    var till = Till()
    var coder = try EventCoder<TillEvent>()
    try store.forEachEvent { stored in
      if let event = try coder.decode(type: stored.type, payload: stored.payload) { till.evolve(event) }
    }
    return till.money
  }
}

struct TillMachine: Machine {
  func start() -> (model: Int, system: TillSystem) { (0, TillSystem()) }

  var commands: [Command<Int, TillSystem>] {
    Command("change(by:)") { money in
      .int(in: -money - 1...100)
    } model: { money, amount in
      guard money + amount >= 0 else { throw Till.Rejection.tooLittle }
      money += amount
    } run: { till, amount in
      try till.change(by: amount)
    }
  }

  func invariant(_ money: Int, _ till: TillSystem) throws {
    try ensureEqual(try till.money(), money)
    sometimes(money == 0, "an empty till")
  }
}

@Suite struct GuideTests {
  private let settings = CheckSettings(examples: 300, seed: 1, environment: [:])

  @Test func `the guide's mistake is found, and its smallest history is the one in the guide`() throws {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(history, .int(in: 1...3), settings: settings, shelvesHoldTheirBooks)
    }
    #expect(failure?.input == ["[.put(shelf: 1, books: 2), .taken(shelf: 1, books: 1)]", "1"])
    let guide = try guide()
    for line in failure?.input ?? [] { #expect(guide.contains("  \(line)\n")) }
    #expect((failure?.error as? Unmet).map { guide.contains($0.description) } == true)
  }

  @Test func `the guide's machine passes`() throws {
    try check(TillMachine(), settings: settings)
  }

  @Test func `the guide's code is the code of this file`() throws {
    let file = words(try String(contentsOfFile: #filePath, encoding: .utf8))
    let blocks = try guide().components(separatedBy: "```swift\n").dropFirst()
    #expect(blocks.count > 5)
    for block in blocks.compactMap({ $0.components(separatedBy: "```").first }) {
      // A block that begins so shows an excerpt that stands for any code.
      if block.hasPrefix("// For example") { continue }
      #expect(file.contains(words(block)), "\(block)")
    }
  }

  private func guide() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent("Docs/Testing.md"), encoding: .utf8)
  }

  private func words(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
