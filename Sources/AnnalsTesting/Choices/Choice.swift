/// One choice of a test case: a number from 0, the simplest, through a bound.
@usableFromInline
struct Choice: Hashable, Sendable {
  /// What was chosen.
  @usableFromInline var index: UInt64
  /// The largest number that could have been chosen.
  @usableFromInline var bound: UInt64
  /// True if there was no other choice, whatever the bound says.
  @usableFromInline var isForced: Bool

  @inlinable
  init(index: UInt64, bound: UInt64, isForced: Bool) {
    self.index = index
    self.bound = bound
    self.isForced = isForced
  }
}

/// A run of choices that belong together, such as those of one element of an array.
@usableFromInline
struct Span: Hashable, Sendable {
  /// What the span drew.
  @usableFromInline var label: SpanLabel
  /// The first choice.
  @usableFromInline var start: Int32
  /// The choice after the last; -1 while the span is open.
  @usableFromInline var end: Int32
  /// The enclosing span, or -1 for none.
  @usableFromInline var parent: Int32
  /// True if the drawn value was discarded.
  @usableFromInline var isDiscarded: Bool

  @inlinable
  init(label: SpanLabel, start: Int32, parent: Int32) {
    self.label = label
    self.start = start
    end = -1
    self.parent = parent
    isDiscarded = false
  }

  var range: Range<Int> { Int(start)..<Int(end) }
}

/// The kinds of spans; spans with the same label are interchangeable.
@usableFromInline
enum SpanLabel: UInt8, Sendable {
  case parameter, element, collection, attempt, branch, recursion, step, other
}

/// The state of a model between two steps of a program.
struct ProgramState: Hashable, Sendable {
  /// How many choices led to it.
  let end: Int
  /// The model's hash value; equal models have the same.
  let key: Int
}

/// The choices of a test case.
struct Record: Sendable {
  var choices: [Choice] = []
  var spans: [Span] = []
  /// How many choices led to the last state that was new; nil if there was none.
  var news: Int?
  /// The states of a program's model, if the plan asked for them.
  var states: [ProgramState] = []

  var indices: [UInt64] { choices.map(\.index) }

  /// True if a list of choices is simpler than another: shorter, or equally long and earlier in order.
  static func isSimpler(_ left: [UInt64], than right: [UInt64]) -> Bool {
    left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
  }
}
