extension RowOrder {
  /// Creates the sort position of a row.
  init<Row>(_ row: Row, by sort: [SortKey<Row>], _ writer: inout KeyWriter) {
    var (first, parts): (KeyWriter?, [Part]) = (nil, [])
    writer.clear()
    for key in sort {
      switch key.kind {
      case .bytes(let write): write(row, &writer)
      case .custom(let comparator, let read):
        if first == nil { first = writer } else { parts.append(.bytes(OrderKey(writer))) }
        parts.append(.custom(comparator, read(row)))
        writer.clear()
      }
    }
    self = first.map { RowOrder($0, parts + [.bytes(OrderKey(writer))]) } ?? RowOrder(writer)
  }
}
