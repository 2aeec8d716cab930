public import Annals
import AnnalsLog

/// A page of a list with the sections of its rows, as a service sends it to its clients.
///
///     {
///       "next": "7.0.1.2qz0wk4vhcyhp", "offset": 0, "position": 7,
///       "sections": [{"index": 0, "rows": [{"id": "drill", "title": "Drill"}], "title": "East"}],
///       "total": 2
///     }
///
/// `position` is the position of the list, `offset` is the number of rows before the page, and `total` is the number of
/// rows of all pages. `index` is the section's index in the list. If the list has another page, `next` is the cursor
/// with which the client loads it. The cursor contains the position of the first page. So all pages show the same
/// version, and no row is missing or doubled while the list changes. If a section continues on the next page, both
/// pages contain the section's index and title.
///
/// A client in Swift can keep its list as a page: it appends the next pages, and then applies the changes after the
/// page's position.
///
///     var list = try await load(ListPage<Thing>.self, "/things")
///     while let next = list.next { try list.append(await load(ListPage<Thing>.self, "/things?cursor=\(next)")) }
///     for try await changes in changes(after: list.position) { try list.apply(changes) }
public struct ListPage<Row: Annals.Row>: Codable, Equatable, Sendable {
  /// A section with its rows on a page.
  public struct Section: Codable, Equatable, Sendable {
    /// The section's index in the list.
    public internal(set) var index: Int
    /// The section's title.
    public internal(set) var title: String
    /// The section's rows on the page.
    public internal(set) var rows: [Row]
  }

  /// The position of the list.
  public private(set) var position: Position
  /// The number of rows before the page.
  public let offset: Int
  /// The number of rows of all pages.
  public private(set) var total: Int
  /// The sections.
  ///
  /// A section without rows is on a page, too.
  public private(set) var sections: [Section]
  /// The cursor of the next page, or `nil` if the list has no more rows and sections.
  public private(set) var next: Cursor?

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - list: The list. With a cursor, it must be the list at the cursor's position
  ///     (``ListFeed/list(at:)``).
  ///   - cursor: The `next` of the previous page, or `nil` for the first page.
  ///   - limit: The maximum number of rows, which a client can choose.
  ///   - maximum: The highest permitted limit, at least 1.
  /// - Throws: ``ListFeedError``: `.invalidLimit` if the limit is less than 1 or more than the maximum, `.otherList` if
  ///   the cursor belongs to another position, or to a list with other rows or another order.
  /// - Complexity: O(k log n) for k of n rows, plus O(s) for the s sections before the page.
  public init(
    of list: Results<Row>, from cursor: Cursor? = nil, limit: Int, maximum: Int = 1_000
  ) throws(ListFeedError) {
    precondition(maximum >= 1, "`maximum` must be at least 1 (was \(maximum))")
    guard (1...maximum).contains(limit) else {
      throw ListFeedError(.invalidLimit, "expected a limit from 1 to \(maximum), found \(limit)")
    }
    try cursor?.check(list)
    var (place, rest) = ((section: cursor?.section ?? 0, row: cursor?.row ?? 0), limit)
    var sections: [Section] = []
    while place.section < list.count, rest > 0 {
      let section = list[place.section]
      let rows = Array(section.dropFirst(place.row).prefix(rest))
      sections.append(Section(index: place.section, title: section.title, rows: rows))
      rest -= rows.count
      place.row += rows.count
      if place.row == section.count { place = (place.section + 1, 0) }
    }
    position = list.position
    offset = list.prefix(cursor?.section ?? 0).reduce(cursor?.row ?? 0) { $0 + $1.count }
    total = list.rows.count
    self.sections = sections
    next = place.section < list.count ? Cursor(section: place.section, row: place.row, in: list) : nil
  }
}

