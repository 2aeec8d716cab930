import Annals
import AnnalsSQLite
import Foundation
import TeamApp
import TeamPeople
import TeamBoards
import TeamPlain
import Testing

/// Several tasks, the main actor's lists and other processes at a time.
@MainActor @Suite(.serialized) struct TeamTasksTests {
  @Test func `lists agree with plain code while tasks and another process act`() async throws {
    let folder = try TeamFolder()
    let team = try Team(path: folder.log)
    try await team.begin()
    let lists = TeamLists(team.store)
    try lists.show()
    let replays = TeamReplays(lists)
    let child = try TeamProcess("act", folder.log, "1", "60")
    await child.begin()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<4 {
        group.addTask {
          for _ in 0..<40 { try await team.attempt(.random { Int.random(in: 0..<$0) }, by: "task \(lane)") }
        }
      }
      for _ in 0..<30 {
        try await team.attempt(.random { Int.random(in: 0..<$0) }, by: "main")
        #expect(try PlainTeam.differences(from: lists, in: team.store) == [])
      }
      try await group.waitForAll()
    }
    let (lines, status) = await child.finish()
    #expect(status == 0 && lines.contains("right"), "\(lines.suffix(3))")
    #expect(try PlainTeam.differences(from: lists, in: team.store) == [])
    #expect(lists.people.position == (try team.store.head()))
    #expect(replays.problems == [])
    #expect(replays.batches > 0)
  }

  @Test func `what another process commits is heard without a refresh`() async throws {
    let folder = try TeamFolder()
    let team = try Team(path: folder.log)
    try await team.begin()
    let lists = TeamLists(team.store)
    try lists.show()
    let replays = TeamReplays(lists)
    let before = lists.people.position
    let child = try TeamProcess("import", folder.log, "300", "20")
    let (lines, status) = await child.finish()
    #expect(status == 0, "\(lines)")
    let isHeard = try await eventually { try lists.activity.position == team.store.head() }
    #expect(isHeard && lists.activity.position == Position(before.rawValue + 300))
    // Not one of them was asked.
    lists.each { #expect($0.position == lists.activity.position) }
    #expect(replays.batches > 0)
    #expect(replays.problems == [])
    #expect(try PlainTeam.differences(from: lists, in: team.store) == [])
  }

  @Test func `lists are right after another process was killed in the middle of its commands`() async throws {
    let folder = try TeamFolder()
    let team = try Team(path: folder.log)
    try await team.begin()
    let lists = TeamLists(team.store)
    try lists.show()
    let replays = TeamReplays(lists)
    for round in 0..<6 {
      let child = try TeamProcess("act", folder.log, "\(round)", "0")
      await child.begin()
      let before = try team.store.head()
      #expect(try await eventually { try team.store.head() > before })
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...60)))
      try await team.attempt(.random { Int.random(in: 0..<$0) })
      child.kill()
      let (lines, _) = await child.finish()
      let acknowledged = lines.compactMap { $0.hasPrefix("did ") ? Int($0.dropFirst(4)) : nil }.max() ?? 0
      let head = try team.store.head()
      // What it acknowledged is there.
      #expect(head.rawValue >= acknowledged)
      #expect(try await eventually { lists.people.position >= head })
      #expect(try PlainTeam.differences(from: lists, in: team.store) == [])
      #expect(replays.problems == [])
    }
    #expect(try team.store.verify().isSound)
  }

  @Test func `no person has too many cards, also if tasks, threads and processes assign them`() async throws {
    let folder = try TeamFolder()
    let team = try Team(path: folder.log)
    try await team.begin()
    for number in 4..<40 {
      try await team.perform(.card(.add(id: "c\(number)", board: "b0", title: "t", points: 1)))
    }
    let child = try TeamProcess("act", folder.log, "1", "40")
    // Beside the commands that are awaited, some of threads that wait.
    let threads = Task.detached { await assignments(of: team, threads: 2) }
    let refused = try await withThrowingTaskGroup(of: Int.self) { group in
      for lane in 0..<6 {
        // Half of the tasks have a store of their own.
        let mine = lane.isMultiple(of: 2) ? team : try Team(path: folder.log)
        group.addTask {
          var refused = 0
          for number in 0..<20 {
            do {
              try await mine.perform(.card(.assign(id: "c\((lane * 7 + number) % 40)", to: "p\(number % 2)")))
            } catch CardDesk.Refusal.tooManyCards {
              refused += 1
            } catch is CardDesk.Refusal {
              // Another person has left, or a card is done.
            }
          }
          return refused
        }
      }
      var all = 0
      while let refused = try await group.next() { all += refused }
      return all
    }
    _ = await child.finish()
    await threads.value
    var held: [String: Set<String>] = [:]
    var most = 0
    try team.store.forEachEvent(of: TeamCardEvent.self) { recorded in
      guard case .assigned(let card, let from, let to) = recorded.event else { return }
      if let from { held[from]?.remove(card) }
      if let to { held[to, default: []].insert(card) }
      most = max(most, held.values.map(\.count).max() ?? 0)
    }
    #expect(most == CardDesk.mostCards)
    #expect(refused > 0)
  }

  @Test func `a card is finished together with its comment, or neither`() async throws {
    let folder = try TeamFolder()
    let team = try Team(path: folder.log)
    try await team.begin()
    let lists = TeamLists(team.store)
    try lists.show()
    try await team.perform(.finish(card: "c1", comment: "c1m1", author: "p0", text: "it works"))
    #expect(lists.done.results.expanded.row(forID: "c1")?.comments == 1)
    await #expect(throws: Discussion.Refusal.alreadyThere) {
      try await team.perform(.finish(card: "c1", comment: "c1m1", author: "p0", text: "again"))
    }
    let head = try team.store.head()
    await #expect(throws: CardDesk.Refusal.noCard) {
      try await team.perform(.finish(card: "c99", comment: "m", author: "p0", text: "no such card"))
    }
    #expect(try team.store.head() == head)
    // And back: the undo of a move.
    try await team.perform(.card(.undoMove(id: "c1")))
    #expect(lists.done.results.expanded.row(forID: "c1") == nil)
    #expect(lists.board.results.row(forID: "c1") == nil && lists.titles.results.row(forID: "c1")?.stage == .toDo)
    #expect(try PlainTeam.differences(from: lists, in: team.store) == [])
  }
}

/// Assigns cards on threads that wait for their commands.
private func assignments(of team: Team, threads: Int) async {
  await withTaskGroup(of: Void.self) { group in
    for lane in 0..<threads {
      group.addTask {
        await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            for number in 0..<20 {
              // Mostly refused.
              _ = try? team.store.execute(
                .assign(id: "c\((lane * 11 + number) % 40)", to: "p\(number % 2)"), on: .boundary(CardDesk.self))
            }
            continuation.resume()
          }
        }
      }
    }
  }
}
