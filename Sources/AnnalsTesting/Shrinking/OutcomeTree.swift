/// The outcomes of all cases that ran, as a tree of their choices.
///
/// A proposal may differ from a case that ran and lead to the same choices: a number that no longer fits becomes 0,
/// what follows the last choice is not read, and a known choice is what it is. The tree follows a proposal as a run
/// would, so that no case runs twice.
struct OutcomeTree {
  /// Cases whose first choices are the same.
  private final class Node {
    /// One of these cases.
    var sample: Shrinker.Outcome
    /// How many of the first choices they have in common.
    var end: Int
    /// The cases by their next choice; empty for a single case.
    var children: [UInt64: Node] = [:]

    init(_ sample: Shrinker.Outcome) {
      self.sample = sample
      end = sample.record.choices.count
    }
  }

  private var root: Node?
  /// How many choices are kept; after very many, cases run again rather than fill the memory.
  private var room = 4_000_000

  /// The outcome of a proposal; nil if no case showed it yet.
  func outcome(of proposal: [UInt64]) -> Shrinker.Outcome? {
    guard var node = root else { return nil }
    var place = 0
    while true {
      let choices = node.sample.record.choices
      while place < node.end {
        guard Self.made(choices[place], proposal, place) == choices[place].index else { return nil }
        place += 1
      }
      if node.children.isEmpty { return node.sample }
      guard let next = node.children[Self.made(choices[place], proposal, place)] else { return nil }
      place += 1
      node = next
    }
  }

  /// What a run makes of a proposal's choice at a place, where another run had the choice `here`.
  private static func made(_ here: Choice, _ proposal: [UInt64], _ place: Int) -> UInt64 {
    if here.isForced { return here.index }
    return place < proposal.count && proposal[place] <= here.bound ? proposal[place] : 0
  }

  /// Keeps the outcome of a case that ran.
  mutating func insert(_ outcome: Shrinker.Outcome) {
    let choices = outcome.record.choices
    guard room >= choices.count else { return }
    guard var node = root else {
      root = Node(outcome)
      return
    }
    var place = 0
    while true {
      let others = node.sample.record.choices
      while place < node.end, place < choices.count, choices[place].index == others[place].index { place += 1 }
      // A case that was cut off is a part of another one.
      guard place < choices.count, place < others.count else { return }
      if place < node.end {
        let rest = Node(node.sample)
        (rest.end, rest.children) = (node.end, node.children)
        (node.end, node.children) = (place, [others[place].index: rest])
      }
      guard let next = node.children[choices[place].index] else {
        node.children[choices[place].index] = Node(outcome)
        room -= choices.count
        return
      }
      node = next
      place += 1
    }
  }
}
