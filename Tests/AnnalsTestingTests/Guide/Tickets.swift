import Annals
import AnnalsTesting
import Testing

actor Tickets {
  struct Taken: Error {}

  private var sold: [Int: String] = [:]

  func sell(_ seat: Int, to name: String) async throws {
    guard sold[seat] == nil else { throw Taken() }
    await charge(name)
    sold[seat] = name
  }

  func owner(of seat: Int) -> String { sold[seat] ?? "" }

  private func charge(_ name: String) async { await Task.yield() }
}

struct TicketMachine: AsyncMachine {
  func start() async throws -> (model: [Int: String], system: Tickets) { ([:], Tickets()) }

  var commands: [Command<[Int: String], Tickets>] {
    Command("sell(_:to:)") { _ in
      zip(.int(in: 1...9), .element(of: ["ann", "bob"]))
    } model: { sold, sale in
      guard sold[sale.0] == nil else { throw Tickets.Taken() }
      sold[sale.0] = sale.1
    } run: { tickets, sale in
      try await tickets.sell(sale.0, to: sale.1)
    }
    Command("owner(of:)") { _ in
      .int(in: 1...9)
    } model: { sold, seat in
      sold[seat] ?? ""
    } run: { tickets, seat in
      await tickets.owner(of: seat)
    }
  }
}

@Suite struct TicketTests {
  @Test func `no seat is sold twice`() async throws {
    let failure = await #expect(throws: PropertyFailure.self) {
      try await check(TicketMachine(), concurrency: 2, settings: CheckSettings(seed: 1, environment: [:]))
    }
    let guide = try testingGuide()
    for line in failure?.input ?? [] { #expect(guide.contains("  \(line)\n"), "\(line)") }
    let reason = failure?.error.map { "\($0)" } ?? ""
    #expect(guide.contains("\(reason)\n"), "\(reason)")
  }

  @Test func `one after the other, each seat is sold once`() async throws {
    try await check(TicketMachine(), settings: CheckSettings(seed: 1, environment: [:]))
  }
}
