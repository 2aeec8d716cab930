import Annals
import AnnalsSQLite
import AnnalsTesting
import TeamApp
import TeamBoards
import TeamPeople
import TeamPlain
import Testing

/// The app's ten lists after each step, compared with plain code over all events.
@Suite struct TeamMachineTests {
  @MainActor @Test func `the ten lists agree with plain code over all events, whatever is done`() async throws {
    let report = try await check(TeamMachine(), settings: CheckSettings(examples: 25))
    for step in ["perform(_:)", "performElsewhere(_:)", "seek(to:)", "restart()", "compact()", "importLines(_:)"] {
      #expect(report.occurrences[step] ?? 0 > 0, "\(step)")
    }
  }
}

/// The app on the main actor, and another connection to its log.
@MainActor private final class TeamSystem {
  private let folder: TeamFolder
  private var team: Team
  private let other: Team
  private var lists: TeamLists
  private var replays: TeamReplays
  private var imported = 0

  init() throws {
    folder = try TeamFolder()
    team = try Team(path: folder.log)
    other = try Team(path: folder.log)
    lists = TeamLists(team.store)
    try lists.show()
    replays = TeamReplays(lists)
  }

  func perform(_ action: TeamAction) async throws { try await team.attempt(action, by: "here") }

  /// As another task does, in no isolation of the app's lists.
  func performElsewhere(_ action: TeamAction) async throws {
    let other = other
    try await Task.detached { try await other.attempt(action, by: "elsewhere") }.value
    lists.each { $0.refresh() }
  }

  func seek(to share: Int) throws {
    let (head, horizon) = (try team.store.head().rawValue, try team.store.revision().compacted.horizon.rawValue)
    try lists.each { try $0.seek(to: Position(horizon + (head - horizon) * share / 10)) }
  }

  func returnToLive() throws { try lists.each { try $0.returnToLive() } }

  func restart() throws {
    try lists.each { try $0.saveCache() }
    team = try Team(path: folder.log)
    lists = TeamLists(team.store)
    try lists.show()
    replays = TeamReplays(lists)
  }

  func compact() async throws { try await team.compact() }

  func importLines(_ count: Int) async throws {
    let lines = try ExportedLines.text(imported + count)[imported...]
    imported += count
    try await TeamImporter(team.store).run(lines, perCommit: 7)
    lists.each { $0.refresh() }
  }

  func check() throws {
    let differences = try PlainTeam.differences(from: lists, in: team.store)
    try ensure(differences.isEmpty, differences.joined(separator: "\n"))
    try ensureEqual(replays.problems, [])
  }
}

private struct TeamMachine: AsyncMachine {
  nonisolated(nonsending) func start() async throws -> (model: Int, system: TeamSystem) { (0, try await TeamSystem()) }

  private var action: Generator<TeamAction> {
    Generator { draw in try TeamAction.random { count in try draw(.int(in: 0...count - 1)) } }
  }

  var commands: [Command<Int, TeamSystem>] {
    Command("perform(_:)", weight: 12) { (_: Int) in
      action
    } model: { (steps: inout Int, _: TeamAction) in
      steps += 1
    } run: { (system: TeamSystem, action: TeamAction) in
      try await system.perform(action)
    }
    Command("performElsewhere(_:)", weight: 4) { (_: Int) in
      action
    } model: { (steps: inout Int, _: TeamAction) in
      steps += 1
    } run: { (system: TeamSystem, action: TeamAction) in
      try await system.performElsewhere(action)
    }
    Command("importLines(_:)") { (_: Int) in
      Generator<Int>.int(in: 1...80)
    } model: { (steps: inout Int, _: Int) in
      steps += 1
    } run: { (system: TeamSystem, count: Int) in
      try await system.importLines(count)
    }
    Command("seek(to:)") { (_: Int) in
      Generator<Int>.int(in: 0...10)
    } model: { (steps: inout Int, _: Int) in
      steps += 1
    } run: { (system: TeamSystem, share: Int) in
      try await system.seek(to: share)
    }
    Command("returnToLive()") { (steps: inout Int) in
      steps += 1
    } run: { (system: TeamSystem) in
      try await system.returnToLive()
    }
    Command("restart()") { (steps: inout Int) in
      steps += 1
    } run: { (system: TeamSystem) in
      try await system.restart()
    }
    Command("compact()") { (steps: inout Int) in
      steps += 1
    } run: { (system: TeamSystem) in
      try await system.compact()
    }
  }

  nonisolated(nonsending) func invariant(_ steps: Int, _ system: TeamSystem) async throws { try await system.check() }
}
