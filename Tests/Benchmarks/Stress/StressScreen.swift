import Annals
import AnnalsLog
import AnnalsSamples
import AnnalsTesting

/// A tutorial's screen that gets the batches of a stress run, translated to the tutorial's own events.
struct StressScreen {
  /// The tutorial's events for an event of the pieces; the piece has its state after the event.
  let events: (StressEvent, Piece?) throws -> [NewEvent]
  /// Asks the controller for what the world asks for.
  let update: (StressWorld) throws -> Void
  let collapse: (StressWorld) -> Void
  let seek: (Position) throws -> Void
  let resume: () throws -> Void
  /// Verifies that the table shows what the world says.
  let check: (StressWorld) throws -> Void

  /// How a tutorial's rows correspond to the pieces.
  struct Mapping<Row: Annals.Row> {
    let row: (Piece) -> Row
    let rank: @Sendable (Row) -> Int
    /// By the number of the sort.
    let sorts: [[SortKey<Row>]]
    /// What the pieces are sorted by, by the number of the sort.
    let order: (Int, Piece) -> [Int]
    /// By the number of the cut; empty for a screen without sections.
    var sections: [Sectioning<Row>?] = []
    var key: (Int) -> SectionKey = { .int($0) }
    var title: (Int) -> String = { "\($0)" }
    /// True if the delegate shows new titles.
    var showsTitles = true
    /// False if sections cannot be given titles.
    var namesBoxes = true
  }

  init<Screen: ListScreen, Event: Annals.Event>(
    _ screen: Screen, _ mapping: Mapping<Screen.Row>, events: @escaping (StressEvent, Piece?) -> [Event]
  ) throws {
    let coder = try EventCoder<Event>()
    let controller = screen.controller
    let isCut = !mapping.sections.isEmpty
    self.events = { try events($0, $1).map { try coder.encode($0) } }
    update = { world in
      let (rest, rank) = (world.filter, mapping.rank)
      try controller.update { request in
        request.filter = rest == 0 ? nil : .where("not \(rest) of four") { rank($0) % 4 != rest }
        request.sort = mapping.sorts[world.sort]
        if isCut { request.section = mapping.sections[world.section] }
        (request.offset, request.limit) = (world.offset, world.limit)
      }
    }
    collapse = { world in
      let cut = isCut ? world.cut : .never
      let (keys, others) = world.collapsed[cut] ?? ([], false)
      let named = Set(keys.map { cut == .box ? mapping.key($0) : .int($0) })
      controller.collapsedSections = others ? .allExcept(named) : .only(named)
    }
    seek = { try controller.seek(to: $0) }
    resume = { try controller.returnToLive() }
    check = { world in
      try ensure(screen.table.exception == nil, "\(Screen.self) raised: \(screen.table.exception ?? "")")
      let wanted = world.list(isCut: isCut, namesBoxes: mapping.namesBoxes) {
        mapping.order(world.sort, $0)
      } title: {
        mapping.title($0)
      } text: {
        Screen.text(of: mapping.row($0))
      }
      let shown = screen.table.sections
      let isRight = mapping.showsTitles ? shown == wanted : shown.map(\.rows) == wanted.map(\.rows)
      try ensure(isRight, "\(Screen.self) shows \(shown), the truth is \(wanted)")
    }
  }
}

/// The screens of the four tutorials on one store, and the expected lists next to them.
final class StressScreens {
  /// How many batches the screens' delegates took.
  private(set) var batches = 0

  private let store = MemoryEventStore()
  private let screens: [StressScreen]
  private var world = StressWorld()
  private var kept: [(position: Position, world: StressWorld)] = []

  init() throws {
    screens = try [.bookshop(store), .team(store), .course(store), .staff(store)]
    for screen in screens { try screen.update(world) }
  }

  /// Performs a step on the list, and verifies that each table shows it.
  func take(_ step: StressStep, number: Int) throws {
    switch step {
    case .events(let all):
      var events: [NewEvent] = []
      for event in all {
        world.apply(event)
        for screen in screens { events += try screen.events(event, event.id.flatMap { world.pieces[$0] }) }
      }
      if !events.isEmpty { try store.append(Append(events, to: "stress")) }
    case .seek(let place):
      guard !kept.isEmpty else { break }
      let (position, past) = kept[place % kept.count]
      var then = world
      then.goBack(to: past)
      for screen in screens {
        try screen.seek(position)
        try screen.check(then)
        try screen.resume()
      }
      batches += screens.count
    case .filter(let rest): world.filter = rest
    case .window(let offset, let limit): (world.offset, world.limit) = (offset, limit)
    case .sort(let index): world.sort = index
    case .sections(let index): world.section = index
    case .collapse(let box, let isCollapsed):
      for cut in [world.cut, .never] {
        if let box { world.collapse(box, isCollapsed, in: cut) } else { world.collapseAll(isCollapsed, in: cut) }
      }
    }
    switch step {
    case .filter, .window, .sort, .sections: for screen in screens { try screen.update(world) }
    case .collapse: for screen in screens { screen.collapse(world) }
    case .events, .seek: break
    }
    batches += screens.count
    for screen in screens { try screen.check(world) }
    if number.isMultiple(of: 8) { kept.append((store.head(), world)) }
  }
}

extension StressEvent {
  /// The piece of the event.
  fileprivate var id: Int? {
    switch self {
    case .put(let piece): piece.id
    case .ranked(let id, _), .boxed(let id, _), .noted(let id, _), .removed(let id): id
    case .titled, .numbered: nil
    }
  }
}
