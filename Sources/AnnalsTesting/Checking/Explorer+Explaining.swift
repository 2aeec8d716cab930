extension Explorer {
  /// The number of other values with which a part must fail before it counts as arbitrary.
  private static let values = 12
  /// The maximum number of cases with another value, for all parts together.
  private static let limit = 600

  /// Returns the lines of a smallest input, with a comment after every part that can have any value, or an empty array
  /// if no part can.
  ///
  /// Every part is changed alone, to at most twelve other values. It is arbitrary if the case fails with all of them
  /// for the same cause. The comment follows an argument, or an element of a collection or of another value.
  ///
  /// - Parameters:
  ///   - record: The smallest failing case.
  ///   - origin: The cause of its failure.
  ///   - lines: The lines of its input.
  ///   - end: The time at which the search ends.
  /// - Returns: The lines.
  func explained(
    _ record: Record, _ origin: String?, _ lines: [String], until end: ContinuousClock.Instant
  ) -> [String] {
    // Most failing cases end here after one run for each part. A slow property isn't worth the time.
    let end = min(end, .now + .seconds(10))
    var chance = SplitMix64(seed: 0xE7)
    var (done, runs) = (0, 0)
    var marks: [Mark] = []
    for part in Self.parts(of: record) where part.range.lowerBound >= done {
      guard ContinuousClock.now < end, runs < Self.limit else { break }
      guard let texts = texts(of: part, record, origin, lines.count, until: end, &chance, &runs),
        let mark = Mark(lines, texts, isWhole: part.span != nil)
      else { continue }
      done = part.range.upperBound
      if !marks.contains(mark) { marks.append(mark) }
    }
    if marks.isEmpty { return [] }
    var lines = lines
    // From right to left, so that an inserted comment doesn't move the places of other comments.
    for mark in marks.sorted(by: { ($0.line, $0.place) > ($1.line, $1.place) }) {
      lines[mark.line].insert(contentsOf: " /* any */", at: mark.place)
    }
    return lines
  }

  /// A part of a case: the choices of an argument, or a single choice.
  private struct Part {
    /// The number of the argument's span, or `nil` for a single choice.
    let span: Int?
    let range: Range<Int>
  }

  /// Returns the parts of a case, where an argument precedes the arguments and choices inside it.
  private static func parts(of record: Record) -> [Part] {
    let shape = Shape(record)
    let arguments = record.spans.enumerated().compactMap { number, span -> Part? in
      guard span.label == .parameter, !span.isDiscarded, let first = span.range.first else { return nil }
      // An empty collection is a single bit, which can't be changed alone.
      return span.range.count > 1 || shape.isBit[first] ? Part(span: number, range: span.range) : nil
    }
    let choices = record.choices.indices.compactMap { place -> Part? in
      let choice = record.choices[place]
      return choice.isForced || choice.bound == 0 || shape.isBit[place]
        ? nil : Part(span: nil, range: place..<place + 1)
    }
    return (arguments + choices).sorted {
      ($0.range.lowerBound, -$0.range.count) < ($1.range.lowerBound, -$1.range.count)
    }
  }

  /// Returns the inputs with other values of a part, or `nil` if the case doesn't fail with one of them.
  private func texts(
    of part: Part, _ record: Record, _ origin: String?, _ count: Int, until end: ContinuousClock.Instant,
    _ chance: inout SplitMix64, _ runs: inout Int
  ) -> [[String]]? {
    let indices = record.indices
    let (before, after) = (indices[..<part.range.lowerBound], indices[part.range.upperBound...])
    var texts: Set<[String]> = []
    for number in 0..<UInt64(Self.values) {
      guard ContinuousClock.now < end else { return nil }
      var inner: [UInt64]
      if let span = part.span {
        // A first run draws another argument, because its number of choices can differ.
        let plan = Plan(.random(chance.split()), prefix: Array(before), limit: indices.count + 64, averageCount: 3)
        _ = runner.run(plan)
        let drawn = runner.record
        guard span < drawn.spans.count, drawn.spans[span].range.lowerBound == part.range.lowerBound else { continue }
        inner = Array(drawn.indices[drawn.spans[span].range])
      } else {
        let choice = record.choices[part.range.lowerBound]
        if choice.bound < UInt64(Self.values) {
          guard number <= choice.bound else { break }
          inner = [number]
        } else {
          inner = [number < 3 ? number : number == 3 ? choice.bound : chance.next(through: choice.bound)]
        }
      }
      guard inner != Array(indices[part.range]) else { continue }
      var plan = Plan(.zeros, prefix: Array(before) + inner + Array(after), limit: settings.maxChoices)
      plan.isDescribed = true
      runs += 1
      guard runner.run(plan).origin == origin else { return nil }
      let text = runner.story.transcript
      guard text.count == count else { return nil }
      texts.insert(text)
    }
    return texts.isEmpty ? nil : Array(texts)
  }
}
