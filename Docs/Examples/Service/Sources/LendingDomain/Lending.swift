public import Annals

/// A change to the things that a library with several branches lends, such as drills and tents.
public enum LendingEvent: Event, Equatable {
  case added(thing: String, title: String, branch: String)
  case lent(thing: String, member: String)
  case returned(thing: String, member: String, branch: String)

  public var tags: Set<EventTag> {
    switch self {
    case .added(let thing, _, _): ["thing:\(thing)"]
    case .lent(let thing, let member), .returned(let thing, let member, _): ["thing:\(thing)", "member:\(member)"]
    }
  }
}

/// A request to change the library's things.
public enum LendingCommand: Hashable, Codable, Sendable {
  case add(thing: String, title: String, branch: String)
  case lend(thing: String, member: String)
  case giveBack(thing: String, branch: String)

  /// The id of the thing that the command changes.
  public var thing: String {
    switch self {
    case .add(let thing, _, _), .lend(let thing, _), .giveBack(let thing, _): thing
    }
  }
}

/// Decides who may borrow a thing: a thing is lent once at a time, and a member has at most three things.
public struct Lending: BoundaryDecider, Equatable {
  /// The reason for refusing a command.
  public enum Refusal: String, Error {
    case thingExists, unknownThing, isLent, isNotLent, memberHasThree
  }

  private var isLentTo: [String: String?] = [:]
  private var loans: [String: Int] = [:]

  public init() {}

  public static func boundary(for command: LendingCommand) -> EventQuery {
    switch command {
    case .add(let thing, _, _), .giveBack(let thing, _): .tagged("thing:\(thing)")
    case .lend(let thing, let member): .tagged("thing:\(thing)") || .tagged("member:\(member)")
    }
  }

  public static func stream(for command: LendingCommand) -> StreamName { stream(command.thing) }

  public func decide(_ command: LendingCommand) throws(Refusal) -> [LendingEvent] {
    switch (command, isLentTo[command.thing]) {
    case (.add(let thing, let title, let branch), nil): return [.added(thing: thing, title: title, branch: branch)]
    case (.add, _): throw .thingExists
    case (_, nil): throw .unknownThing
    case (.lend, .some(.some)): throw .isLent
    case (.lend(let thing, let member), _):
      guard loans[member, default: 0] < 3 else { throw .memberHasThree }
      return [.lent(thing: thing, member: member)]
    case (.giveBack(let thing, let branch), .some(.some(let member))):
      return [.returned(thing: thing, member: member, branch: branch)]
    case (.giveBack, _): throw .isNotLent
    }
  }

  public mutating func evolve(_ event: LendingEvent) {
    switch event {
    case .added(let thing, _, _): isLentTo[thing] = .some(nil)
    case .lent(let thing, let member):
      isLentTo[thing] = member
      loans[member, default: 0] += 1
    case .returned(let thing, let member, _):
      isLentTo[thing] = .some(nil)
      loans[member, default: 0] -= 1
    }
  }
}
