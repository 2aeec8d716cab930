/// How to make a test case: its first choices, and what follows them.
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
  /// True if random choices follow the first ones.
  @usableFromInline var extends: Bool
  /// The source of random choices.
  @usableFromInline var random: SplitMix64
  /// The largest number of choices.
  ///
  /// A case that needs more has no verdict.
  @usableFromInline var limit: Int
  /// The average number of elements of collections without a size.
  @usableFromInline var averageCount: Double
  /// What random choices leave out; 0 for nothing.
  var swarm: UInt64 = 0
  /// True if the case needs a readable description.
  @usableFromInline var isDescribed = false
  /// True if the states of a program's model are recorded.
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

/// Ends a test case without a verdict.
@usableFromInline
enum Discarded: Error, Hashable {
  /// An assumption does not hold.
  case assumption
  /// A generator found no value that passes its filter, which is named if that is known.
  case filter(String?)
  /// A generator has no value at all, and why.
  case noValue(String)
  /// The case needs more choices than it may make.
  case tooLong
}
