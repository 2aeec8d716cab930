import Annals

/// A section as plain code makes it.
struct PlainSection<Row: Annals.Row>: Equatable {
  let key: SectionKey
  let title: String
  let rows: [Row]

  /// Cuts sorted rows into sections.
  ///
  /// - Parameters:
  ///   - rows: The rows in their order.
  ///   - key: The section's key.
  ///   - keys: The keys in the order of their sections, with those of empty sections that are shown; nil for the order
  ///     in which they come.
  ///   - title: The section's title; by default it is the key.
  /// - Returns: The sections.
  static func cut(
    _ rows: [Row], by key: (Row) -> SectionKey, in keys: [SectionKey]? = nil,
    title: (SectionKey) -> String? = { _ in nil }
  ) -> [PlainSection] {
    var order = keys ?? []
    var members: [SectionKey: [Row]] = [:]
    for row in rows {
      let name = key(row)
      if members[name] == nil, keys?.contains(name) != true { order.append(name) }
      members[name, default: []].append(row)
    }
    return order.map { PlainSection(key: $0, title: title($0) ?? "\($0)", rows: members[$0] ?? []) }
  }

  /// Shows some rows of all sections; sections without rows go.
  static func window(_ sections: [PlainSection], offset: Int, limit: Int) -> [PlainSection] {
    var (before, left) = (offset, limit)
    return sections.compactMap { section in
      let rows = section.rows.dropFirst(before).prefix(left)
      before = max(0, before - section.rows.count)
      left -= rows.count
      return rows.isEmpty ? nil : PlainSection(key: section.key, title: section.title, rows: Array(rows))
    }
  }

  /// The sections of a list.
  static func sections(of results: Results<Row>) -> [PlainSection] {
    results.sections.map { PlainSection(key: $0.key, title: $0.title, rows: Array($0)) }
  }
}

extension Array {
  /// Sorts by several comparisons, the first one first: each says whether left, right or none comes first.
  func sorted(by comparisons: ((Element, Element) -> Int)...) -> [Element] {
    sorted { left, right in
      for comparison in comparisons {
        let order = comparison(left, right)
        if order != 0 { return order < 0 }
      }
      return false
    }
  }
}

/// Compares two values, nil first.
func ascending<Element, Value: Comparable>(_ value: @escaping (Element) -> Value?) -> (Element, Element) -> Int {
  { left, right in
    switch (value(left), value(right)) {
    case (nil, nil): 0
    case (nil, _): -1
    case (_, nil): 1
    case (let left?, let right?): left < right ? -1 : left > right ? 1 : 0
    }
  }
}

/// Compares two values, nil last.
func descending<Element, Value: Comparable>(_ value: @escaping (Element) -> Value?) -> (Element, Element) -> Int {
  let order = ascending(value)
  return { order($1, $0) }
}
