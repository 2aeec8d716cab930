/// One choice of a test case: a number from 0 (the simplest choice) through a bound.
@usableFromInline
struct Choice: Hashable, Sendable {
  /// The chosen number.
  @usableFromInline var index: UInt64
  /// The largest possible number.
  @usableFromInline var bound: UInt64
  /// Whether this was the only possible choice, regardless of the bound.
  @usableFromInline var isForced: Bool

  @inlinable
  init(index: UInt64, bound: UInt64, isForced: Bool) {
    self.index = index
    self.bound = bound
    self.isForced = isForced
  }
}

/// A range of choices that belong together, such as the choices of one array element.
@usableFromInline
struct Span: Hashable, Sendable {
  /// The kind of value that the span drew.
  @usableFromInline var label: SpanLabel
  /// The index of the first choice.
  @usableFromInline var start: Int32
  /// The index after the last choice, or -1 while the span is open.
  @usableFromInline var end: Int32
  /// The index of the enclosing span, or -1 for none.
  @usableFromInline var parent: Int32
  /// Whether the drawn value was discarded.
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

/// The kinds of spans, where spans with the same label are interchangeable.
@usableFromInline
enum SpanLabel: UInt8, Sendable {
  case parameter, element, collection, attempt, branch, recursion, step, other
}

/// The state of a model between two steps of a program.
struct ProgramState: Hashable, Sendable {
  /// The number of choices before this state.
  let end: Int
  /// The model's hash value, which is the same for equal models.
  let key: Int
}

/// The choices of a test case.
struct Record: Sendable {
  var choices: [Choice] = []
  var spans: [Span] = []
  /// The number of choices before the last new state, or `nil` if no state was new.
  var news: Int?
  /// The states of a program's model, if the plan requests them.
  var states: [ProgramState] = []

  var indices: [UInt64] { choices.map(\.index) }

  /// Returns whether a list of choices is simpler than another: shorter, or of equal length and lexicographically
  /// smaller.
  static func isSimpler(_ left: [UInt64], than right: [UInt64]) -> Bool {
    left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
  }
}
