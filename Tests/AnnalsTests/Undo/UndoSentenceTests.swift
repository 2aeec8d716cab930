import Annals
import Foundation
import Testing

private enum HatEvent: Event {
  case hung(String)
  case taken(String)
}

private enum HatCommand: Codable, Sendable {
  case hang(String)
  case take(String)
}

private struct Rack: UndoableDecider {
  struct Missing: LocalizedError {
    let hat: String
    var errorDescription: String? { "There is no \(hat) on the rack." }
  }

  private var hats: Set<String> = []

  func decide(_ command: HatCommand) throws -> [HatEvent] {
    switch command {
    case .hang(let hat): return [.hung(hat)]
    case .take(let hat):
      guard hats.contains(hat) else { throw Missing(hat: hat) }
      return [.taken(hat)]
    }
  }

  mutating func evolve(_ event: HatEvent) {
    switch event {
    case .hung(let hat): hats.insert(hat)
    case .taken(let hat): hats.remove(hat)
    }
  }

  func undoing(_ events: [HatEvent]) -> [HatCommand]? {
    events.reversed().map { event in
      switch event {
      case .hung(let hat): .take(hat)
      case .taken(let hat): .hang(hat)
      }
    }
  }
}

@Suite struct UndoSentenceTests {
  @Test func `a refused undo contains the decider's sentence for the user`() throws {
    let store = MemoryEventStore()
    let history = UndoHistory(store, of: "ann", deciders: [Rack.self])
    try history.execute(.hang("fedora"), on: Rack["hall"], named: "Hang Fedora")
    try store.execute(.take("fedora"), on: Rack["hall"])
    let error = #expect(throws: UndoError.self) { try history.undo() }
    #expect(error?.code == .refused && error?.underlying is Rack.Missing)
    let words = "was refused: There is no fedora on the rack. The log is unchanged, so you can retry later"
    #expect(error?.localizedDescription.hasSuffix(words) == true, "\(String(describing: error))")
  }
}
