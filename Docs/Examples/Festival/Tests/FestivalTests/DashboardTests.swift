import Annals
import FestivalApp
import FestivalDomain
import Foundation
import Testing

@MainActor @Suite struct DashboardTests {
  @Test func `totals don't depend on the search`() async throws {
    let (festival, ann) = try await Festival.sample()
    let dashboard = Dashboard(for: ann, now: friday, calendar: utc)
    try await dashboard.load()
    #expect(dashboard.fees == Decimal(string: "600.60") && dashboard.income == 0)
    try await dashboard.search("tent ze")
    #expect(acts(dashboard.programme.results) == ["Tent: Zebra"])
    try await ann.execute(.cancel(1))
    #expect(dashboard.fees == Decimal(string: "500.50"))
    let lines: [Substring] = ["1,Day,49.90,Eva,2026-03-01T08:00:00Z", "2,Day,0.20,Ole,2026-03-01T09:00:00Z"]
    _ = try await TicketImport(lines: lines, from: "shop").run(in: festival)
    #expect(dashboard.income == Decimal(string: "50.10"))
  }

  @Test func `the badge shows who changed a slot, and when`() async throws {
    let clock = Clock()
    let (festival, ann) = try await Festival.sample(MemoryEventStore(environment: clock.environment))
    let bob = Planner("bob", in: festival)
    let dashboard = Dashboard(for: bob, now: friday)
    try await dashboard.load()
    #expect(dashboard.unseen.rowCount == 3)
    try await dashboard.look()
    #expect(dashboard.unseen.rowCount == 0)
    clock.set(friday + 60)
    try await ann.execute(.move(1, to: place(1, 10)))
    try await ann.execute(.move(1, to: place(1, 11)))
    try await bob.execute(.move(2, to: place(2, 12)))
    let row = try #require(dashboard.unseen.results.rows.first)
    #expect(dashboard.unseen.rowCount == 1)
    #expect(row.id == 1 && row.positions.count == 2 && row.author == "ann" && row.time == friday + 60)
  }
}
