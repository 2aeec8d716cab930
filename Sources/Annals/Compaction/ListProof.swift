import AnnalsLog

/// A check that a projection's rows and list are equal before and after a compaction.
struct ListProof<P: Projection>: CompactionProof {
  let projection: P
  let request: ListRequest<P.Row>

  /// The projection's name, with its identity if it declares one.
  var name: String {
    P.name + ((try? ProjectionSignature.identity(of: projection)).flatMap { $0 }.map { " (\($0))" } ?? "")
  }

  func reader() throws -> (StoredEvent) -> Bool {
    let coder = CoderBox(try EventCoder<P.Event>())
    return { coder.reads($0.type) }
  }

  func fold(
    _ log: any CompactionTransaction, _ plan: CompactionPlan, at positions: [Position]
  ) throws -> any CompactionFold {
    let timeline = Timeline(log: log, projection: projection)
    timeline.resumeTracking(request.appearingSection)
    let prepared = PreparedRequest(request)
    var lists = RowsFold<P.Row>(name: name)
    var known: Results<P.Row>?
    for position in positions {
      try timeline.advance(through: position)
      let list = timeline.list(prepared, knowing: known)
      known = list
      lists.states.append((timeline.live.rows, list))
    }
    return lists
  }
}

/// A cache, in a coder, of whether a Swift type reads a stored type.
///
/// Only one thread uses it.
final class CoderBox<E: Event> {
  private var coder: EventCoder<E>

  init(_ coder: EventCoder<E>) { self.coder = coder }

  /// True if events of a stored type belong to the Swift type.
  func reads(_ type: String) -> Bool { coder.known(type).isRead }
}

/// Rows and lists at some positions, for a comparison.
package struct RowsFold<Row: Annals.Row>: CompactionFold {
  let name: String
  package var states: [(rows: Rows<Row>, list: Results<Row>)] = []

  package init(name: String) { self.name = name }

  package func difference(from before: any CompactionFold) -> CompactionDifference? {
    differences(from: before, upTo: 1).first
  }

  package func differences(from before: any CompactionFold) -> [CompactionDifference] {
    differences(from: before, upTo: .max)
  }

  private func differences(from before: any CompactionFold, upTo most: Int) -> [CompactionDifference] {
    guard let before = before as? RowsFold, before.states.count == states.count else {
      preconditionFailure(
        "the lists before and after a compaction must be of the same type and equally many, but they aren't. Please "
          + "report this")
    }
    var found: [CompactionDifference] = []
    for (old, new) in zip(before.states, states) {
      func difference(_ row: String?, _ before: String?, _ after: String?) -> CompactionDifference {
        .init(name: name, position: old.list.position, row: row, before: before, after: after)
      }
      let rows = old.rows.differences(to: new.rows, upTo: most - found.count)
      found += rows.map { difference($0.id, $0.here, $0.there) }
      if found.count >= most { return found }
      if let (before, after) = old.rows.firstDifferenceBesideRows(to: new.rows) {
        found.append(difference(nil, before, after))
      } else if rows.isEmpty, let (id, before, after) = old.list.firstDifference(to: new.list) {
        found.append(difference(id, before, after))
      }
      if found.count >= most { return found }
    }
    return found
  }
}

extension Rows {
  /// Returns whether the rows, the section settings and the related entities are the same.
  package func isSame(as other: Rows) -> Bool {
    differences(to: other, upTo: 1).isEmpty && firstDifferenceBesideRows(to: other) == nil
  }

