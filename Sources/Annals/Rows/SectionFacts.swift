/// What a projection said of a section: its title and its number.
final class SectionFacts: Sendable {
  struct Values: Sendable {
    var title: String?
    var number: Double?
  }

  let key: OrderKey
  let hash: UInt64
  let values: Values

  init(_ key: OrderKey, _ values: Values) {
    (self.key, hash, self.values) = (key, key.fingerprint, values)
  }
}

/// What a projection said of sections, by their keys, in no particular order.
enum BySectionFacts: TreeOrder {
  static func head(_ element: SectionFacts) -> UInt64 { element.hash }

  static func compareTails(_ left: SectionFacts, _ right: SectionFacts) -> Int {
    left.key == right.key ? 0 : left.key < right.key ? -1 : 1
  }
}

extension SortedTree<BySectionFacts> {
  /// What was said of a section.
  func facts(of key: OrderKey) -> SectionFacts.Values {
    if isEmpty { return SectionFacts.Values() }
    let found = element(head: key.fingerprint) { $0.key == key ? 0 : $0.key < key ? -1 : 1 }
    return found?.values ?? SectionFacts.Values()
  }

  /// Changes what was said of a section.
  mutating func change(_ name: SectionKey, _ body: (inout SectionFacts.Values) -> Void) {
    let key = name.orderKey
    var values = facts(of: key)
    body(&values)
    insert(SectionFacts(key, values))
  }
}
