/// The positions at which a request's sections first had a row, in the folded events.
struct SectionAppearances<Row: Annals.Row> {
  /// A closure that returns the section of a shown row, or `nil` while the positions aren't needed.
  var key: (@Sendable (Row) -> SectionKey?)?
  /// For every section, the position of the event that first added a row to it.
  ///
  /// Only events up to `seen` are considered.
  var positions: [SectionKey: Position] = [:]
  /// The position through which events were recorded.
  ///
  /// It may be greater than the position of the live rows.
  var seen: Position = 0

  /// Discards the recorded positions, and continues recording.
  mutating func forget() { (positions, seen) = ([:], 0) }

  /// Discards the recorded positions after the given position.
  mutating func goBack(to position: Position) { (positions, seen) = (through(position), min(seen, position)) }

  /// Records the effect of an event, unless it is already recorded.
  mutating func note(_ position: Position, _ rows: borrowing Rows<Row>) {
    guard let key, position > seen, let touched = rows.entries.touched else { return }
    for id in touched {
      guard let row = rows[key: id], let section = key(row), positions[section] == nil else { continue }
      positions[section] = position
    }
    seen = position
  }

  /// Returns the appearances up to a position.
  func through(_ position: Position) -> [SectionKey: Position] { positions.filter { $0.value <= position } }
}