  /// Returns the first rows that differ, in the order of ids: each row's id, its form in this collection and its form
  /// in the other collection.
  fileprivate func differences(to other: Rows, upTo most: Int) -> [(id: String, here: String?, there: String?)] {
    if entries.ids.isIdentical(to: other.entries.ids) { return [] }
    var found: [(id: String, here: String?, there: String?)] = []
    var (mine, theirs) = (entries.ids.sorted { $0.id < $1.id }[...], other.entries.ids.sorted { $0.id < $1.id }[...])
    while found.count < most {
      switch (mine.first, theirs.first) {
      case (nil, nil): return found
      case (let one?, let two?) where one.id == two.id:
        let (row, there) = (Self.box(one).row, Self.box(two).row)
        if !row.isSame(as: there) {
          found.append((described(row.id), described(row), described(there)))
        }
        mine = mine.dropFirst()
        theirs = theirs.dropFirst()
      case (let one?, let two) where two == nil || one.id < two?.id ?? one.id:
        let row = Self.box(one).row
        found.append((described(row.id), described(row), nil))
        mine = mine.dropFirst()
      case (_, let two?):
        let row = Self.box(two).row
        found.append((described(row.id), nil, described(row)))
        theirs = theirs.dropFirst()
      default:
        preconditionFailure("the comparison of two lists returned a row that neither list contains. Please report this")
      }
    }
    return found
  }

  /// Returns the first difference in the data that a projection stores in addition to its rows.
  fileprivate func firstDifferenceBesideRows(to other: Rows) -> (here: String, there: String)? {
    for criterion in entries.criteria.union(other.entries.criteria) {
      let (mine, theirs) = (entries.settings(of: criterion).byKey, other.entries.settings(of: criterion).byKey)
      for key in Set(mine.keys).union(theirs.keys).sorted() {
        let (here, there) = (mine[key] ?? .init(), theirs[key] ?? .init())
        // Compare order keys, because a number may be NaN.
        let (number, other) = (here.number.map { OrderKey($0) }, there.number.map { OrderKey($0) })
        if here.title.map(ExactString.init) != there.title.map(ExactString.init) || number != other {
          return (Self.text(here), Self.text(there))
        }
      }
    }
    let (mine, theirs) = (related.all, other.related.all)
    for (one, two) in zip(mine, theirs) where !one.isSame(asAny: two) {
      return ("rows that depend on \(one)", "rows that depend on \(two)")
    }
    if mine.count != theirs.count {
      return ("rows that depend on \(mine.count) entities", "rows that depend on \(theirs.count) entities")
    }
    return nil
  }

  private static func text(_ settings: SectionSettings.Values) -> String {
    "a section with the title \(settings.title.map(JSONValue.quoted) ?? "nil") and the number "
      + (settings.number.map { "\($0)" } ?? "nil")
  }

}

extension SortedTree<BySectionSettings> {
  /// The settings of sections, by the sections' keys.
  fileprivate var byKey: [OrderKey: SectionSettings.Values] {
    Dictionary(map { ($0.key, $0.values) }) { first, _ in first }
  }
}

extension Results {
  /// Returns the row at the first path at which the lists differ.
  ///
  /// The rows of both lists must be equal.
  fileprivate func firstDifference(to other: Results) -> (id: String?, here: String?, there: String?)? {
    for index in 0..<Swift.max(count, other.count) {
      guard index < count else { return (nil, nil, "section \(index) \(Self.text(other[index]))") }
      guard index < other.count else { return (nil, "section \(index) \(Self.text(self[index]))", nil) }
      let (mine, theirs) = (self[index], other[index])
      if mine.key != theirs.key || ExactString(mine.title) != ExactString(theirs.title) {
        return (nil, "section \(index) \(Self.text(mine))", "section \(index) \(Self.text(theirs))")
      }
      for row in 0..<Swift.max(mine.count, theirs.count) {
        let (one, two) = (row < mine.count ? mine[row] : nil, row < theirs.count ? theirs[row] : nil)
        if let one, let two, OrderKey(one.id) == OrderKey(two.id) { continue }
        let path = "[\(index), \(row)]"
        return (
          (one ?? two).map { "\($0.id)" }, one.map { "\($0) at \(path)" }, two.map { "\($0) at \(path)" }
        )
      }
    }
    return nil
  }

  private static func text(_ section: ResultsSection<Row>) -> String {
    "with the key \(section.key), the title \(JSONValue.quoted(section.title)) and \(section.count) rows"
  }
}
