/// The positions at which a request's sections first had a row, in the folded events.
struct SectionAppearances<Row: Annals.Row> {
  /// Returns the section of a shown row, or is `nil` while appearances aren't needed.
  var key: (@Sendable (Row) -> SectionKey?)?
  /// The position of the event that first added a row to a section, up to `seen`.
  var positions: [SectionKey: Position] = [:]
  /// The position through which events are recorded, which may be after the live end.
  var seen: Position = 0

  /// Discards the recorded positions, and continues recording.
  mutating func forget() { (positions, seen) = ([:], 0) }

  /// Discards positions after the given one.
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
