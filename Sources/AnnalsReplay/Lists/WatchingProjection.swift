import Annals

/// A projection that also notes what becomes of some rows, so that one fold answers for all of them.
struct WatchingProjection<P: Projection>: Projection {
  let base: P
  let watched: WatchedRows<P.Row>

  static var name: String { P.name }
  static var version: Int { P.version }
  static var unknownEvents: UnknownEventPolicy { P.unknownEvents }
  static var newerEvents: NewerEventPolicy { P.newerEvents }
  static var toleratedEvents: Set<String> { P.toleratedEvents }
  static var relations: [Relation<P.Row>] { P.relations }
  var identity: String? { base.identity }

  func project(_ event: P.Event, into rows: inout Rows<P.Row>) throws { try base.project(event, into: &rows) }

  func project(_ recorded: Recorded<P.Event>, into rows: inout Rows<P.Row>) throws {
    try base.project(recorded, into: &rows)
    watched.note(recorded.position, rows)
  }
}

/// Some rows, and what became of them.
///
/// `@unchecked Sendable`: one fold uses it, which is over before anything else does.
final class WatchedRows<Row: Annals.Row>: @unchecked Sendable {
  typealias Step = (position: Position, old: Row?, new: Row?)

  private let ids: [Row.ID]
  private var last: [Row?]
  private var steps: [[Step]]
  private var position: Position = 0

  init(_ ids: [Row.ID]) {
    self.ids = ids
    (last, steps) = (ids.map { _ in nil }, ids.map { _ in [] })
  }

  func steps(of id: Row.ID) -> [Step] { ids.firstIndex(of: id).map { steps[$0] } ?? [] }

  /// Notes what an event made of the rows.
  ///
  /// An old event that was brought up to date may be several, which are one step. A log that is rewritten meanwhile is
  /// folded once more from its beginning.
  func note(_ position: Position, _ rows: Rows<Row>) {
    if position < self.position { (last, steps) = (ids.map { _ in nil }, ids.map { _ in [] }) }
    self.position = position
    for (index, id) in ids.enumerated() {
      let (old, new) = (last[index], rows[id])
      guard old != new else { continue }
      last[index] = new
      if let step = steps[index].last, step.position == position {
        steps[index].removeLast()
        if step.old != new { steps[index].append((position, step.old, new)) }
      } else {
        steps[index].append((position, old, new))
      }
    }
  }
}
