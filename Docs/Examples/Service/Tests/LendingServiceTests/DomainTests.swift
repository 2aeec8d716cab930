import Annals
import AnnalsTesting
import LendingDomain
import Testing

@Suite struct DomainTests {
  @Test func `a command's boundary has all events on which its decision depends`() throws {
    for _ in 0..<50 {
      var (lending, history) = (Lending(), [LendingEvent]())
      for _ in 0..<60 {
        let command = Self.command()
        try Lending.ensureBoundaryHolds(command, after: history)
        guard let events = try? lending.decide(command) else { continue }
        for event in events { lending.evolve(event) }
        history += events
      }
    }
  }

  @Test func `a refusal names its rule`() throws {
    var lending = Lending()
    lending.evolve(.added(thing: "saw", title: "Saw", branch: "East"))
    #expect(throws: Lending.Refusal.thingExists) {
      try lending.decide(.add(thing: "saw", title: "Saw", branch: "West"))
    }
    #expect(throws: Lending.Refusal.isNotLent) { try lending.decide(.giveBack(thing: "saw", branch: "East")) }
    lending.evolve(.lent(thing: "saw", member: "ann"))
    #expect(throws: Lending.Refusal.isLent) { try lending.decide(.lend(thing: "saw", member: "bob")) }
    #expect(throws: Lending.Refusal.unknownThing) { try lending.decide(.giveBack(thing: "axe", branch: "East")) }
  }

  private static func command() -> LendingCommand {
    let (thing, name) = ("\(Int.random(in: 1...6))", ["ann", "bob", "cleo"].randomElement() ?? "")
    return switch Int.random(in: 0..<3) {
    case 0: .add(thing: thing, title: "Thing", branch: "East")
    case 1: .lend(thing: thing, member: name)
    default: .giveBack(thing: thing, branch: "West")
    }
  }
}
