/// A plan for a test case: its first choices, and the source of the remaining choices.
@usableFromInline
struct Plan: Sendable {
  enum Continuation {
    /// Random choices.
    case random(SplitMix64)
    /// The simplest choice, repeated.
    case zeros
  }

  /// The first choices.
  @usableFromInline var prefix: [UInt64]
  /// Whether random choices follow the first choices.
  @usableFromInline var extends: Bool
  /// The source of random choices.
  @usableFromInline var random: SplitMix64
  /// The maximum number of choices.
  ///
  /// A case that needs more choices has no verdict.
  @usableFromInline var limit: Int
  /// The average number of elements in collections without a given size.
  @usableFromInline var averageCount: Double
  /// The bits that select which alternatives random choices leave out, or 0 for none.
  var swarm: UInt64 = 0
  /// Whether the case needs a readable description.
  @usableFromInline var isDescribed = false
  /// Whether the states of a program's model are recorded.
  @usableFromInline var recordsStates = false

  init(_ continuation: Continuation, prefix: [UInt64] = [], limit: Int, averageCount: Double = 5) {
    self.prefix = prefix
    self.limit = limit
    self.averageCount = averageCount
    switch continuation {
    case .random(let random): (extends, self.random) = (true, random)
    case .zeros: (extends, random) = (false, SplitMix64(seed: 0))
    }
  }
}

/// An error that ends a test case without a verdict.
@usableFromInline
enum Discarded: Error, Hashable {
  /// An assumption doesn't hold.
  case assumption
  /// A generator found no value that passes its filter, with the filter's name if it is known.
  case filter(String?)
  /// A generator has no values, with the reason.
  case noValue(String)
  /// The case needs more choices than the limit.
  case tooLong
}
