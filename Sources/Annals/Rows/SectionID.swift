/// What tells a section from every other, and where its key stands among keys of its type.
final class SectionID: Sendable {
  let name: SectionKey
  /// The name's kind and value as bytes.
  let key: OrderKey
  let hash: UInt64
  /// The place among keys of its type: values of one order may still be two keys, and then the key itself decides.
  let order: OrderKey

  init(_ value: some OrderedValue) {
    let name = value.sectionKey
    let key = name.orderKey
    (self.name, self.key, hash) = (name, key, key.fingerprint)
    order = OrderKey { writer in
      value.encode(into: &writer)
      writer.write(key)
    }
  }

  /// The id of a section whose order was saved.
  init(_ name: SectionKey, order: OrderKey) {
    let key = name.orderKey
    (self.name, self.key, hash, self.order) = (name, key, key.fingerprint, order)
  }

  private init() {
    (name, key, hash) = (.null, SectionKey.null.orderKey, SectionKey.null.orderKey.fingerprint)
    order = .empty
  }

  /// The one section of a list that is not cut.
  static let whole = SectionID()

  func isSame(_ other: SectionID) -> Bool { self === other || key == other.key }
}
