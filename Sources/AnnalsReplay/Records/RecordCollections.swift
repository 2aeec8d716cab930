import Annals
import AnnalsLog

/// The rows of every collection of a log, folded event by event.
struct RecordCollections {
  private(set) var rows: [ExactString: Rows<Record>] = [:]

  /// The names of the collections, in order.
  var names: [String] { rows.keys.sorted().map(\.text) }

  /// Folds an event.
  ///
  /// Returns the name of its collection, or nil if the event is not of the record domain.
  @discardableResult
  mutating func apply(type: String, payload: String?) throws -> String? {
    guard let (collection, event) = try RecordEvent.read(type: type, payload: payload) else { return nil }
    let name = ExactString(collection)
    let isNew = rows[name] == nil
    do {
      // In place: if a second variable held the rows, every event would copy all of them.
      try event.apply(to: &rows[name, default: Rows()], in: collection)
    } catch {
      if isNew { rows[name] = nil }
      throw error
    }
    return collection
  }
}
