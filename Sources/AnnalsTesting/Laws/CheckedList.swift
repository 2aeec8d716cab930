public import Annals

/// A list of rows that `checkAllLaws` checks: a projection of the decider's events, and the request of the list.
public struct CheckedList<Event: Annals.Event> {
  let projection: Any.Type
  /// Verifies the projection's laws for a history.
  let ensureAllLaws: ([Event], _ fileID: String, _ line: UInt) throws -> Void
  /// Returns the rows after a history as code.
  let text: ([Event]) throws -> String
  /// Creates a reader of the projection's rows.
  let reader: () -> any UndoList

  /// Creates a list.
  ///
  /// - Parameters:
  ///   - projection: The projection that builds the rows.
  ///   - request: The filter, sort order and sections of the list. By default, the list contains all rows, sorted by
  ///     ID.
  public init<P: Projection>(_ projection: P, in request: ListRequest<P.Row> = ListRequest()) where P.Event == Event {
    self.projection = P.self
    ensureAllLaws = { try projection.ensureAllLaws($0, in: request, fileID: $1, line: $2) }
    text = { try projection.text(after: $0, in: request) }
    reader = { RowsReader(projection) }
  }
}

extension Projection {
  /// Returns the list after a history as code.
  func text(after history: [Event], in request: ListRequest<Row>) throws -> String {
    let recorded = try LawHistory(history).recorded
    return text(Results(request, of: try allRows(recorded)[recorded.count], at: 0))
  }
}
