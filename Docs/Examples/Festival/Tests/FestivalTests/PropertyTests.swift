import Annals
import AnnalsTesting
import FestivalDomain
import Foundation
import Testing

@Suite struct PropertyTests {
  @Test func `the projections keep their laws`() throws {
    try check(history) { history in
      try ProgrammeList().ensureAllLaws(history, in: .programme)
      try VolunteerList().ensureAllLaws(history, in: .volunteers)
    }
  }

  @Test func `the decider keeps its laws`() throws {
    try check(commands) { commands in
      try Programme.ensureStatesHold(commands)
      try Programme.ensureEffects(commands, in: ProgrammeList())
      let history = events(of: commands)
      try Programme.ensureReplaysEqually(history)
      try Programme.ensureResumesAnywhere(history)
      if let last = commands.last { try Programme.ensureDecidesEqually(last, after: history) }
    }
  }

  @Test func `every step can be undone and redone`() throws {
    try check(commands) { try Programme.ensureUndoes($0, in: ProgrammeList()) }
  }

  @Test func `the clock, the language and the process have no influence`() throws {
    try ProgrammeList().checkPurity(history, settings: CheckSettings(examples: 20))
    try Programme.checkPurity(command, after: history, settings: CheckSettings(examples: 20))
  }

  @Test func `no commands make slots overlap or volunteers busy twice`() throws {
    try check(commands) { commands in
      let rows = try ProgrammeList().rows(after: events(of: commands))
      for (index, row) in rows.enumerated() {
        for other in rows[(index + 1)...] where row.place.isDuring(other.place) {
          try ensure(!row.place.collides(with: other.place), "\(row.act) overlaps with \(other.act)")
          try ensure(Set(row.crew).isDisjoint(with: other.crew), "a volunteer of \(row.act) is also with \(other.act)")
        }
      }
      sometimes(rows.count > 2, "three slots")
      sometimes(rows.contains { $0.crew.count > 1 }, "two volunteers in a slot")
    }
  }

  @Test func `a strict table can show every change`() throws {
    try check(commands) { commands in
      let store = MemoryEventStore()
      let list = FetchedResultsController(store: store, projection: ProgrammeList(), request: .programme)
      try list.performFetch()
      let table = MirrorDelegate(list.results)
      list.delegate = table
      for command in commands { _ = try? store.execute(command, on: Programme.main) }
      try ensureEqual(table.violations, [])
      try table.table.ensureShows(list.results)
    }
  }
}

/// The events of the accepted commands.
private func events(of commands: [ProgrammeCommand]) -> [ProgrammeEvent] {
  var programme = Programme()
  return commands.flatMap { command in
    let events = (try? programme.decide(command)) ?? []
    for event in events { programme.evolve(event) }
    return events
  }
}

/// Histories that the decider accepted.
private let history = commands.map(events)

/// Commands that first open two stages, and book two slots at one time, the first with one of two volunteers.
private let commands: Generator<[ProgrammeCommand]> = .array(of: command, count: 0...15).map { later in
  [
    .openStage(main), .openStage(tent), .book(slot(1, "Act 1", place(1, 0))), .book(slot(2, "Act 2", place(2, 0))),
    .enlist(Volunteer(id: 1, name: "Eva")), .enlist(Volunteer(id: 2, name: "Äneas")), .assign(1, to: 1),
  ] + later
}

private let command = Generator<ProgrammeCommand> { draw in
  let id = try draw(.int(in: 1...3))
  let other = try draw(.int(in: 1...3))
  let stage = try draw(Generator.int(in: 1...3).optional())
  let start = try draw(.int(in: 0...9))
  let hours = try draw(.int(in: 0...2))
  let place = place(stage, Double(start) / 2, hours: Double(hours))
  let commands: [ProgrammeCommand] = [
    .book(slot(id, "Act \(id)", place, fee: Decimal(other) / 10)), .move(id, to: place), .assign(id, to: other),
    .release(id, from: other), .cancel(id), .openStage(Stage(id: id, name: "Stage \(id)", number: other)),
    .renameStage(id, to: "Stage \(other)"), .closeStage(id), .closeStage(id, ifEmpty: true),
    .enlist(Volunteer(id: id, name: "Volunteer \(id)")),
    .dismiss(id),
  ]
  // Most commands book, move and assign, so that slots and crews grow.
  return try draw(.frequency((3, .element(of: Array(commands[...2]))), (1, .element(of: commands))))
}
