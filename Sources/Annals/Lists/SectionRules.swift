/// What a cut into sections says of sections, whatever the rows are.
final class SectionRules: Sendable {
  let criterion: SectionCriterion
  /// Not ``SectionOrder/automatic`` in the rules of a list.
  let order: SectionOrder
  /// The sections that stay when they are empty.
  let pinned: [SectionID]
  /// What the order of values depends on beside the values.
  let orderVersion: String
  /// The places of the keys that the order lists.
  private let listed: [SectionKey: Int]

  init(criterion: SectionCriterion, order: SectionOrder, pinned: [SectionID], orderVersion: String = "") {
    (self.criterion, self.order, self.pinned) = (criterion, order, pinned)
    self.orderVersion = [orderVersion, order.collation?.sectionVersion ?? ""].filter { !$0.isEmpty }
      .joined(separator: ", ")
    if case .keys(let keys) = order.criterion {
      // From 1 on: where the order descends, 0 would be the word of a key that is not listed.
      listed = Dictionary(zip(keys, 1...)) { first, _ in first }
    } else {
      listed = [:]
    }
  }

  /// Those of a list that is not cut: one section, always.
  static let whole = SectionRules(criterion: .whole, order: .byKey, pinned: [.whole])

  /// True if a section stands where its first row stands.
  var isByRows: Bool { order.criterion == .rows }
  /// True if a section stands by the event that made it non-empty.
  var isByAppearance: Bool { order.criterion == .firstAppearance }

  /// The same rules with the order that a request's sort gives them.
  ///
  /// - Parameter first: What the first sort key reads, and how; nil if there is none.
  /// - Returns: Rules whose order does not depend on the sort, or does so by rows.
  func ordered(by first: SortKeyOrigin?) -> SectionRules {
    guard order.criterion == .automatic || order.criterion == .rows else { return self }
    var resolved = order.criterion == .rows ? order : SectionOrder.byKey(descending: order.isDescending)
    if let first, first.criterion == criterion {
      resolved =
        switch first.direction {
        case .ascending: .byKey(descending: order.isDescending, in: first.collation)
        case .descending: .byKey(descending: !order.isDescending, in: first.collation)
        case .custom: .byRows.descending(order.isDescending)
        }
    }
    return SectionRules(criterion: criterion, order: resolved, pinned: pinned, orderVersion: orderVersion)
  }

  /// What tells where a section stands.
  struct Place {
    let title: String
    /// The bytes of the section's number, the largest for none.
    let number: UInt64
    let appearance: Position?
    /// The section's first row, if it has one.
    let first: RowEntry?
  }

  /// Where a section stands, as bytes; sections by rows whose keys are not bytes alone also need their first row.
  func order(of id: SectionID, _ place: Place) -> OrderKey {
    let isDescending = order.isDescending
    var writer = KeyWriter()
    switch order.criterion {
    case .automatic, .key(nil): break
    case .key(let collation?):
      if case .string(let text) = id.name {
        writer.write(byte: isDescending ? 0 : 1)
        writer.write(descending: isDescending) { collation.write(text, to: &$0) }
      } else {
        // What is no text, such as nil, stands before all texts, or after them.
        writer.write(byte: isDescending ? 1 : 0)
      }
    case .title(nil): writer.write(place.title, descending: isDescending)
    case .title(let collation?):
      writer.write(descending: isDescending) { collation.write(place.title, to: &$0) }
    case .number: writer.write(last: place.number, descending: isDescending)
    case .firstAppearance:
      writer.write(last: Self.bytes(of: place.appearance), descending: isDescending)
    case .keys: writer.write(last: listed[id.name].map { UInt64($0) } ?? .max, descending: isDescending)
    case .rows:
      guard let first = place.first else {
        writer.write(byte: 1)
        break
      }
      writer.write(byte: 0)
      writer.write(first.key, descending: isDescending)
      if !first.hasRest {
        writer.write(first.id, descending: isDescending)
        // While a row goes from one section to another, both may begin with it.
        writer.write(id.key)
      }
      return OrderKey(writer)
    }
    writer.write(id.order, descending: isDescending)
    return OrderKey(writer)
  }

  private static func bytes(of appearance: Position?) -> UInt64 {
    guard let appearance else { return .max }
    return UInt64(bitPattern: Int64(appearance.rawValue)) ^ 1 << 63
  }
}

extension SectionSettings.Values {
  /// The bytes of the number, the largest for none.
  var numberBytes: UInt64 {
    guard let number, !number.isNaN else { return .max }
    return OrderKey(number).head
  }
}

extension KeyWriter {
  /// Writes eight bytes in their order or in the reverse of it; the largest ones are last in both.
  fileprivate mutating func write(last word: UInt64, descending: Bool) {
    write(word: descending && word != .max ? ~word : word)
  }

  /// Writes bytes as they are, or so that their order is reversed.
  fileprivate mutating func write(_ key: OrderKey, descending: Bool) {
    if !descending { return write(key) }
    write(bytes: key.bytes.lazy.map { ~$0 })
  }
}
