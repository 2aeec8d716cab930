import Annals
import AnnalsSQLite
import Foundation
import TeamApp
import TeamBoards
import TeamPeople
import TeamPlain
import Testing

/// Imports while the main actor shows the lists.
@MainActor @Suite(.serialized) struct TeamImportTests {
  @Test func `ten live lists follow an import of 50,000 events by another actor`() async throws {
    let perCommit = 5_000
    let folder = try TeamFolder()
    let team = try Team(path: folder.log)
    let lists = TeamLists(team.store, isSaved: false)
    try lists.show()
    let replays = TeamReplays(lists)
    let lines = try ExportedLines.text(50_000)
    let count = try await TeamImporter(team.store).run(lines, perCommit: perCommit)
    #expect(count == 50_000)
    #expect(try await eventually { lists.people.position == 50_000 })
    #expect(try PlainTeam.differences(from: lists, in: team.store) == [])
    #expect(replays.problems == [])
    #expect(replays.batches >= 10)
    // Again: nothing is there twice.
    #expect(try await TeamImporter(team.store).run(lines.prefix(perCommit), perCommit: perCommit) == 0)
    #expect(try team.store.head() == 50_000)
  }

  @Test func `an import that ended in the middle is completed by the same import`() async throws {
    let folder = try TeamFolder()
    let team = try Team(path: folder.log)
    let lines = try ExportedLines.text(900)
    try await TeamImporter(team.store).run(lines.prefix(400), perCommit: 100)
    await #expect(throws: DecodingError.self) {
      try await TeamImporter(team.store).run(lines.prefix(650) + ["{"], perCommit: 100)
    }
    #expect(try team.store.head() == 600)
    #expect(try await TeamImporter(team.store).run(lines, perCommit: 100) == 300)
    let lists = TeamLists(team.store)
    try lists.show()
    #expect(try PlainTeam.differences(from: lists, in: team.store) == [])
    // What was known when half of it had happened: whole transactions.
    let half = try await #require(try team.store.events(of: TeamEvent.self, after: 449, limit: 1).first).time
    try lists.each { try $0.seek(to: team.store.position(at: half)) }
    #expect(lists.people.position == 400)
    #expect(try PlainTeam.differences(from: lists, in: team.store) == [])
  }

  @Test func `a saved list is there after a restart without any event being folded`() async throws {
    let folder = try TeamFolder()
    try await {
      let team = try Team(path: folder.log)
      try await TeamImporter(team.store).run(ExportedLines.text(6_000), perCommit: 1_000)
      let lists = TeamLists(team.store)
      try lists.show()
      try lists.each { try $0.saveCache() }
    }()
    let team = try Team(path: folder.log)
    let lists = TeamLists(team.store)
    try lists.show()
    lists.each { #expect($0.cacheReport.restored == 6_000, "\($0.cacheReport)") }
    #expect(try PlainTeam.differences(from: lists, in: team.store) == [])
    // And it goes on.
    try await team.perform(.board(.rename(id: "b0", to: "the first board")))
    #expect(try PlainTeam.differences(from: lists, in: team.store) == [])
  }
}
