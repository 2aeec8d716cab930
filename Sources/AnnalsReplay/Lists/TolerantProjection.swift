import Annals

/// A later part of an event could not be folded, and a former part was: the fold begins again without the event.
struct FoldAgain: Error {}

/// A projection that leaves out what it cannot fold, from the first event on that is not as the log has it.
///
/// A copy of the rows is kept while an event is folded. So a refused event leaves nothing behind, also if it changed
/// some rows before it threw. Copies share all but what is changed, but the rows cannot be a table while copies are
/// taken: from that event on a fold is slower.
struct TolerantProjection<P: Projection>: Projection {
  let base: P
  let supposition: Supposition

  static var name: String { P.name }
  static var version: Int { P.version }
  static var unknownEvents: UnknownEventPolicy { P.unknownEvents }
  static var newerEvents: NewerEventPolicy { P.newerEvents }
  static var toleratedEvents: Set<String> { P.toleratedEvents }
  static var relations: [Relation<P.Row>] { P.relations }
  var identity: String? { base.identity }

  init(_ base: P, _ supposition: Supposition) {
    self.base = base
    self.supposition = supposition
  }

  func project(_ event: P.Event, into rows: inout Rows<P.Row>) throws { try base.project(event, into: &rows) }

  func project(_ recorded: Recorded<P.Event>, into rows: inout Rows<P.Row>) throws {
    let position = recorded.position
    if supposition.isBefore(position) { return try base.project(recorded, into: &rows) }
    if supposition.isDropped(position) { return }
    // An old event that was brought up to date may be several.
    let isLater = supposition.begins(position)
    rows.settle()
    let before = rows
    do {
      try base.project(recorded, into: &rows)
    } catch {
      rows = before
      supposition.drop(position, error)
      if isLater { throw FoldAgain() }
    }
  }

  /// An error's message, which names the projection that the app wrote.
  static func message(_ message: String) -> String { message.replacing("\(Self.self)", with: "\(P.self)") }
}
