import Annals

enum TariffEvent: Event, Equatable {
  case priced(level: String, cents: Int)
  case freed(level: String)
}

enum TariffCommand: Hashable, Codable, Sendable {
  case price(level: String, cents: Int)
  case free(level: String)
}

/// The prices of the levels, with undo.
struct Tariff: EventwiseUndoableDecider, Equatable {
  enum Refusal: String, Error { case isFree, isSame, noPrice }

  var prices: [String: Int] = [:]

  func decide(_ command: TariffCommand) throws(Refusal) -> [TariffEvent] {
    switch command {
    case .price(let level, let cents):
      guard cents > 0 else { throw .noPrice }
      guard prices[level] != cents else { throw .isSame }
      return [.priced(level: level, cents: cents)]
    case .free(let level):
      guard prices[level] != nil else { throw .isFree }
      return [.freed(level: level)]
    }
  }

  mutating func evolve(_ event: TariffEvent) {
    switch event {
    case .priced(let level, let cents): prices[level] = cents
    case .freed(let level): prices[level] = nil
    }
  }

  func undoing(_ event: TariffEvent) -> TariffCommand? {
    switch event {
    case .priced(let level, _):
      if let old = prices[level], !bug(7) { .price(level: level, cents: old) } else { .free(level: level) }
    case .freed(let level): prices[level].map { .price(level: level, cents: $0) }
    }
  }
}