extension ListPage {
  /// The place at which a page begins, as a string for clients.
  ///
  /// The string consists of letters, digits and periods, and clients don't need to know its parts. In addition to the
  /// position and the place, it contains a hash of the row before the place. So in most cases, a cursor of a list with
  /// other rows, or of another order, is detected.
  public struct Cursor: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The position of the list.
    public let position: Position
    let section: Int
    let row: Int
    private let mark: UInt64

    /// Creates the cursor of the place in a list.
    init(section: Int, row: Int, in list: Results<Row>) {
      (position, self.section, self.row) = (list.position, section, row)
      mark = Self.mark(section, row, in: list)
    }

    /// Creates a cursor from its string.
    ///
    /// - Parameter text: The string, which a client sent.
    /// - Throws: ``ListFeedError`` (`.invalidCursor`) if the string isn't a cursor.
    public init(_ text: String) throws(ListFeedError) {
      let parts = text.utf8.count <= 100 ? text.split(separator: ".", omittingEmptySubsequences: false) : []
      let numbers = parts.prefix(3).compactMap { Int($0) }
      guard parts.count == 4, numbers.count == 3, numbers.allSatisfy({ $0 >= 0 }),
        let mark = UInt64(parts[3], radix: 36)
      else { throw Self.error(text) }
      (position, section, row, self.mark) = (Position(numbers[0]), numbers[1], numbers[2], mark)
      // Every cursor has only one string, so "+1" and "01" aren't accepted as "1".
      if description != text { throw Self.error(text) }
    }

    /// Decodes a cursor from its string.
    public init(from decoder: any Decoder) throws {
      try self.init(String(from: decoder))
    }

    /// Encodes the cursor as its string.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }

    /// The cursor's string.
    public var description: String { "\(position).\(section).\(row).\(String(mark, radix: 36))" }

    private static func error(_ text: String) -> ListFeedError {
      ListFeedError(
        .invalidCursor,
        "expected the cursor that was returned with the previous page, found \"\(text.shortened(to: 40))\"")
    }

    /// Throws if the cursor doesn't belong to a list.
    fileprivate func check(_ list: Results<Row>) throws(ListFeedError) {
      guard position == list.position else {
        throw ListFeedError(
          .otherList,
          "expected a cursor of the list at position \(list.position), found a cursor of position \(position)")
      }
      guard section < list.count, row <= list[section].count, mark == Self.mark(section, row, in: list) else {
        throw ListFeedError(
          .otherList,
          "the cursor \(self) belongs to another list at position \(position). Load the list from its first page")
      }
    }

    /// Returns a hash of the place in a list.
    ///
    /// It differs for lists with another number of sections or rows, with another section at the place, or with another
    /// row before the place.
    private static func mark(_ section: Int, _ row: Int, in list: Results<Row>) -> UInt64 {
      var parts = [UInt64(list.rows.count), UInt64(list.count), list[section].key.orderKey.fingerprint]
      if row > 0 { parts.append(OrderKey(list[section][row - 1].id).fingerprint) }
      return parts.reduce(Fingerprint.seed) { Fingerprint.mixed($0 ^ $1) }
    }
  }
}

extension ListPage {
  /// Appends the next page.
  ///
  /// - Parameter page: The page that was loaded with ``next``.
  /// - Throws: ``ListFeedError`` (`.otherList`) if it isn't the next page. This page is then unchanged.
  /// - Complexity: O(k) for the k rows of the appended page, plus O(s) for the s sections of this page.
  public mutating func append(_ page: ListPage) throws(ListFeedError) {
    let end = offset + sections.reduce(0) { $0 + $1.rows.count }
    guard let next, page.position == position, page.total == total, page.offset == end,
      page.sections.first?.index == next.section
    else {
      throw ListFeedError(
        .otherList,
        "expected the next page, with offset \(end) of \(total) rows at position \(position), found a page with offset "
          + "\(page.offset) of \(page.total) rows at position \(page.position)")
    }
    var added = page.sections[...]
    if sections.last?.index == next.section, let rest = added.popFirst() {
      sections[sections.count - 1].rows += rest.rows
    }
    sections += added
    self.next = page.next
  }

