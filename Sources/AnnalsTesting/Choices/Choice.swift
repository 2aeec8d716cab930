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

/// A step of a program in which several commands ran at the same time.
struct ConcurrentTurn: Sendable {
  /// The number of the step's span.
  let span: Int
  /// The choices of every command.
  var commands: [Range<Int>]
  /// The maximum number of commands in a step.
  let limit: Int
}

/// The choices of a test case.
struct Record: Sendable {
  var choices: [Choice] = []
  var spans: [Span] = []
  /// The number of choices before the last new state, or `nil` if no state was new.
  var news: Int?
  /// The states of a program's model, if the plan requests them.
  var states: [ProgramState] = []
  /// The steps in which several commands ran at the same time.
  var turns: [ConcurrentTurn] = []

  var indices: [UInt64] { choices.map(\.index) }

  /// Returns the choices of a program that runs concurrent commands one after the other.
  ///
  /// - Parameters:
  ///   - numbers: The indices of the concurrent turns to take apart.
  ///   - isReversed: Whether the last command of every turn runs first.
  /// - Returns: The choices.
  func separating(_ numbers: Range<Int>, isReversed: Bool) -> [UInt64] {
    var (separated, end) = ([UInt64](), 0)
    let indices = indices
    for turn in turns[numbers] {
      let range = spans[turn.span].range
      separated += indices[end..<range.lowerBound]
      for command in isReversed ? turn.commands.reversed() : turn.commands {
        // The bit for another step, the command, and a bit for every concurrent command that doesn't run.
        separated += [1] + indices[command] + [UInt64](repeating: 0, count: turn.limit - 1)
      }
      end = range.upperBound
    }
    return separated + indices[end...]
  }

  /// Returns whether a list of choices is simpler than another: shorter, or of equal length and lexicographically
  /// smaller.
  static func isSimpler(_ left: [UInt64], than right: [UInt64]) -> Bool {
    left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
  }
}
