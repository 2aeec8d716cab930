/// The source of random choices for one test case, from which generators create values.
///
/// A draw records all choices of the generators that use it. To shrink a failing case, the check runs the same
/// generators with simpler choices. For this reason, a generator must take all randomness from its draw, and none from
/// the clock, `random()` or the order of a set.
///
/// A draw belongs to one case and one thread, so don't store it.
public final class Draw {
  // Only one thread uses a draw, and the closures that the draw calls don't access it. Exclusivity checks would take a
  // tenth of a case's time.
  @exclusivity(unchecked) @usableFromInline var choices: UnsafeMutablePointer<Choice>
  @exclusivity(unchecked) @usableFromInline var count = 0
  @exclusivity(unchecked) @usableFromInline var capacity: Int
  @exclusivity(unchecked) @usableFromInline var spans: UnsafeMutablePointer<Span>
  @exclusivity(unchecked) @usableFromInline var spanCount = 0
  @exclusivity(unchecked) @usableFromInline var spanCapacity: Int
  @exclusivity(unchecked) @usableFromInline var openSpan: Int32 = -1
  @exclusivity(unchecked) @usableFromInline var plan = Plan(.zeros, limit: 0)
  @exclusivity(unchecked) @usableFromInline var prefixCount = 0
  /// The average number of elements in collections without a given size, for this case.
  @usableFromInline var averageCount = 5.0
  /// The values of the case in readable form, or `nil` if the plan doesn't request them.
  var transcript: [String]? {
    didSet { if let transcript { describe?(transcript) } }
  }
  /// A function that receives the transcript after every change.
  var describe: (([String]) -> Void)?
  /// The log of a machine's run, which is written together with the transcript.
  var log: [String] = []
  /// The number of choices before the last new state.
  private var news: Int?
  /// The states of a machine's model, if the plan requests them.
  private var states: [ProgramState] = []
  /// The steps in which several commands ran at the same time.
  private var turns: [ConcurrentTurn] = []

  /// The memory that contains the choices, if they must remain after the end of the process.
  private let memory: CaseMemory?
  /// Whether the spans are in the memory, too.
  private var hasSharedSpans: Bool

  init(_ memory: CaseMemory? = nil) {
    self.memory = memory
    capacity = memory?.capacity ?? 256
    choices = memory?.choices ?? .allocate(capacity: capacity)
    hasSharedSpans = memory.map { $0.spanCapacity > 0 } ?? false
    spanCapacity = hasSharedSpans ? memory?.spanCapacity ?? 256 : 256
    spans = (hasSharedSpans ? memory?.spans : nil) ?? .allocate(capacity: spanCapacity)
  }

  deinit {
    if choices != memory?.choices { choices.deallocate() }
    if !hasSharedSpans { spans.deallocate() }
  }

  /// Starts another case.
  func reset(_ plan: Plan) {
    self.plan = plan
    memory?.begin(after: count, spanCount)
    prefixCount = plan.prefix.count
    averageCount = plan.averageCount
    count = 0
    spanCount = 0
    openSpan = -1
    transcript = plan.isDescribed ? [] : nil
    if !log.isEmpty { log = [] }
    news = nil
    if !states.isEmpty { states = [] }
    if !turns.isEmpty { turns = [] }
  }

  /// Whether the plan requests the states of a machine's model.
  var recordsStates: Bool { plan.recordsStates }

  /// Records the state of a machine's model, if the model is hashable.
  func note(state model: some Any) {
    guard let model = model as? any Hashable else { return }
    states.append(ProgramState(end: count, key: AnyHashable(model).hashValue))
  }

  /// A copy of the choices so far.
  var record: Record {
    Record(
      choices: Array(UnsafeBufferPointer(start: choices, count: count)),
      spans: Array(UnsafeBufferPointer(start: spans, count: spanCount)), news: news, states: states,
      turns: turns)
  }

  /// Records that several commands of a step run at the same time.
  func note(_ turn: ConcurrentTurn) { turns.append(turn) }

  /// Records that the case reached a new state.
  func isNews() { news = count }

  /// Draws a value.
  ///
  /// - Parameter generator: The generator of the value.
  /// - Returns: The value.
  /// - Throws: An error if the generator has no value. The error ends the case, which then neither passes nor fails.
  ///   Don't catch it.
  @inlinable
  public func callAsFunction<Value>(_ generator: Generator<Value>) throws -> Value {
    try span(.parameter) { try generator.draw(self) }
  }

  /// Chooses a number from 0 through a bound, as the basis of all other draws.
  @inlinable
  func choose(through bound: UInt64, _ random: (inout SplitMix64) -> UInt64) throws -> UInt64 {
    let index: UInt64
    if count < prefixCount {
      // A choice that no longer fits because an earlier one changed becomes 0.
      let wanted = plan.prefix[count]
      index = wanted <= bound ? wanted : 0
    } else {
      index = plan.extends ? random(&plan.random) : 0
    }
    try keep(Choice(index: index, bound: bound, isForced: false))
    return index
  }

  /// Records a choice whose result is known, so that cases keep their structure.
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

  /// Returns true with a probability.
  ///
  /// False is the simpler choice.
  @inlinable
  func flip(_ probability: Double, forced: Bool? = nil) throws -> Bool {
    if let forced {
      try force(forced ? 1 : 0, through: 1)
      return forced
    }
    return try choose(through: 1) { Double($0.next() >> 11) * 0x1p-53 < probability ? 1 : 0 } == 1
  }

  /// Starts a span, and returns its number, which you must pass to ``close(_:discarded:)``.
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
  /// If the body throws, the span and all spans inside it end here.
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

  /// Ends a span that failed, and all open spans inside it.
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
    if choices != memory?.choices { choices.deallocate() }
    choices = larger
    capacity *= 2
  }

  @usableFromInline
  func growSpans() {
    let larger = UnsafeMutablePointer<Span>.allocate(capacity: spanCapacity * 2)
    larger.moveInitialize(from: spans, count: spanCount)
    if !hasSharedSpans { spans.deallocate() }
    hasSharedSpans = false
    spans = larger
    spanCapacity *= 2
  }
}
