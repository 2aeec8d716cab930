/// How a test case is to be made: which choices are given, and what comes after them.
@usableFromInline
struct Plan: Sendable {
  enum Continuation {
    /// Chance.
    case random(SplitMix64)
    /// The simplest choice, again and again.
    case zeros
  }

  /// The choices that are given.
  @usableFromInline var prefix: [UInt64]
  /// True if chance goes on after the given choices.
  @usableFromInline var extends: Bool
  /// The chance.
  @usableFromInline var random: SplitMix64
  /// The largest number of choices; a case that needs more has no verdict.
  @usableFromInline var limit: Int
  /// The average number of elements of collections without a size.
  @usableFromInline var averageCount: Double
  /// True if the case is to be written down for people.
  @usableFromInline var isDescribed = false

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
enum Discarded: Error {
  /// An assumption does not hold.
  case assumption
  /// A generator found no value that its filter lets through.
  case filter
  /// The case needs more choices than it may make.
  case tooLong
}
