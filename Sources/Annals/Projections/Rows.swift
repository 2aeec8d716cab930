/// A projection's rows by their ids, and the titles and numbers that it gave to sections.
///
/// Ids are told apart by their bytes, so that two strings that are only canonically equal are two ids.
public struct Rows<Row: Annals.Row>: Sendable {
  /// A row as it was set: the same object is the same row, wherever it is held.
  final class Box: Sendable {
    let row: Row

    init(_ row: Row) { self.row = row }
  }

  private var rows: [OrderKey: Box] = [:]
  /// The ids that were set since this was made empty, while somebody wants to know; nil otherwise.
  var touched: [OrderKey]?
  private var titles: [SectionReference: String] = [:]
  private var numbers: [SectionReference: Double] = [:]

  /// Creates no rows.
  public init() {}

  /// The number of rows.
  public var count: Int { rows.count }

  /// True if there is no row.
  public var isEmpty: Bool { rows.isEmpty }

  /// The row of an id; setting nil deletes it.
  ///
  /// A row that is set must have the id that it is set at.
  ///
  /// - Parameter id: The row's id.
  public subscript(id: Row.ID) -> Row? {
    get { rows[OrderKey(id)]?.row }
    set {
      let key = OrderKey(id)
      if let newValue {
        precondition(OrderKey(newValue.id) == key, "a row keeps its id: a row with id \(newValue.id) was set at \(id)")
      }
      rows[key] = newValue.map { Box($0) }
      touched?.append(key)
    }
  }

  /// Inserts a row, or replaces the row that has its id.
  ///
  /// - Parameter row: The row.
  public mutating func insert(_ row: Row) {
    let key = OrderKey(row.id)
    rows[key] = Box(row)
    touched?.append(key)
  }

  /// Changes a row in place; does nothing if there is none.
  ///
  /// - Parameters:
  ///   - id: The row's id.
  ///   - change: Changes the row, but not its id.
  public mutating func update(_ id: Row.ID, _ change: (inout Row) throws -> Void) rethrows {
    guard var row = self[id] else { return }
    try change(&row)
    self[id] = row
  }

  /// Gives a section a title, which holds also before the section has rows and after it emptied.
  ///
  /// - Parameters:
  ///   - key: The section's key.
  ///   - path: The property by which the rows are cut into sections.
  ///   - title: The title.
  public mutating func renameSection<K: OrderedValue>(_ key: K, of path: KeyPath<Row, K>, to title: String) {
    titles[SectionReference(cut: .property(path), key: key.sectionKey)] = title
  }

  /// Gives a section of a named cut a title.
  ///
  /// - Parameters:
  ///   - key: The section's key.
  ///   - name: The name of the cut, as in ``Sectioning/by(_:order:_:)``.
  ///   - title: The title.
  public mutating func renameSection(_ key: SectionKey, of name: String, to title: String) {
    titles[SectionReference(cut: .named(name), key: key)] = title
  }

  /// Gives a section a number, by which sections can be ordered.
  ///
  /// - Parameters:
  ///   - key: The section's key.
  ///   - path: The property by which the rows are cut into sections.
  ///   - number: The number; sections without one come last.
  public mutating func numberSection<K: OrderedValue>(_ key: K, of path: KeyPath<Row, K>, _ number: Double) {
    numbers[SectionReference(cut: .property(path), key: key.sectionKey)] = number
  }

  /// All rows in the order of their ids, so that whoever goes through them does the same each time.
  ///
  /// - Complexity: O(n log n) for n rows.
  public var all: [Row] { rows.sorted { $0.key < $1.key }.map(\.value.row) }

  subscript(key: OrderKey) -> Row? { rows[key]?.row }

  func box(_ key: OrderKey) -> Box? { rows[key] }

  var boxes: [OrderKey: Box] { rows }

  func title(of key: SectionKey, cut: SectionCut) -> String {
    titles[SectionReference(cut: cut, key: key)] ?? key.description
  }

  func number(of key: SectionKey, cut: SectionCut) -> Double? {
    numbers[SectionReference(cut: cut, key: key)]
  }
}

/// What rows are cut into sections by: one projection may be cut in two ways.
///
/// `@unchecked Sendable`: a key path is immutable, and what a written-out one captures is Sendable.
enum SectionCut: Hashable, @unchecked Sendable {
  case property(AnyKeyPath)
  case named(String)
  case whole
}

private struct SectionReference: Hashable {
  let cut: SectionCut
  let key: SectionKey
}

extension SectionReference: Sendable {}