  /// Applies changes to the whole list, which must have no ``next`` page.
  ///
  /// - Parameter changes: The changes after ``position``. Afterwards, this value is the list at the position of the
  ///   changes.
  /// - Throws: ``ListFeedError`` (`.otherList`) if pages are missing, or if the changes don't fit the list. The list is
  ///   then unchanged.
  /// - Complexity: O(c) for c changes, plus O(m) for the m rows of the changed sections, plus O(s) for s sections.
  public mutating func apply(_ changes: ListChanges<Row>) throws(ListFeedError) {
    guard next == nil, offset == 0, sections.first?.index ?? 0 == 0, position == changes.after else {
      throw ListFeedError(
        .otherList,
        "expected changes after position \(position) of a list with all pages, found changes after position "
          + "\(changes.after)" + (next.map { " of a list whose next page is \($0)" } ?? "")
          + (offset > 0 ? " of a list that begins at offset \(offset)" : ""))
    }
    guard let sections = changes.applied(to: sections) else {
      throw ListFeedError(
        .otherList,
        "the changes after position \(changes.after) contain a place that this list doesn't have. Load the list from "
          + "its first page")
    }
    self.sections = sections
    position = changes.position
    total = sections.reduce(0) { $0 + $1.rows.count }
  }
}

extension ListChanges {
  /// Returns the new list's sections, or `nil` if a place is invalid.
  fileprivate func applied(to old: [ListPage<Row>.Section]) -> [ListPage<Row>.Section]? {
    var sections = old
    var (removed, inserted): ([Int: [Int]], [Int: [(Int, Row)]]) = ([:], [:])
    for edit in rows {
      if let from = edit.from {
        guard from.count == 2 else { return nil }
        removed[from[0], default: []].append(from[1])
      }
      if let to = edit.to {
        guard to.count == 2, let row = edit.row else { return nil }
        inserted[to[0], default: []].append((to[1], row))
      }
    }
    for (section, places) in removed {
      guard sections.indices.contains(section), let rest = sections[section].rows.removing(places) else { return nil }
      sections[section].rows = rest
    }
    guard let rest = sections.removing(self.sections.compactMap(\.from)) else { return nil }
    var added: [(Int, ListPage<Row>.Section)] = []
    for edit in self.sections {
      guard let to = edit.to else { continue }
      var section = edit.from.map { sections[$0] } ?? ListPage.Section(index: to, title: "", rows: [])
      if let title = edit.title { section.title = title }
      added.append((to, section))
    }
    guard var new = rest.inserting(added) else { return nil }
    for (section, rows) in inserted {
      guard new.indices.contains(section), let all = new[section].rows.inserting(rows) else { return nil }
      new[section].rows = all
    }
    for index in new.indices { new[index].index = index }
    return new
  }
}

extension Array {
  /// Returns the array without the elements at distinct indices, or `nil` if an index is invalid.
  fileprivate func removing(_ indices: [Int]) -> Array? {
    let removed = Set(indices)
    guard removed.count == indices.count, removed.allSatisfy(self.indices.contains) else { return nil }
    return self.indices.filter { !removed.contains($0) }.map { self[$0] }
  }

  /// Returns the array with elements at distinct indices of the result, or `nil` if an index is invalid.
  fileprivate func inserting(_ elements: [(index: Int, element: Element)]) -> Array? {
    let count = self.count + elements.count
    let added = Dictionary(elements.map { ($0.index, $0.element) }) { first, _ in first }
    guard added.count == elements.count, added.keys.allSatisfy((0..<count).contains) else { return nil }
    var rest = makeIterator()
    var new: [Element] = []
    new.reserveCapacity(count)
    for index in 0..<count {
      guard let element = added[index] ?? rest.next() else { return nil }
      new.append(element)
    }
    return new
  }
}
