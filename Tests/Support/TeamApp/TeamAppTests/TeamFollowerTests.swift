import Annals
import AnnalsSQLite
import Foundation
import Synchronization
import TeamApp
import TeamBoards
import TeamPeople
import TeamPlain
import Testing

/// The app's mails and its index of words.
@Suite struct TeamFollowerTests {
  private struct NoServer: Error {}

  @Test func `each assignment is mailed at least once, also after failures and a restart`() async throws {
    let folder = try TeamFolder()
    let sent = Mutex<[Mail]>([])
    let calls = Mutex(0)
    let fails = Mutex(true)
    /// Every third call fails, and after the 20th every one until the process is started again.
    @Sendable func send(_ mail: Mail) async throws {
      let number = calls.withLock { calls in
        calls += 1
        return calls
      }
      if number % 3 == 0 || number > 20 && fails.withLock({ $0 }) { throw NoServer() }
      sent.withLock { $0.append(mail) }
    }
    try await {
      let team = try Team(path: folder.log)
      try await TeamImporter(team.store).run(ExportedLines.text(600), perCommit: 50)
      let error = await #expect(throws: ProjectionError.self) { try await team.mailer(send: send).catchUp() }
      #expect(error?.underlying is NoServer)
    }()
    let before = sent.withLock { $0 }
    #expect(before.count > 5)
    fails.withLock { $0 = false }
    let team = try Team(path: folder.log)
    try await team.mailer(send: send).catchUp()
    try await TeamImporter(team.store).run(ExportedLines.text(700)[600...], perCommit: 50)
    try await team.mailer(send: send).catchUp()
    let expected = try await team.store.events(of: TeamEvent.self).compactMap { recorded -> Mail? in
      guard case .card(.assigned(let card, _, let person?)) = recorded.event else { return nil }
      return Mail(person: person, card: card, key: recorded.id)
    }
    let mails = sent.withLock { $0 }
    // In order, and none is missing; those before the restart were not sent again.
    #expect(mails == expected)
    #expect(Array(mails.prefix(before.count)) == before)
  }

  @Test func `a running follower gets what another process does`() async throws {
    let folder = try TeamFolder()
    let team = try Team(path: folder.log)
    let sent = Mutex<Set<EventID>>([])
    let mailer = try team.mailer { mail in _ = sent.withLock { $0.insert(mail.key) } }
    let running = Task { try await mailer.run() }
    let child = try TeamProcess("import", folder.log, "500", "25")
    let (lines, status) = await child.finish()
    #expect(status == 0, "\(lines)")
    #expect(try await eventually { try mailer.position == 500 })
    running.cancel()
    _ = await running.result
    let expected = try await team.store.events(of: TeamEvent.self).filter { recorded in
      if case .card(.assigned(_, _, .some)) = recorded.event { true } else { false }
    }
    #expect(!expected.isEmpty && sent.withLock { $0 } == Set(expected.map(\.id)))
  }

  @Test func `the index finds what is there, after a restart too, and forgets a person`() async throws {
    let folder = try TeamFolder()
    let file = folder.folder.appending(path: "words.json")
    let team = try Team(path: folder.log)
    try await team.begin()
    let index = try WordIndex(file: file)
    try await team.indexer(index).catchUp()
    #expect(await index.find("write") == ["card c0", "card c1", "card c2", "card c3"])
    #expect(await index.find("secretname") == ["person p0"])
    try await team.perform(.card(.rename(id: "c0", to: "Answer mails")))
    try await team.perform(.card(.remove(id: "c1")))
    let again = try WordIndex(file: file)
    try await team.indexer(again).catchUp()
    #expect(await again.find("write") == ["card c2", "card c3"])
    #expect(await again.find("answer") == ["card c0"])
    try await team.perform(.erase(person: "p0"))
    try await team.indexer(again).catchUp()
    #expect(await again.find("secretname") == [])
    #expect(try !Data(contentsOf: file).contains(Data("Secretname".utf8)))
  }
}
