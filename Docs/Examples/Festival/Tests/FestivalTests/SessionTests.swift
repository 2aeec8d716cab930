import Annals
import FestivalApp
import FestivalDomain
import Foundation
import Testing

@testable import festival

@MainActor @Suite struct SessionTests {
  private let festival: Festival
  private let folder: Folder

  init() throws {
    folder = try Folder()
    festival = try Festival(path: folder.log)
  }

  private func lines(_ line: String, user: String = "ann") async throws -> [String] {
    var lines: [String] = []
    let words = line.split(separator: " ").map(String.init)
    try await Session(festival, user: user) { lines.append($0) }.run(words[0], Array(words[1...]))
    return lines
  }

  @Test func `words change and show the festival`() async throws {
    for line in [
      "open 1 Meadow 1", "open 2 Tent 2", "rename 2 Barn", "enlist 5 Eva", "enlist 6 Ole",
      "book 1 Äolus 1 2026-08-07T18:00:00Z 2026-08-07T19:00:00Z 100.50",
      "book 2 Zebra - 2026-08-07T18:00:00Z 2026-08-07T19:00:00Z 20", "assign 5 1", "assign 6 1", "release 6 1",
    ] {
      #expect(try await lines(line) == [])
    }
    #expect(
      try await lines("list") == [
        "Meadow: 1 slots, 100.5", "  1 2026-08-07T18:00:00Z Äolus: Eva", "Unplaced: 1 slots, 20",
        "  2 2026-08-07T18:00:00Z Zebra",
      ])
    #expect(try await lines("list zeb").count == 2)
    #expect(try await lines("at 2026-01-01T00:00:00Z") == [])
    #expect(try await lines("today").last == "fees 120.5, income 0")
    #expect(try await lines("volunteers") == ["E: 5 Eva", "O: 6 Ole"])
    #expect(try await lines("unseen", user: "bob").map { $0.prefix(11) } == ["slot 1: ann", "slot 2: ann"])
    #expect(try await lines("seen", user: "bob") == [])
    #expect(try await lines("unseen", user: "bob") == [])
    #expect(try await lines("forget 5") == [])
    #expect(try await lines("volunteers") == ["Forgotten: 5 -", "O: 6 Ole"])
    for line in ["dismiss 6", "cancel 2", "close 1", "undo", "redo", "undo"] { #expect(try await lines(line) == []) }
    #expect(try await lines("list") == ["Meadow: 1 slots, 100.5", "  1 2026-08-07T18:00:00Z Äolus: -"])
  }

  @Test func `moves are tried, and carried out only if all are possible`() async throws {
    let (from, to) = ("2026-08-07T18:00:00Z", "2026-08-07T19:00:00Z")
    for line in ["open 1 Meadow 1", "book 1 A 1 \(from) \(to) 1", "book 2 B - \(from) \(to) 1"] {
      _ = try await lines(line)
    }
    let before = try await lines("list")
    #expect(try await lines("try 2 1 \(from) \(to)") == before + ["B overlaps with A on Meadow."])
    #expect(try await lines("list") == before)
    let after = try await lines("try 1 - \(from) \(to) + 2 1 \(from) \(to)")
    #expect(after == ["Meadow: 1 slots, 1", "  2 \(from) B", "Unplaced: 1 slots, 1", "  1 \(from) A"])
    #expect(try await lines("list") == after)
  }

  @Test func `a file of tickets is imported`() async throws {
    let file = folder.url.appending(path: "tickets.txt")
    try Data("7,Day,49.90,Ann,2026-03-01T08:00:00Z\n8,Day,49.90,Ole,2026-03-01T08:00:00Z\n".utf8).write(to: file)
    #expect(try await lines("import \(file.path) shop") == ["100 %", "2 tickets added, 0 were already imported"])
    #expect(try await lines("import \(file.path) shop") == ["100 %", "0 tickets added, 2 were already imported"])
  }

  @Test(arguments: ["dance", "open 1 Meadow", "close Meadow", "list a b", "move 1 1 Friday Saturday", "try 1 2"])
  func `unknown words are not understood`(_ line: String) async throws {
    await #expect(throws: Usage.self) { try await lines(line) }
  }
}
