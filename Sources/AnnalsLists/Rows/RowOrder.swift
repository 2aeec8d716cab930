/// A row's place in the order of its section: the values of its sort keys, without the id.
///
/// The same type describes the place of a section in its list.
package struct RowOrder: Sendable {
  /// A custom order.
  ///
  /// Two keys can be compared only if they have the same comparator instance.
  final class Comparator: Sendable {
    let compare: @Sendable (any Sendable, any Sendable) -> Int

    init(_ compare: @escaping @Sendable (any Sendable, any Sendable) -> Int) {
      self.compare = compare
    }
  }

  enum Part: Sendable {
    case bytes(OrderKey)
    case custom(Comparator, any Sendable)
  }

  /// The bytes that are the same in every process, before the first rank of a string or custom order.
  ///
  /// The pages of a saved list are found by these bytes.
  package let head: OrderKey
  let rest: [Part]

  /// Creates a place from bytes that are the same in every process.
  package init(bytes: OrderKey) { (head, rest) = (bytes, []) }

  /// Creates a place from written bytes and optional further parts.
  init(_ writer: KeyWriter, _ more: [Part] = []) {
    let ranks: OrderKey?
    (head, ranks) = writer.parts
    rest = (ranks.map { [.bytes($0)] } ?? []) + more
  }

  /// Returns true if the custom parts of two keys are equal, or false if their orders can't be compared.
  static func isSame(_ left: [Part], _ right: [Part]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).allSatisfy { pair in
      switch pair {
      case (.bytes(let one), .bytes(let other)): one == other
      case (.custom(let one, let value), .custom(let other, let otherValue)):
        one === other && one.compare(value, otherValue) == 0
      default: false
      }
    }
  }

  /// Compares the custom parts of two keys, with a negative result if the left key precedes the right key.
  static func compare(_ left: [Part], _ right: [Part]) -> Int {
    for case (let one, let another) in zip(left, right) {
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
