/// The title and the number that a projection assigned to a section.
package final class SectionSettings: Sendable {
  package struct Values: Sendable {
    package var title: String?
    package var number: Double?

    package init(title: String? = nil, number: Double? = nil) {
      self.title = title
      self.number = number
    }
  }

  package let key: OrderKey
  let hash: UInt64
  package let values: Values

  package init(_ key: OrderKey, _ values: Values) {
    self.key = key
    hash = key.fingerprint
    self.values = values
  }
}

/// Section settings by the sections' keys, in no particular order.
package enum BySectionSettings: TreeOrder {
  package static func head(_ element: SectionSettings) -> UInt64 { element.hash }

  package static func compareTails(_ left: SectionSettings, _ right: SectionSettings) -> Int {
    left.key == right.key ? 0 : left.key < right.key ? -1 : 1
  }
}

extension SortedTree<BySectionSettings> {
  /// Returns the settings of a section.
  func settings(of key: OrderKey) -> SectionSettings.Values {
    if isEmpty { return SectionSettings.Values() }
    let found = element(head: key.fingerprint) { $0.key == key ? 0 : $0.key < key ? -1 : 1 }
    return found?.values ?? SectionSettings.Values()
  }

  /// Changes the settings of a section.
  mutating func change(_ name: SectionKey, _ body: (inout SectionSettings.Values) -> Void) {
    let key = name.orderKey
    var values = settings(of: key)
    body(&values)
    insert(SectionSettings(key, values))
  }
}
