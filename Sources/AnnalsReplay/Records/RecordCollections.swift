import Annals

/// The rows of every collection of a log, folded event by event.
struct RecordCollections {
  private(set) var rows: [ExactString: Rows<Record>] = [:]

  /// The names of the collections, in order.
  var names: [String] { rows.keys.sorted().map(\.text) }

  /// Folds an event; answers the name of its collection, nil if the event is none of the record domain.
  @discardableResult
  mutating func apply(type: String, payload: String?) throws -> String? {
    guard let (collection, event) = try RecordEvent.read(type: type, payload: payload) else { return nil }
    let name = ExactString(collection)
    // Taken out while it changes, so that it is changed in place.
    let known = rows.removeValue(forKey: name)
    var changed = known ?? Rows()
    do {
      try event.apply(to: &changed, in: collection)
      rows[name] = changed
    } catch {
      if known != nil { rows[name] = changed }
      throw error
    }
    return collection
  }
}
