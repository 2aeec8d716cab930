import Annals
import AnnalsLog

/// The rows and titles of every collection must be equal.
///
/// What was there before the log was rewritten is remembered by digests, so that the rows are in memory once.
struct RecordProof: CompactionProof {
  private struct Fold: CompactionFold {
    /// The digests at each position.
    var states: [(position: Position, digests: RecordDigests)] = []
    /// The records at the last position; none in what is only remembered.
    var records = RecordTexts()

    func remembered() -> any CompactionFold { Fold(states: states) }

    func difference(from before: any CompactionFold) -> CompactionDifference? {
      guard let before = before as? Fold, before.states.count == states.count else {
        preconditionFailure("what is compared was folded by one proof")
      }
      for (old, new) in zip(before.states, states) {
        if let (name, row, was, isNow) = difference(old.digests, new.digests) {
          return .init(name: name, position: old.position, row: row, before: was, after: isNow)
        }
      }
      return nil
    }

    private func difference(
      _ old: RecordDigests, _ new: RecordDigests
    ) -> (name: String, row: String?, before: String?, after: String?)? {
      if old.names.map(ExactString.init) != new.names.map(ExactString.init) {
        return ("the records", nil, "of the collections \(old.names)", "of \(new.names)")
      }
      for name in old.names.map(ExactString.init) where old.titles[name] != new.titles[name] {
        let (was, isNow) = (old.titles[name] ?? [:], new.titles[name] ?? [:])
        let key = Set(was.keys).union(isNow.keys).filter { was[$0] != isNow[$0] }.min { $0.json < $1.json }
        func text(_ titles: [SectionKey: ExactString]) -> String {
          "a section with the title \(key.flatMap { titles[$0] }.map { JSONValue.quoted($0.text) } ?? "nil")"
        }
        return ("the collection \(JSONValue.quoted(name.text))", nil, text(was), text(isNow))
      }
      let (gone, come) = old.differing(from: new)
      if gone.isEmpty && come.isEmpty { return nil }
      let (isGone, hasCome) = (Set(gone.map(\.id)), Set(come.map(\.row)))
      guard let row = records.firstRow(where: { hasCome.contains($0.row) }) else {
        // What is remembered of a row that is gone is not its id.
        func rows(_ count: Int) -> String { count == 1 ? "one row" : "\(count) rows" }
        return (
          "the records", nil, "\(rows(gone.count)) that \(gone.count == 1 ? "is" : "are") not there after it",
          come.isEmpty ? "none instead" : "\(rows(come.count)) instead"
        )
      }
      let key = RecordDigests.digest(of: row.text, ExactString(row.id), in: ExactString(row.collection))
      return (
        "the collection \(JSONValue.quoted(row.collection))", row.id,
        isGone.contains(key.id) ? "a row with other fields" : nil, "the row \(row.text)"
      )
    }
  }

  var name: String { "the records" }

  func reader() -> (StoredEvent) -> Bool { { event in RecordEvent.query.matches(event) } }

  func fold(
    _ log: any CompactionTransaction, _ plan: CompactionPlan, at positions: [Position]
  ) throws -> any CompactionFold {
    var (fold, last) = (Fold(), 0 as Position)
    for position in positions {
      try log.forEachEvent(RecordEvent.query, after: last, through: position) { event in
        do {
          try fold.records.apply(type: event.type, payload: event.payload)
        } catch {
          throw ReplayError.invalidRecord(at: event.position, error)
        }
      }
      last = position
      fold.states.append((position, fold.records.digests()))
    }
    return fold
  }
}
