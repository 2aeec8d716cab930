extension RowOrder {
  /// Creates the sort position of a row.
  init<Row>(_ row: Row, by sort: [SortKey<Row>], _ writer: inout KeyWriter) {
    var parts: [Part] = []
    writer.clear()
    for key in sort {
      switch key.kind {
      case .bytes(let write): write(row, &writer)
      case .custom(let comparator, let read):
        parts.append(.bytes(OrderKey(writer)))
        parts.append(.custom(comparator, read(row)))
        writer.clear()
      }
    }
    guard case .bytes(let first) = parts.first else {
      head = OrderKey(writer)
      rest = []
      return
    }
    head = first
    rest = parts.dropFirst() + [.bytes(OrderKey(writer))]
  }
}
