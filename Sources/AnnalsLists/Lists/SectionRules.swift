package import AnnalsLog

/// The rules of a sectioning, independent of the row type.
package final class SectionRules: Sendable {
  package let criterion: SectionCriterion
  /// The order, which is never ``SectionOrder/automatic`` in the rules of a list.
  package let order: SectionOrder
  /// The sections that exist even without rows.
  package let pinned: [SectionID]
  /// The version of the algorithms and data that determine how values are ordered, such as a collation's version.
  package let orderVersion: String
  /// The indices of the keys that the order lists (``SectionOrder/inOrder(of:)``), or an empty dictionary.
  private let listed: [SectionKey: Int]

  init(criterion: SectionCriterion, order: SectionOrder, pinned: [SectionID], orderVersion: String = "") {
    self.criterion = criterion
    self.order = order
    self.pinned = pinned
    self.orderVersion = [orderVersion, order.collation?.orderVersion ?? ""].filter { !$0.isEmpty }
      .joined(separator: ", ")
    if case .keys(let keys) = order.criterion {
      // The indices start with 1, because an inverted 0 would equal the value that is written for keys that aren't
      // listed.
      listed = Dictionary(zip(keys, 1...)) { first, _ in first }
    } else {
      listed = [:]
    }
  }

  /// The rules of a list without sectioning, with one permanent section.
  static let whole = SectionRules(criterion: .whole, order: .byKey, pinned: [.whole])

  /// True if sections are ordered by their first rows.
  package var isByRows: Bool { order.criterion == .rows }
  /// True if the order follows the events that first added rows to the sections.
  package var isByAppearance: Bool { order.criterion == .firstAppearance }

  /// Returns the same rules with the order that a request's sort implies.
  ///
  /// - Parameter first: The property and direction of the first sort key, or `nil` without one.
  /// - Returns: The rules. Their order doesn't depend on the sort, unless sections are ordered by their rows.
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

  /// The values that determine a section's place.
  package struct Place {
    let title: String
    /// The bytes of the section's number, or the largest value for a section without a number.
    let number: UInt64
    let appearance: Position?
    /// The section's first row, if it has one.
    let first: RowEntry?

    package init(title: String, number: UInt64, appearance: Position?, first: RowEntry?) {
      self.title = title
      self.number = number
      self.appearance = appearance
      self.first = first
    }
  }

  /// Returns a section's place.
  ///
  /// If sections are ordered by their rows, and the rows can't be compared only as bytes, the caller must compare the
  /// sections' first rows, too.
  package func order(of id: SectionID, _ place: Place) -> RowOrder {
    let isDescending = order.isDescending
    var writer = KeyWriter()
    switch order.criterion {
    case .automatic, .key(nil): break
    case .key(let collation?):
      if case .string(let text) = id.name {
        writer.write(byte: isDescending ? 0 : 1)
        writer.write(descending: isDescending) { collation.write(text, to: &$0) }
      } else {
        // A value that isn't a string, such as `nil`, precedes all strings, or follows them in descending order.
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
        // While a row moves to another section, it can be the first row of both sections.
        writer.write(id.key)
      }
      return RowOrder(writer)
    }
    writer.write(id.order, descending: isDescending)
    return RowOrder(writer)
  }

  private static func bytes(of appearance: Position?) -> UInt64 {
    guard let appearance else { return .max }
    return UInt64(bitPattern: Int64(appearance.rawValue)) ^ 1 << 63
  }
}

extension SectionSettings.Values {
  /// The bytes of the number, or the largest value for a section without a number.
  var numberBytes: UInt64 {
    guard let number, !number.isNaN else { return .max }
    return OrderKey(number).head
  }
}

extension KeyWriter {
  /// Writes eight bytes in ascending or descending order, with the largest value always last.
  fileprivate mutating func write(last word: UInt64, descending: Bool) {
    write(word: descending && word != .max ? ~word : word)
  }

  /// Writes bytes unchanged, or inverted for a descending order.
  fileprivate mutating func write(_ key: OrderKey, descending: Bool) {
    if !descending { return write(key) }
    write(bytes: key.bytes.lazy.map { ~$0 })
  }
}
