/// What the choices of a case are for, as far as its spans say it.
struct Shape {
  /// True for each choice that says whether a collection or a program goes on.
  private(set) var isBit: [Bool]
  /// True for each span that is an element of a collection whose size is fixed.
  ///
  /// Such an element cannot be removed: another one takes its place.
  private(set) var isFixed: [Bool]
  /// True for each choice between alternatives or commands, whose number is no amount.
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
