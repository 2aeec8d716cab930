import Annals
import AnnalsTesting
import Foundation
import Testing

/// What `Docs/Undo.md` shows.
@Suite struct UndoPageTests {
  @Test func `the steps of the page are undone and redone`() throws {
    // On a full machine, more than two seconds can pass between the commands of a group.
    let environment = StoreEnvironment(now: { Date(timeIntervalSince1970: 0) })
    let store: any EventStore = MemoryEventStore(environment: environment)
    let history = UndoHistory(store, of: "user-7", deciders: [Stall.self])
    try history.execute(.take(2, "Bob"), on: Stall["main"], named: "Take Seat")
    try history.undo()
    try history.redo()

    try history.transaction(named: "Swap Seats") { transaction in
      try transaction.execute(.free(2), on: Stall["main"])
      try transaction.execute(.take(3, "Bob"), on: Stall["main"])
    }

    try history.execute(.free(3), on: Stall["main"], named: "Move Along", in: "bob", within: .seconds(2))
    try history.execute(.take(4, "Bob"), on: Stall["main"], named: "Move Along", in: "bob", within: .seconds(2))

    #expect(try history.stacks().undo.map(\.title) == ["Take Seat", "Swap Seats", "Move Along"])
    for seat in [3, 2] {
      try history.undo()
      #expect(try store.state(of: Stall["main"]).guests == [seat: "Bob"])
    }
  }

  @Test func `the law of the page holds`() throws {
    let commands = Generator<StallCommand> { draw in
      let seat = try draw(.int(in: 1...3))
      return try draw(.element(of: [true, false])) ? .take(seat, try draw(.element(of: ["Ann", "Bob"]))) : .free(seat)
    }
    try check(.array(of: commands, count: 0...10)) { try Stall.ensureUndoes($0, in: StallSeats()) }
  }
}

private enum StallCommand: Sendable {
  case take(Int, String)
  case free(Int)
}

private enum StallEvent: Event {
  case taken(seat: Int, name: String)
  case freed(seat: Int)
}

private struct Stall: EventwiseUndoableDecider, Equatable {
  enum Refusal: Error, Equatable { case taken(by: String), free }

  var guests: [Int: String] = [:]

  func decide(_ command: StallCommand) throws(Refusal) -> [StallEvent] {
    switch command {
    case .take(let seat, let name):
      if let other = guests[seat] { throw .taken(by: other) }
      return [.taken(seat: seat, name: name)]
    case .free(let seat):
      if guests[seat] == nil { throw .free }
      return [.freed(seat: seat)]
    }
  }

  mutating func evolve(_ event: StallEvent) {
    switch event {
    case .taken(let seat, let name): guests[seat] = name
    case .freed(let seat): guests[seat] = nil
    }
  }

  func undoing(_ event: StallEvent) -> StallCommand? {
    switch event {
    case .taken(let seat, _): .free(seat)
    case .freed(let seat): guests[seat].map { .take(seat, $0) }
    }
  }
}

private struct StallSeat: Row {
  var id: Int
  var name: String
}

private struct StallSeats: Projection {
  func project(_ event: StallEvent, into rows: inout Rows<StallSeat>) {
    switch event {
    case .taken(let seat, let name): rows.insert(StallSeat(id: seat, name: name))
    case .freed(let seat): rows[seat] = nil
    }
  }
}
