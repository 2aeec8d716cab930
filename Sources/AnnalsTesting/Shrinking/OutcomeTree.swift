/// The outcomes of all cases that ran, as a tree of their choices.
///
/// A proposal can differ from an earlier case but produce the same choices, because a number that no longer fits
/// becomes 0, surplus choices are ignored, and a forced choice keeps its value. The tree applies the same rules as a
/// run, so that no case runs twice.
struct OutcomeTree {
  /// Cases with the same first choices.
  private final class Node {
    /// One of these cases.
    var sample: Shrinker.Outcome
    /// The number of first choices that all of these cases share.
    var end: Int
    /// The cases by their next choice, or an empty dictionary for a single case.
    var children: [UInt64: Node] = [:]

    init(_ sample: Shrinker.Outcome) {
      self.sample = sample
      end = sample.record.choices.count
    }
  }

  private var root: Node?
  /// The number of choices that can still be stored.
  ///
  /// To save memory, the outcomes of cases beyond this limit aren't stored, so these cases might run twice.
  private var room = 4_000_000

  /// Returns the outcome of a proposal, or `nil` if no equivalent case has run.
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

  /// Returns the choice that a run would make for a proposal at a place where another run made the choice `here`.
  private static func made(_ here: Choice, _ proposal: [UInt64], _ place: Int) -> UInt64 {
    if here.isForced { return here.index }
    return place < proposal.count && proposal[place] <= here.bound ? proposal[place] : 0
  }

  /// Stores the outcome of a case that ran.
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
      // A case that reached its limit is a prefix of another case.
      guard place < choices.count, place < others.count else { return }
      if place < node.end {
        let rest = Node(node.sample)
        rest.end = node.end
        rest.children = node.children
        node.end = place
        node.children = [others[place].index: rest]
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
