import Annals

/// A change to a medical laboratory's specimens.
enum SpecimenEvent: Event, Equatable {
  case received(tube: String, volume: Int)
  case divided(tube: String, into: String, volume: Int)
  case topped(tube: String, volume: Int)
  case racked(tube: String, rack: Int)
  case unracked(tube: String)
  case measured(tube: String, value: Int)
  case released(tube: String)
  case discarded(tube: String)
}

enum SpecimenCommand: Hashable, Codable, Sendable {
  case receive(tube: String, volume: Int)
  case divide(tube: String, into: String, volume: Int)
  case top(tube: String, by: Int)
  case rack(tube: String, rack: Int)
  case unrack(tube: String)
  case measure(tube: String, value: Int)
  case release(tube: String)
  case discard(tube: String)

  var tube: String {
    switch self {
    case .receive(let tube, _), .divide(let tube, _, _), .top(let tube, _), .rack(let tube, _), .unrack(let tube),
      .measure(let tube, _), .release(let tube), .discard(let tube):
      tube
    }
  }
}

/// The rules: a rack has one tube, a divided tube keeps a rest, and a released tube is measured no more.
struct Laboratory: EventwiseUndoableDecider, Equatable {
  enum Refusal: String, Error {
    case exists, unknown, tooLittle, occupied, same, notRacked, notMeasured, isReleased
  }

  struct Tube: Hashable {
    var volume: Int
    var rack: Int?
    var values: [Int] = []
    var isReleased = false
  }

  var tubes: [String: Tube] = [:]
  var racks: [Int: String] = [:]
  /// The tubes that were discarded, whose ids stay reserved.
  var discarded: Set<String> = []

  func decide(_ command: SpecimenCommand) throws(Refusal) -> [SpecimenEvent] {
    if case .receive(let name, let volume) = command {
      guard tubes[name] == nil, !discarded.contains(name) || bug(35) else { throw .exists }
      guard volume > 0 else { throw .tooLittle }
      return [.received(tube: name, volume: volume)]
    }
    guard let tube = tubes[command.tube] else { throw .unknown }
    switch command {
    case .receive: return []
    case .divide(let name, let child, let volume):
      guard tubes[child] == nil, !discarded.contains(child) else { throw .exists }
      guard volume > 0, bug(33) ? volume <= tube.volume : volume < tube.volume else { throw .tooLittle }
      return [.divided(tube: name, into: child, volume: volume)]
    case .top(let name, let more): return [.topped(tube: name, volume: tube.volume + more)]
    case .rack(let name, let rack):
      guard tube.rack != rack else { throw .same }
      guard racks[rack] == nil else { throw .occupied }
      return [.racked(tube: name, rack: rack)]
    case .unrack(let name):
      guard tube.rack != nil else { throw .notRacked }
      return [.unracked(tube: name)]
    case .measure(let name, let value):
      guard !tube.isReleased else { throw .isReleased }
      return [.measured(tube: name, value: value)]
    case .release(let name):
      guard tube.values.count >= 2 else { throw .notMeasured }
      guard !tube.isReleased else { throw .isReleased }
      return [.released(tube: name)]
    case .discard(let name): return [.discarded(tube: name)]
    }
  }

  mutating func evolve(_ event: SpecimenEvent) {
    switch event {
    case .received(let tube, let volume): tubes[tube] = Tube(volume: volume)
    case .divided(let tube, let child, let volume):
      if !bug(32) { tubes[tube]?.volume -= volume }
      tubes[child] = Tube(volume: volume)
    case .topped(let tube, let volume): tubes[tube]?.volume = volume
    case .racked(let tube, let rack):
      if let old = tubes[tube]?.rack { racks[old] = nil }
      tubes[tube]?.rack = rack
      racks[rack] = tube
    case .unracked(let tube):
      if let rack = tubes[tube]?.rack { racks[rack] = nil }
      tubes[tube]?.rack = nil
    case .measured(let tube, let value): tubes[tube]?.values.append(value)
    case .released(let tube): tubes[tube]?.isReleased = true
    case .discarded(let tube):
      if let rack = tubes[tube]?.rack, !bug(34) { racks[rack] = nil }
      tubes[tube] = nil
      discarded.insert(tube)
    }
  }

  func undoing(_ event: SpecimenEvent) -> SpecimenCommand? {
    switch event {
    case .racked(let tube, _):
      // A tube that was in another rack returns to this rack.
      if let old = tubes[tube]?.rack, !bug(36) { .rack(tube: tube, rack: old) } else { .unrack(tube: tube) }
    case .unracked(let tube): tubes[tube]?.rack.map { .rack(tube: tube, rack: $0) }
    default: nil
    }
  }
}

/// A tube on the laboratory's screen.
struct Specimen: Row, Hashable {
  let id: String
  var volume: Int
  var rack: Int?
  var values: [Int] = []
  var isReleased = false
  var label = ""

  /// The section: the state of the work.
  var state: String { isReleased ? "released" : values.isEmpty ? "waiting" : "measured" }

  /// The median of the values, rounded down.
  var median: Int? {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return nil }
    let middle = sorted.count / 2
    if sorted.count.isMultiple(of: 2), !bug(37) { return (sorted[middle - 1] + sorted[middle]) >> 1 }
    return sorted[middle]
  }
}
