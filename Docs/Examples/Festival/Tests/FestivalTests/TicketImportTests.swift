import Annals
import AnnalsSQLite
import FestivalApp
import FestivalDomain
import Foundation
import Testing

@MainActor @Suite struct TicketImportTests {
  private let lines = (1...2_100).map { number in
    "\(number),\(number % 2 == 0 ? "Day" : "Weekend"),49.90,Guest \(number),2026-03-01T08:00:00Z"[...]
  }

  @Test func `tickets are imported once, with progress`() async throws {
    let folder = try Folder()
    let festival = try Festival(path: folder.log)
    let tickets = try TicketImport(lines: lines, from: "shop")
    var parts: [Double] = []
    let report = try await tickets.run(in: festival) { parts.append($0) }
    #expect(report == (2_100, 0))
    #expect(parts == [500, 1_000, 1_500, 2_000, 2_100].map { $0 / 2_100 })
    let list = try await Festival(path: folder.log).store.list(of: TicketList(), .tickets)
    #expect(list.map(\.title) == ["Day", "Weekend"] && list.map { $0[.count] } == [1_050, 1_050])
    #expect(list[Ticket.income] == 104_790)
  }

  @Test func `an interrupted import continues where it stopped`() async throws {
    let folder = try Folder()
    let tickets = try TicketImport(lines: lines, from: "shop")
    let running = Task {
      try await tickets.run(in: Festival(path: folder.log)) { part in
        if part > 0.4 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await running.value }
    let festival = try Festival(path: folder.log)
    #expect(try await tickets.run(in: festival) == (1_100, 1_000))
    #expect(try await tickets.run(in: festival) == (0, 2_100))
  }

  @Test func `a changed table and an invalid line are refused`() async throws {
    let festival = Festival(store: MemoryEventStore())
    _ = try await TicketImport(lines: lines[..<20], from: "shop").run(in: festival)
    let error = await #expect(throws: EventStoreError.self) {
      try await TicketImport(lines: lines[..<30], from: "shop").run(in: festival)
    }
    #expect(error?.code == .commandReused)
    #expect(try await TicketImport(lines: lines[..<30], from: "box office").run(in: festival) == (30, 0))
    let line = #expect(throws: TicketImport.InvalidLine.self) {
      try TicketImport(lines: [lines[0], "x"], from: "shop")
    }
    #expect(line?.number == 2)
  }
}
