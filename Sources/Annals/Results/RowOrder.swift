/// A row's place in the order of its section: its sort keys' values, and its id at last.
struct RowOrder: Sendable {
  /// An order of a user's own; two keys are comparable only by the same one.
  final class Comparator: Sendable {
    let compare: @Sendable (any Sendable, any Sendable) -> Int

    init(_ compare: @escaping @Sendable (any Sendable, any Sendable) -> Int) {
      self.compare = compare
    }
  }

  private enum Part: Sendable {
    case bytes(OrderKey)
    case custom(Comparator, any Sendable)
  }

  /// All values up to the first custom one, or all.
  private let head: OrderKey
  private let rest: [Part]

  init<Row>(_ row: Row, by sort: [SortKey<Row>]) {
    var parts: [Part] = []
    var writer = KeyWriter()
    for key in sort {
      switch key.kind {
      case .bytes(let write): write(row, &writer)
      case .custom(let comparator, let read):
        parts.append(.bytes(OrderKey(writer)))
        parts.append(.custom(comparator, read(row)))
        writer = KeyWriter()
      }
    }
    row.id.encode(into: &writer)
    guard case .bytes(let first) = parts.first else {
      (head, rest) = (OrderKey(writer), [])
      return
    }
    (head, rest) = (first, parts.dropFirst() + [.bytes(OrderKey(writer))])
  }

  static func < (left: RowOrder, right: RowOrder) -> Bool {
    if left.rest.isEmpty { return left.head < right.head }
    return left.compared(to: right) < 0
  }

  /// Tells whether two rows have the same keys by the same order; false where the orders cannot be compared.
  static func == (left: RowOrder, right: RowOrder) -> Bool {
    guard left.rest.count == right.rest.count, left.head == right.head else { return false }
    return zip(left.rest, right.rest).allSatisfy { pair in
      switch pair {
      case (.bytes(let one), .bytes(let other)): one == other
      case (.custom(let one, let value), .custom(let other, let otherValue)):
        one === other && one.compare(value, otherValue) == 0
      default: false
      }
    }
  }

  private func compared(to other: RowOrder) -> Int {
    if head != other.head { return head < other.head ? -1 : 1 }
    for case (let one, let another) in zip(rest, other.rest) {
      switch (one, another) {
      case (.bytes(let one), .bytes(let another)) where one != another: return one < another ? -1 : 1
      case (.custom(let comparator, let value), .custom(_, let otherValue)):
        let result = comparator.compare(value, otherValue)
        if result != 0 { return result }
      default: continue
      }
    }
    return 0
  }
}
