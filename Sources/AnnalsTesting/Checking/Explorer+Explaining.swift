import Foundation

extension Explorer {
  /// The number of other values with which a part must fail before it counts as arbitrary.
  private static let values = 12

  /// Returns the lines of a smallest input, with a comment after every part that can have any value, or an empty array
  /// if no part can.
  ///
  /// Every part is changed alone, to at most twelve other values. It is arbitrary if the case fails with all of them
  /// for the same cause. A comment follows the text that the changes affect.
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
    let end = min(end, .now + .seconds(2))
    var chance = SplitMix64(seed: 0xE7)
    var parts: [(line: Int, range: Range<String.Index>)] = []
    var done = 0
    for part in Self.parts(of: record).prefix(60) where part.range.lowerBound >= done && ContinuousClock.now < end {
      guard let texts = texts(of: part, record, origin, lines.count, until: end, &chance),
        let found = ChangedText(lines, texts)
      else { continue }
      done = part.range.upperBound
      parts.append((found.line, found.range))
    }
    guard !parts.isEmpty else { return [] }
    var lines = lines
    for part in parts.reversed() {
      lines[part.line].insert(contentsOf: " /* any */", at: part.range.upperBound)
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
    _ chance: inout SplitMix64
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
      guard runner.run(plan).origin == origin else { return nil }
      let text = runner.story.transcript
      guard text.count == count else { return nil }
      texts.insert(text)
    }
    return texts.isEmpty ? nil : Array(texts)
  }
}

/// The part of an input that differs in other inputs.
private struct ChangedText {
  let line: Int
  let range: Range<String.Index>

  /// Finds the part, or fails if the inputs differ in several lines.
  init?(_ lines: [String], _ others: [[String]]) {
    let changed = lines.indices.filter { line in others.contains { $0[line] != lines[line] } }
    guard changed.count == 1 else { return nil }
    line = changed[0]
    let text = lines[line]
    var (start, end) = (text.endIndex, text.startIndex)
    for other in others.map({ $0[changed[0]] }) where other != text {
      let prefix = text.commonPrefix(with: other, options: .literal)
      start = min(start, text.index(text.startIndex, offsetBy: prefix.count, limitedBy: text.endIndex) ?? text.endIndex)
      let common = Swift.zip(text.reversed(), other.reversed()).prefix { $0 == $1 }.count
      end = max(end, text.index(text.endIndex, offsetBy: -min(common, text.count)))
    }
    end = max(start, end)
    // The whole literal: the other digits of a number, and the quotes of a string.
    func isWord(_ character: Character) -> Bool {
      character.isLetter || character.isNumber || "_.-\"".contains(character)
    }
    while start > text.startIndex, isWord(text[text.index(before: start)]) { start = text.index(before: start) }
    while end < text.endIndex, isWord(text[end]) { end = text.index(after: end) }
    range = start..<end
  }
}
