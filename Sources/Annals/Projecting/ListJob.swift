/// A list that a job cuts from rows for a controller, with what changed.
///
/// `@unchecked Sendable`: `made` is written by the thread of the job, and read once the rows have been taken back.
final class ListJob<Row: Annals.Row>: @unchecked Sendable {
  /// What was made, and of what rows.
  struct Made {
    let list: Results<Row>
    /// What leads to it from the list that was shown; nil if no one asked for that.
    let changes: Changes<Row>?
    let revision: LogRevision?
  }

  let prepared: PreparedRequest
  let collapsed: CollapsedSections
  /// The list that was shown.
  let shown: Results<Row>
  private let known: Results<Row>
  private let cause: ChangeCause?
  private let readsRows: Bool
  private(set) var made: Made?

  /// - Parameters:
  ///   - prepared: The request.
  ///   - collapsed: The sections whose rows are hidden.
  ///   - shown: The list that is shown.
  ///   - known: One that may have much in common with the new one.
  ///   - cause: Why the list changes; nil if no one asks what changes.
  ///   - readsRows: True if the changes of rows are read as an array.
  init(
    _ prepared: PreparedRequest, collapsed: CollapsedSections, from shown: Results<Row>, knowing known: Results<Row>,
    cause: ChangeCause?, readsRows: Bool
  ) {
    (self.prepared, self.collapsed, self.shown, self.known) = (prepared, collapsed, shown, known)
    (self.cause, self.readsRows) = (cause, readsRows)
  }

  /// Cuts the list.
  ///
  /// - Parameters:
  ///   - rows: The rows, where nothing else uses them.
  ///   - appearances: When sections first appeared.
  ///   - isAlone: True if no other list is made of the rows.
  func make(of rows: LiveRows<Row>, _ appearances: [SectionKey: Position], isAlone: Bool) {
    let expanded = Results(
      prepared, of: &rows.state.rows, at: rows.state.position, appearances: appearances, knowing: known,
      isAlone: isAlone)
    let list = expanded.collapsing(collapsed, knowing: shown)
    let changes = cause.map { Changes(delivering: list, after: shown, cause: $0) }
    if readsRows { _ = changes?.rows }
    made = Made(list: list, changes: changes, revision: rows.revision)
  }
}
