import Annals
import FestivalApp
import FestivalDomain
import Foundation

/// One run of the program for a user.
@MainActor struct Session {
  private let festival: Festival
  private let planner: Planner
  private let output: (String) -> Void

  init(_ festival: Festival, user: String, output: @escaping (String) -> Void) {
    (self.festival, self.output) = (festival, output)
    planner = Planner(user, in: festival)
  }

  func run(_ name: String, _ words: [String]) async throws {
    switch (name, words.count) {
    case ("list", 0...1):
      let dashboard = try await dashboard()
      try await dashboard.search(words.first ?? "")
      show(dashboard.programme.results)
    case ("at", 1): show(try await festival.programme(at: .word(words[0])))
    case ("today", 0):
      let dashboard = try await dashboard()
      show(dashboard.days.results)
      output("fees \(dashboard.fees), income \(dashboard.income)")
    case ("volunteers", 0):
      for section in try await dashboard().volunteers.sections {
        output("\(section.title): \(section.map { "\($0.id) \($0.name.value ?? "-")" }.joined(separator: ", "))")
      }
    case ("unseen", 0):
      for row in try await dashboard().unseen.results.rows {
        output("slot \(row.id): \(row.author ?? "unknown"), \(row.time.formatted(.iso8601))")
      }
    case ("seen", 0): try await dashboard().look()
    case ("undo", 0): try await planner.history.undo()
    case ("redo", 0): try await planner.history.redo()
    case ("forget", 1): if let remnants = try await festival.forget(.word(words[0])) { output(remnants) }
    case ("try", 4...): try await preview(words.split(separator: "+").map(Array.init))
    case ("import", 2): try await importTickets(from: words[0], shop: words[1])
    case ("outbox", 1): try await Outbox(of: festival, file: URL(filePath: words[0])).run()
    default: try await planner.execute(ProgrammeCommand(name, words))
    }
  }

  private func dashboard() async throws -> Dashboard {
    let dashboard = Dashboard(for: planner, now: Date())
    try await dashboard.load()
    return dashboard
  }

  private func preview(_ moves: [[String]]) async throws {
    let plan = try Plan(by: planner)
    for move in moves { try await plan.propose(ProgrammeCommand("move", move)) }
    let (programme, conflicts) = try await plan.preview()
    show(programme)
    for conflict in conflicts { output(conflict) }
    if conflicts.isEmpty { try await plan.carryOut() }
  }

  private func importTickets(from file: String, shop: String) async throws {
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    let report = try await TicketImport(lines: lines, from: shop).run(in: festival) { output("\(Int($0 * 100)) %") }
    output("\(report.added) tickets added, \(report.repeated) were already imported")
  }

  private func show(_ list: Results<ProgrammeRow>) {
    for section in list {
      output("\(section.title): \(section[.count]) slots, \(section[ProgrammeRow.fees])")
      for row in section {
        let crew = row.crewNames.map { $0.value ?? "-" }.joined(separator: ", ")
        output("  \(row.id) \(row.place.start.formatted(.iso8601)) \(row.act)\(crew.isEmpty ? "" : ": ")\(crew)")
      }
    }
  }
}
