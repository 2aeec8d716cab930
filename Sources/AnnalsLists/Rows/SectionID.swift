/// A section's identity, with the place of its key among the keys of the same type.
package final class SectionID: Sendable {
  package let name: SectionKey
  /// The name's kind and value as bytes.
  package let key: OrderKey
  package let hash: UInt64
  /// The place of the key among the keys of the same type.
  ///
  /// Different keys can have equal places. In this case, the bytes of the keys determine the order.
  package let order: OrderKey

  init(_ value: some OrderedValue) {
    let name = value.sectionKey
    let key = name.orderKey
    self.name = name
    self.key = key
    hash = key.fingerprint
    order = OrderKey { writer in
      value.encode(into: &writer)
      writer.write(key)
    }
  }

  /// Creates the id of a section whose order was saved.
  package init(_ name: SectionKey, order: OrderKey) {
    let key = name.orderKey
    self.name = name
    self.key = key
    hash = key.fingerprint
    self.order = order
  }

  private init() {
    name = .null
    key = SectionKey.null.orderKey
    hash = SectionKey.null.orderKey.fingerprint
    order = .empty
  }

  /// The only section of a list without sectioning.
  package static let whole = SectionID()

  package func isSame(_ other: SectionID) -> Bool { self === other || key == other.key }
}
