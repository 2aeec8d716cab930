import Annals
import AnnalsSamples
import Testing

@Suite struct TeamTests {
  private let store = MemoryEventStore()

  init() throws {
    for player in [
      Player("p1", "Mia", age: 31, team: "reds"), Player("p2", "Noor", age: 19, team: "reds"),
      Player("p3", "Olu", age: 24, team: "blues"),
    ] {
      try sign(player)
    }
  }

  private func sign(_ player: Player) throws {
    try store.execute(.sign(player), on: Team[player.team])
  }

  @Test func `a team is listed by age, and a player who is added in between appears`() throws {
    let screen = try TeamScreen(store, team: "reds")
    #expect(screen.list == [.init("", ["Noor, 19", "Mia, 31"])])
    try sign(Player("p4", "Pia", age: 22, team: "reds"))
    #expect(screen.tap.takeNotes() == ["will change", "insert [0, 1] Pia, 22", "did change"])
    #expect(screen.table.sections == [.init("", ["Noor, 19", "Pia, 22", "Mia, 31"])])
    #expect(screen.reloads == 1)
  }

  @Test func `a player who is added on another thread appears when the list is asked to catch up`() async throws {
    let screen = try TeamScreen(store, team: "reds")
    let store = store
    try await Task.detached {
      _ = try store.execute(.sign(Player("p4", "Pia", age: 22, team: "reds")), on: Team["reds"])
    }.value
    screen.controller.refresh()
    #expect(screen.table.sections[0].rows == ["Noor, 19", "Pia, 22", "Mia, 31"])
  }

  @MainActor @Test func `on the main actor a player who is added elsewhere appears without being asked for`()
    async throws
  {
    let screen = try TeamScreen(store, team: "reds")
    let store = store
    try await Task.detached {
      _ = try store.execute(.sign(Player("p4", "Pia", age: 22, team: "reds")), on: Team["reds"])
    }.value
    for _ in 0..<2000 where screen.reloads == 0 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(screen.table.sections[0].rows == ["Noor, 19", "Pia, 22", "Mia, 31"])
  }

  @Test func `two teams do not disturb each other`() throws {
    let (reds, blues) = (try TeamScreen(store, team: "reds"), try TeamScreen(store, team: "blues"))
    try sign(Player("p4", "Pia", age: 22, team: "blues"))
    #expect(reds.tap.notes == [])
    #expect(reds.reloads == 0)
    #expect(blues.table.sections == [.init("", ["Pia, 22", "Olu, 24"])])
    try store.execute(.celebrateBirthday(id: "p2"), on: Team["reds"])
    #expect(blues.reloads == 1)
    #expect(reds.table.sections == [.init("", ["Noor, 20", "Mia, 31"])])
    #expect(reds.controller.position == blues.controller.position)
  }

  @Test func `two teams that share the cache name find each its own players at the next start`() throws {
    for team in ["reds", "blues"] { try TeamScreen(store, team: team).controller.saveCache() }
    try sign(Player("p4", "Pia", age: 22, team: "blues"))
    let (reds, blues) = (try TeamScreen(store, team: "reds"), try TeamScreen(store, team: "blues"))
    #expect(reds.controller.cacheReport.restored == 3 && blues.controller.cacheReport.restored == 3)
    #expect(reds.list == [.init("", ["Noor, 19", "Mia, 31"])])
    #expect(blues.list == [.init("", ["Pia, 22", "Olu, 24"])])
    try store.execute(.celebrateBirthday(id: "p2"), on: Team["reds"])
    #expect(reds.table.sections == [.init("", ["Noor, 20", "Mia, 31"])] && blues.reloads == 0)
  }

  @Test func `a birthday that overtakes is a move and an update, and the table is right after each bracket`() throws {
    try sign(Player("p4", "Pia", age: 19, team: "reds"))
    let screen = try TeamScreen(store, team: "reds")
    try store.execute(.celebrateBirthday(id: "p2"), on: Team["reds"])
    #expect(
      screen.tap.notes == [
        "will change", "move [0, 0] → [0, 1] Noor, 20", "did change", "will change", "update [0, 1] Noor, 20",
        "did change",
      ])
    #expect(screen.table.sections == screen.list)
  }

  @Test func `what a trainer cannot have is refused`() throws {
    let refused: [(TeamCommand, Team.Refusal)] = [
      (.sign(Player("p1", "Mia", age: 31, team: "reds")), .alreadyThere("p1")),
      (.sign(Player("n", "n", age: 31, team: "blues")), .otherTeam("blues")),
      (.sign(Player("n", "n", age: 15, team: "reds")), .tooYoung(age: 15)),
      (.celebrateBirthday(id: "p3"), .notThere("p3")), (.release(id: "n"), .notThere("n")),
    ]
    for (command, refusal) in refused {
      #expect(throws: refusal) { try store.execute(command, on: Team["reds"]) }
    }
  }
}
