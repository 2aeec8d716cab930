import AnnalsLog

/// A list that a job builds from rows for a controller, with its changes.
///
/// `@unchecked Sendable`: the job's thread writes `made`, and other code reads it only after the job has returned the
/// rows.
final class ListJob<Row: Annals.Row>: @unchecked Sendable {
  /// The result of the job.
  struct Made {
    let list: Results<Row>
    /// The changes from the shown list, or `nil` if they weren't requested.
    let changes: Changes<Row>?
    let revision: LogRevision?
  }

  let prepared: PreparedRequest
  let collapsed: CollapsedSections
  /// The shown list.
  let shown: Results<Row>
  private let known: ListStorage
  private let cause: ChangeCause?
  private let readsRows: Bool
  private(set) var made: Made?
  /// The list without collapsed sections, for jobs with the same request.
  private var expanded: Results<Row>?

  /// - Parameters:
  ///   - prepared: The request.
  ///   - collapsed: The sections whose rows are hidden.
  ///   - shown: The shown list.
  ///   - known: An existing list that probably shares most of its rows with the new list.
  ///   - cause: The reasons for the changes, or `nil` if the changes aren't needed.
  ///   - readsRows: True if the changes of rows are read as an array.
  init(
    _ prepared: PreparedRequest, collapsed: CollapsedSections, from shown: Results<Row>, knowing known: ListStorage,
    cause: ChangeCause?, readsRows: Bool
  ) {
    self.prepared = prepared
    self.collapsed = collapsed
    self.shown = shown
    self.known = known
    self.cause = cause
    self.readsRows = readsRows
  }

  /// Builds the list.
  ///
  /// - Parameters:
  ///   - rows: The rows, which no other code uses at the same time.
  ///   - appearances: The positions at which sections first appeared.
  ///   - isAlone: True if no other list uses the rows.
  ///   - equal: A job that has already built the list of the same request, or `nil`.
  func make(
    of rows: LiveRows<Row>, _ appearances: [SectionKey: Position], isAlone: Bool, after equal: ListJob?
  ) {
    let expanded =
      equal?.expanded
      ?? Results(
        prepared, of: &rows.state.rows, at: rows.state.position, appearances: appearances,
        knowing: Results(known, at: shown.position), isAlone: isAlone)
    self.expanded = expanded
    let list = expanded.collapsing(collapsed, knowing: shown)
    let changes = cause.map { cause in
      if let known = equal?.made?.changes, known.old.storage === shown.storage, known.from == shown.position,
        known.new.storage === list.storage
      {
        return known.because(of: cause)
      }
      return Changes(delivering: list, after: shown, cause: cause)
    }
    if readsRows { _ = changes?.rows }
    made = Made(list: list, changes: changes, revision: rows.revision)
  }
}
