import Annals

/// The parts of a list that a caller needs.
package enum ListNeed: Sendable {
  /// The rows at any positions, and the changes between them.
  case changes
  /// The rows at one position.
  case rows
  /// The places of the rows, which may have just the fields that the options name.
  case places
}

/// What the options of a list ask for, beside what the app asks for.
package struct ListOptions: Sendable {
  /// The name of the list, or of the collection in a log of records; nil for the only one.
  package var list: String?
  /// The names of the tool's lists, for the error of an unknown name.
  var knownLists: [String] = []
  /// Which rows are shown: those that meet all conditions.
  package var conditions: [RowCondition] = []
  /// The order of the rows; empty for the app's own.
  package var sort: [(field: FieldPath, descends: Bool)] = []
  /// The field that cuts the rows into sections; nil for the app's own cut.
  package var section: FieldPath?
  /// The largest number of rows to show.
  package var limit: Int?
  /// The parts of the list that the caller needs.
  package var need = ListNeed.changes

  /// The way in which the caller uses an index.
  package var index = IndexUse.none

  /// The position to which the caller goes before it prints anything; nil if it may print at once.
  var silentThrough: Position?

  /// What is supposed that the log does not say; nil to show the log as it is.
  package var supposition: Supposition?

  /// Notes the fields that rows have, where some are read by others too; nil for one of the list's own.
  var use: FieldUse?

  package init() {}

  /// The fields that order the rows.
  var orderFields: [FieldPath] { sort.map(\.field) + (section.map { [$0] } ?? []) }

  /// The fields that the options name.
  var fields: [FieldPath] { conditions.flatMap(\.fields) + orderFields }

  /// What notes the use of the fields.
  var newUse: FieldUse { FieldUse(conditions, order: orderFields) }

  /// The request that follows from the app's own.
  ///
  /// - Parameters:
  ///   - request: What the app asks for.
  ///   - reading: Reads rows as records.
  ///   - use: Notes the fields that were found.
  /// - Returns: The request.
  func request<Row>(
    _ request: ListRequest<Row>, _ reading: RowReading<Row>, noting use: FieldUse
  ) -> ListRequest<Row> {
    var request = request
    if !conditions.isEmpty {
      let (conditions, own, record) = (conditions, request.filter?.includes, reading.record)
      request.filter = .where { row in
        if let own, !own(row) { return false }
        let record = record(row)
        use.note(record)
        return conditions.allSatisfy { $0.includes(record) }
      }
    }
    if !sort.isEmpty {
      request.sort = sort.map { field, descends in
        let read = reading.reader(of: field, noting: use)
        return descends ? .descending(read) : .ascending(read)
      }
    }
    if let section, request.section?.field != section.text {
      request.section = .by(field: section.text, reading.reader(of: section, noting: use))
    }
    if let limit { request.limit = limit }
    return request
  }
}
