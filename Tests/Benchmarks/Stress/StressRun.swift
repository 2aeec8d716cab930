import Annals
import AnnalsTesting

/// Changes lists by random histories, and applies every batch to a strict table.
package final class StressRun {
  /// How many batches the table took.
  package private(set) var batches = 0
  /// How many events they came from.
  package private(set) var events = 0
  /// How many batches the delegates of the tutorials' screens took.
  package private(set) var screenBatches = 0
  /// How many row changes they contained.
  package private(set) var changes = 0

  private let hasScreens: Bool

  /// Begins a run.
  ///
  /// - Parameter screens: True if the tutorials' screens get the batches too.
  package init(screens: Bool = true) { hasScreens = screens }

  /// Changes lists until the table has taken a number of batches.
  ///
  /// - Parameters:
  ///   - wanted: How many batches.
  ///   - seed: The seed of all random choices; the same seed repeats the run.
  ///   - progress: Called now and then with the number of batches so far.
  /// - Throws: The first violation, in its smallest form.
  package func run(batches wanted: Int, seed: UInt64, progress: (Int) -> Void = { _ in }) throws {
    var round: UInt64 = 0
    while batches < wanted {
      let settings = CheckSettings(
        examples: 20, seed: seed &+ round &* 0x9E37_79B9_7F4A_7C15, maxChoices: 200_000, environment: [:])
      try check(StressHistory.steps, settings: settings) { try self.drive($0) }
      round += 1
      progress(batches)
    }
  }

  private func drive(_ steps: [StressStep]) throws {
    var rows = Rows<Piece>()
    var request = ListRequest<Piece>(sort: StressHistory.sorts[0], section: StressHistory.sections[0])
    var prepared = PreparedRequest(request)
    var list = Results(prepared, of: &rows, at: 0, knowing: nil)
    var table = MirrorTable(list)
    var collapsed = CollapsedSections.none
    let screens = hasScreens ? try StressScreens() : nil
    defer { screenBatches += screens?.batches ?? 0 }
    var kept: [(rows: Rows<Piece>, list: Results<Piece>)] = []
    for (number, step) in steps.enumerated() {
      try screens?.take(step, number: number)
      var isAnotherRequest = true
      switch step {
      case .events(let all):
        for event in all { event.apply(to: &rows) }
        events += all.count
        isAnotherRequest = false
      case .seek(let place):
        if !kept.isEmpty { rows = kept[place % kept.count].rows }
        isAnotherRequest = false
      case .filter(let rest): request.filter = rest == 0 ? nil : .where { $0.rank % 4 != rest }
      case .window(let offset, let limit): (request.offset, request.limit) = (offset, limit)
      case .sort(let index): request.sort = StressHistory.sorts[index]
      case .collapse(nil, let isCollapsed):
        collapsed = isCollapsed ? .all : .none
        isAnotherRequest = false
      case .collapse(.some(let box), let isCollapsed):
        let key = box == 0 ? SectionKey.null : .int(box)
        if isCollapsed { collapsed.collapse(key) } else { collapsed.expand(key) }
        isAnotherRequest = false
      case .sections(let index): request.section = StressHistory.sections[index]
      }
      if isAnotherRequest { prepared = PreparedRequest(request) }
      let next = Results(prepared, of: &rows, at: Position(number + 1), knowing: list)
        .collapsing(collapsed, knowing: list)
      let changes = Changes(from: list, to: next)
      try ensure(changes.isEmpty == (list == next), "changes are empty, and the lists differ, or the other way round")
      try table.apply(changes)
      batches += 1
      self.changes += changes.rows.count
      if number.isMultiple(of: 8) {
        try ensureSound(next, rows, request)
        if let earlier = kept.last?.list { try ensureComposes(earlier, list, next) }
        kept.append((rows, next))
      }
      list = next
    }
  }

  /// Checks that the list equals one that is made from all rows, and that its trees are sound.
  private func ensureSound(_ list: Results<Piece>, _ rows: Rows<Piece>, _ request: ListRequest<Piece>) throws {
    try ensureEqual(list.defects, [])
    let fresh = Results(request, of: rows, at: list.position)
    try ensure(list.expanded == fresh, "the list is not that of its rows")
    try ensure(list == fresh.collapsing(list.collapsedSections), "other rows are hidden than should be")
  }

  /// Checks that two batches compose to one, and that the inverse of it leads back.
  private func ensureComposes(_ first: Results<Piece>, _ second: Results<Piece>, _ third: Results<Piece>) throws {
    let whole = Changes(from: first, to: second).then(Changes(from: second, to: third))
    var table = MirrorTable(first)
    try table.apply(whole)
    try table.apply(whole.inverted)
    try ensure(table.shows(first), "the way back leads elsewhere")
    batches += 2
  }
}
