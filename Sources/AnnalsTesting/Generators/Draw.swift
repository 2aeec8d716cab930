/// The source of the values of one test case.
///
/// Generators draw from it, and it records every choice that they make. To shrink a failing case, the check runs the
/// same generators on simpler choices. That is why a generator must take all randomness from here, and none from the
/// clock, from `random()` or from the order of a set.
///
/// It belongs to one case and to one thread, so do not store it.
public final class Draw {
  // One thread has it, and no closure that it calls does: a look for two accesses at one time is a tenth of a case.
  @exclusivity(unchecked) @usableFromInline var choices: UnsafeMutablePointer<Choice>
  @exclusivity(unchecked) @usableFromInline var count = 0
  @exclusivity(unchecked) @usableFromInline var capacity = 256
  @exclusivity(unchecked) @usableFromInline var spans: UnsafeMutablePointer<Span>
  @exclusivity(unchecked) @usableFromInline var spanCount = 0
  @exclusivity(unchecked) @usableFromInline var spanCapacity = 256
  @exclusivity(unchecked) @usableFromInline var openSpan: Int32 = -1
  @exclusivity(unchecked) @usableFromInline var plan = Plan(.zeros, limit: 0)
  @exclusivity(unchecked) @usableFromInline var prefixCount = 0
  /// The average number of elements of collections without a size, in this case.
  @usableFromInline var averageCount = 5.0
  /// The values of the case in readable form; nil if the plan does not ask for it.
  var transcript: [String]?
  /// The log of a machine's run, written with the transcript.
  var log: [String] = []
  /// How many choices had been made when the last new state was reached.
  private var news: Int?
  /// The states of a machine's model, if the plan asks for them.
  private var states: [ProgramState] = []

  init() {
    choices = .allocate(capacity: capacity)
    spans = .allocate(capacity: spanCapacity)
  }

  deinit {
    choices.deallocate()
    spans.deallocate()
  }

  /// Begins another case.
  func reset(_ plan: Plan) {
    self.plan = plan
    prefixCount = plan.prefix.count
    averageCount = plan.averageCount
    count = 0
    spanCount = 0
    openSpan = -1
    transcript = plan.isDescribed ? [] : nil
    if !log.isEmpty { log = [] }
    news = nil
    if !states.isEmpty { states = [] }
  }

  /// True if the plan asks for the states of a machine's model.
  var recordsStates: Bool { plan.recordsStates }

  /// Records the state of a machine's model, if the model can be compared.
  func note(state model: some Any) {
    guard let model = model as? any Hashable else { return }
    states.append(ProgramState(end: count, key: AnyHashable(model).hashValue))
  }

  /// A copy of the choices so far.
  var record: Record {
    Record(
      choices: Array(UnsafeBufferPointer(start: choices, count: count)),
      spans: Array(UnsafeBufferPointer(start: spans, count: spanCount)), news: news, states: states)
  }

  /// A state is reached that was not there before.
  func isNews() { news = count }

  /// Draws a value.
  ///
  /// - Parameter generator: Makes the value.
  /// - Returns: The value.
  /// - Throws: An error that ends the case without a verdict, if there is no value; do not catch it.
  @inlinable
  public func callAsFunction<Value>(_ generator: Generator<Value>) throws -> Value {
    try span(.parameter) { try generator.draw(self) }
  }

  /// Chooses a number from 0 through a bound; all other draws use this one.
  @inlinable
  func choose(through bound: UInt64, _ random: (inout SplitMix64) -> UInt64) throws -> UInt64 {
    let index: UInt64
    if count < prefixCount {
      // A choice that no longer fits, because an earlier one changed, becomes the simplest.
      let wanted = plan.prefix[count]
      index = wanted <= bound ? wanted : 0
    } else {
      index = plan.extends ? random(&plan.random) : 0
    }
    try keep(Choice(index: index, bound: bound, isForced: false))
    return index
  }

  /// Records a choice that was known before, so that cases keep their structure.
  @inlinable
  func force(_ index: UInt64, through bound: UInt64) throws {
    try keep(Choice(index: index, bound: bound, isForced: true))
  }

  @inlinable
  func keep(_ choice: Choice) throws {
    guard count < plan.limit else { throw Discarded.tooLong }
    if count == capacity { growChoices() }
    choices[count] = choice
    count &+= 1
  }

  /// Returns true with a probability; false is simpler.
  @inlinable
  func flip(_ probability: Double, forced: Bool? = nil) throws -> Bool {
    if let forced {
      try force(forced ? 1 : 0, through: 1)
      return forced
    }
    return try choose(through: 1) { Double($0.next() >> 11) * 0x1p-53 < probability ? 1 : 0 } == 1
  }

  /// Begins a span; pass the result to ``close(_:discarded:)``.
  @inlinable
  func open(_ label: SpanLabel) -> Int32 {
    if spanCount == spanCapacity { growSpans() }
    spans[spanCount] = Span(label: label, start: Int32(truncatingIfNeeded: count), parent: openSpan)
    openSpan = Int32(truncatingIfNeeded: spanCount)
    spanCount &+= 1
    return openSpan
  }

  @inlinable
  func close(_ span: Int32, discarded: Bool = false) {
    let index = Int(span)
    spans[index].end = Int32(truncatingIfNeeded: count)
    spans[index].isDiscarded = discarded
    openSpan = spans[index].parent
  }

  /// Runs a body in a span.
  ///
  /// If the body throws, the span and those inside it end here.
  @inlinable
  func span<Result>(_ label: SpanLabel, _ body: () throws -> Result) throws -> Result {
    let span = open(label)
    do {
      let result = try body()
      close(span)
      return result
    } catch {
      closeAll(from: span)
      throw error
    }
  }

  /// Ends a span that failed, with all open spans inside it.
  @inlinable
  func closeAll(from span: Int32) {
    for index in Int(span)..<spanCount where spans[index].end < 0 {
      spans[index].end = Int32(truncatingIfNeeded: count)
      spans[index].isDiscarded = true
    }
    openSpan = spans[Int(span)].parent
  }

  @usableFromInline
  func growChoices() {
    let larger = UnsafeMutablePointer<Choice>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: choices, count: count)
    choices.deallocate()
    choices = larger
    capacity *= 2
  }

  @usableFromInline
  func growSpans() {
    let larger = UnsafeMutablePointer<Span>.allocate(capacity: spanCapacity * 2)
    larger.moveInitialize(from: spans, count: spanCount)
    spans.deallocate()
    spans = larger
    spanCapacity *= 2
  }
}
