/// The roles of a case's choices, as far as its spans reveal them.
struct Shape {
  /// Whether a choice determines if a collection or a program continues, by the choice's index.
  private(set) var isBit: [Bool]
  /// Whether a span is an element of a collection of fixed size, by the span's index.
  ///
  /// Removing such an element isn't possible, because the next choices take its place.
  private(set) var isFixed: [Bool]
  /// Whether a choice selects an alternative or a command rather than an amount, by the choice's index.
  private(set) var isAlternative: [Bool]

  init(_ record: Record) {
    isBit = [Bool](repeating: false, count: record.choices.count)
    isFixed = [Bool](repeating: false, count: record.spans.count)
    isAlternative = isBit
    var open: Set<Int32> = []
    for span in record.spans where !span.range.isEmpty {
      guard span.label == .element || span.label == .step || span.label == .other else { continue }
      isBit[Int(span.start)] = true
      if !record.choices[Int(span.start)].isForced { open.insert(span.parent) }
    }
    for (number, span) in record.spans.enumerated() where !span.range.isEmpty {
      switch span.label {
      case .element: isFixed[number] = !open.contains(span.parent)
      case .branch: isAlternative[Int(span.start)] = true
      case .attempt where span.parent >= 0 && record.spans[Int(span.parent)].label == .step:
        isAlternative[Int(span.start)] = true
      default: break
      }
    }
  }
}
