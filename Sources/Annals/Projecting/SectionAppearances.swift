/// When the sections of a request first had a row, as far as events have been folded.
struct SectionAppearances<Row: Annals.Row> {
  /// Tells the section of a row that is shown; nil while appearances are not asked for.
  var key: (@Sendable (Row) -> SectionKey?)?
  /// The position of the event that first made a section non-empty, up to `seen`.
  var positions: [SectionKey: Position] = [:]
  /// Up to here events are noted; it may be further than the live end.
  var seen: Position = 0

  /// Forgets what was noted, and goes on to be asked for.
  mutating func forget() { (positions, seen) = ([:], 0) }

  /// Forgets what was noted after a position.
  mutating func goBack(to position: Position) { (positions, seen) = (through(position), min(seen, position)) }

  /// Notes what an event did, unless that is known.
  mutating func note(_ position: Position, _ rows: borrowing Rows<Row>) {
    guard let key, position > seen, let touched = rows.entries.touched else { return }
    for id in touched {
      guard let row = rows[key: id], let section = key(row), positions[section] == nil else { continue }
      positions[section] = position
    }
    seen = position
  }

  /// When sections first appeared, as it is known at a position: those that come later have not appeared there.
  func through(_ position: Position) -> [SectionKey: Position] { positions.filter { $0.value <= position } }
}
