import Annals

/// A drawer of labelled things, and a purse: what a drawer does is refused twice, and what a purse does is not.
enum DrawerEvent: Event {
  case put(slot: Int, label: String)
  case taken(slot: Int)
  case relabelled(slot: Int, to: String)
  case counted(by: Int)
  case shredded(slot: Int)
}

enum DrawerCommand: Sendable, Equatable {
  case put(Int, String)
  case take(Int)
  case relabel(Int, String)
  case count(Int)
  /// Nothing takes it back.
  case shred(Int)
  /// Two events at once.
  case swap(Int, Int)
}

struct Drawer: UndoableDecider, Equatable {
  enum Refusal: Error, Equatable { case occupied(Int), empty(Int), tooMany }

  var slots: [Int: String] = [:]
  var total = 0

  func decide(_ command: DrawerCommand) throws(Refusal) -> [DrawerEvent] {
    switch command {
    case .put(let slot, let label):
      if slots[slot] != nil { throw .occupied(slot) }
      return [.put(slot: slot, label: label)]
    case .take(let slot):
      if slots[slot] == nil { throw .empty(slot) }
      return [.taken(slot: slot)]
    case .relabel(let slot, let label):
      guard let old = slots[slot] else { throw .empty(slot) }
      return old == label ? [] : [.relabelled(slot: slot, to: label)]
    case .count(let amount):
      if abs(total + amount) > 100 { throw .tooMany }
      return amount == 0 ? [] : [.counted(by: amount)]
    case .shred(let slot):
      if slots[slot] == nil { throw .empty(slot) }
      return [.shredded(slot: slot)]
    case .swap(let one, let other):
      guard let first = slots[one] else { throw .empty(one) }
      guard let second = slots[other] else { throw .empty(other) }
      return first == second ? [] : [.relabelled(slot: one, to: second), .relabelled(slot: other, to: first)]
    }
  }

  mutating func evolve(_ event: DrawerEvent) {
    switch event {
    case .put(let slot, let label), .relabelled(let slot, let label): slots[slot] = label
    case .taken(let slot), .shredded(let slot): slots[slot] = nil
    case .counted(let amount): total += amount
    }
  }

  func undoing(_ events: [DrawerEvent]) -> [DrawerCommand]? {
    var commands: [DrawerCommand] = []
    for event in events.reversed() {
      switch event {
      case .put(let slot, _): commands.append(.take(slot))
      case .taken(let slot): commands.append(.put(slot, slots[slot] ?? ""))
      case .relabelled(let slot, _): commands.append(.relabel(slot, slots[slot] ?? ""))
      case .counted(let amount): commands.append(.count(-amount))
      case .shredded: return nil
      }
    }
    return commands
  }
}
