import Annals
import AnnalsSQLite
import Foundation
import TeamApp
import TeamBoards
import TeamPeople
import TeamPlain
import Testing

/// A person is forgotten, and the log is made shorter, while the lists are shown.
@MainActor @Suite struct TeamErasureTests {
  @Test func `a person who is forgotten is gone from all lists and from the files`() async throws {
    let folder = try TeamFolder()
    let team = try Team(path: folder.log)
    try await team.begin()
    try await team.perform(.card(.assign(id: "c0", to: "p0")))
    try await team.perform(.comment(.write(id: "c0m", card: "c0", author: "p0", text: "the Secretword")))
    try await team.perform(.person(.rename(id: "p0", to: "Ann Othersecret")))
    let lists = TeamLists(team.store)
    try lists.show()
    try lists.each { try $0.saveCache() }
    let replays = TeamReplays(lists)
    // Another store, whose lists hear of it.
    let elsewhere = try Team(path: folder.log)
    let others = TeamLists(elsewhere.store)
    try others.show()
    #expect(lists.byPerson.results.row(forID: "c0")?.personName?.value == "Ann Othersecret")
    #expect(try folder.bytes().contains(Data("Othersecret".utf8)))
    try await team.perform(.erase(person: "p0"))
    #expect(try await eventually { others.byPerson.results.row(forID: "c0")?.personName?.isErased == true })
    for shown in [lists, others] {
      let card = try #require(shown.byPerson.results.row(forID: "c0"))
      #expect(card.person == "p0" && card.personName?.isErased == true)
      #expect(shown.comments.results.row(forID: "c0m")?.text.isErased == true)
      #expect(shown.comments.results.row(forID: "c0m")?.authorName?.isErased == true)
      let person = try #require(shown.people.results.row(forID: "p0"))
      #expect(person.name.isErased && person.mail.isErased && person.hasLeft)
      #expect(try PlainTeam.differences(from: shown, in: team.store) == [])
    }
    #expect(replays.problems == [])
    #expect(replays.causes.contains { $0.contains(.erasure) })
    let bytes = try folder.bytes()
    for secret in ["Secretname", "Othersecret", "Secretword", "0@secretmail.org"] {
      #expect(!bytes.contains(Data(secret.utf8)), "\(secret)")
    }
    // Others stay.
    #expect(bytes.contains(Data("1@secretmail.org".utf8)))
    #expect(lists.people.results.row(forID: "p1")?.name.value == "Bo")
  }

  @Test func `a compaction leaves all live lists as they are`() async throws {
    let folder = try TeamFolder()
    let team = try Team(path: folder.log)
    try await team.begin()
    for round in 0..<30 {
      try await team.perform(.card(.rename(id: "c\(round % 4)", to: "write \(round)")))
      try await team.perform(.card(.estimate(id: "c\(round % 3)", points: round)))
      try await team.attempt(.card(.move(id: "c\(round % 4)", to: round % 2 == 0 ? .doing : .review)))
    }
    try await team.perform(.comment(.write(id: "c0m", card: "c0", author: "p1", text: "one")))
    for round in 0..<5 { try await team.perform(.comment(.edit(id: "c0m", card: "c0", text: "\(round)"))) }
    let mailer = try team.mailer { _ in }
    try await mailer.catchUp()
    let lists = TeamLists(team.store)
    try lists.show()
    let replays = TeamReplays(lists)
    let head = try team.store.head()
    let receipt = try await team.compact()
    #expect(receipt.cut == 26 + 27 + 4 && receipt.leftAlone.isEmpty, "\(receipt)")
    #expect(try team.store.head() == head && team.store.verify().isSound)
    #expect(try PlainTeam.differences(from: lists, in: team.store) == [])
    // No row changed, so that no one was notified.
    #expect(replays.batches == 0)
    #expect(replays.problems == [])
    // The lists go on, and a decider goes on from what remains.
    try await team.perform(.card(.undoMove(id: "c1")))
    #expect(try PlainTeam.differences(from: lists, in: team.store) == [])
    try await mailer.catchUp()
    #expect(throws: SeekError.self) { try lists.people.seek(to: 3) }
    #expect(try await team.compact().isUnchanged)
  }
}
