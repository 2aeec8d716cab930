import Annals

/// A formatter that prints two lists side by side.
enum MirrorPicture {
  private static let width = 44
  /// The number of lines to show around a difference.
  private static let around = 2

  /// Returns the lines of both lists, with a mark at every difference.
  ///
  /// Equal lines far from a difference are omitted.
  static func lines<Row: Annals.Row>(
    expected: [MirrorTable<Row>.Section], shown: [MirrorTable<Row>.Section]
  ) -> [String] {
    let (left, right) = (entries(expected), entries(shown))
    let pairs = aligned(left, right)
    let differs = pairs.map { $0.0?.text != $0.1?.text }
    let visible = pairs.indices.map { line in
      differs[max(0, line - around)...min(pairs.count - 1, line + around)].contains(true)
    }
    var lines = [row("  ", "expected", "shown")]
    for line in pairs.indices {
      if visible[line] {
        lines.append(row(differs[line] ? "≠ " : "  ", pairs[line].0?.text ?? "", pairs[line].1?.text ?? ""))
      } else if line == 0 || visible[line - 1] {
        lines.append(row("  ", "…", "…"))
      }
    }
    return lines
  }

  private struct Entry {
    /// The identity of the line's content: a section's key, or a row's ID.
    let identity: String
    let text: String
  }

  private static func entries<Row: Annals.Row>(_ sections: [MirrorTable<Row>.Section]) -> [Entry] {
    sections.flatMap { section in
      [Entry(identity: "section \(section.key)", text: "[\(swiftSource(of: section.title))]")]
        + section.rows.map { row in Entry(identity: "row \(row.id)", text: "  " + swiftSource(of: row)) }
    }
  }

  /// Pairs lines with the same identity, as far as the orders allow, by a longest common subsequence.
  private static func aligned(_ left: [Entry], _ right: [Entry]) -> [(Entry?, Entry?)] {
    var pairs: [(Entry?, Entry?)] = []
    let difference = right.map(\.identity).difference(from: left.map(\.identity))
    let removed = Set(difference.removals.map { if case .remove(let offset, _, _) = $0 { offset } else { -1 } })
    let inserted = Set(difference.insertions.map { if case .insert(let offset, _, _) = $0 { offset } else { -1 } })
    var (one, other) = (0, 0)
    while one < left.count || other < right.count {
      if one < left.count, removed.contains(one) {
        pairs.append((left[one], nil))
        one += 1
      } else if other < right.count, inserted.contains(other) {
        pairs.append((nil, right[other]))
        other += 1
      } else {
        pairs.append((left[one], right[other]))
        (one, other) = (one + 1, other + 1)
      }
    }
    return pairs
  }

  private static func row(_ mark: String, _ left: String, _ right: String) -> String {
    let cut = left.count > width ? left.prefix(width - 1) + "…" : Substring(left)
    let line = mark + cut + String(repeating: " ", count: max(0, width - cut.count)) + " | "
    return line + (right.count > width ? right.prefix(width - 1) + "…" : Substring(right))
  }
}
