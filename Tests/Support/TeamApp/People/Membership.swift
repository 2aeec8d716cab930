public import Annals

/// What someone wants to do with a person.
public enum PersonCommand: Hashable, Sendable {
  case join(id: String, name: String, mail: String, team: String)
  case rename(id: String, to: String)
  case transfer(id: String, team: String)
  case leave(id: String)
  case forget(id: String)

  /// The person.
  public var id: String {
    switch self {
    case .join(let id, _, _, _), .rename(let id, _), .transfer(let id, _), .leave(let id), .forget(let id): id
    }
  }
}

/// Decides who belongs to which team.
public struct Membership: Decider, Equatable {
  /// Why a command is refused.
  public enum Refusal: Error, Equatable {
    case alreadyHere, notHere, neverHere
  }

  /// The streams of people.
  public static var category: String { "Person" }

  private var wasHere = false
  private var team: String?

  /// No person yet.
  public init() {}

  /// Decides a command.
  ///
  /// - Parameter command: What someone wants.
  /// - Returns: What happens.
  /// - Throws: Why it does not.
  public func decide(_ command: PersonCommand) throws(Refusal) -> [TeamPersonEvent] {
    switch command {
    case .join(let id, let name, let mail, let newTeam):
      guard team == nil else { throw .alreadyHere }
      let subject = TeamPersonEvent.subject(of: id)
      return [.joined(id: id, name: Personal(name, of: subject), mail: Personal(mail, of: subject), team: newTeam)]
    case .rename(let id, let name):
      guard team != nil else { throw .notHere }
      return [.renamed(id: id, to: Personal(name, of: TeamPersonEvent.subject(of: id)))]
    case .transfer(let id, let newTeam):
      guard let team else { throw .notHere }
      return team == newTeam ? [] : [.transferred(id: id, team: newTeam)]
    case .leave(let id):
      guard team != nil else { throw .notHere }
      return [.left(id: id)]
    case .forget(let id):
      guard wasHere else { throw .neverHere }
      return team == nil ? [.forgotten(id: id)] : [.left(id: id), .forgotten(id: id)]
    }
  }

  /// Notes what happened.
  ///
  /// - Parameter event: What happened.
  public mutating func evolve(_ event: TeamPersonEvent) {
    switch event {
    case .joined(_, _, _, let team): (wasHere, self.team) = (true, team)
    case .transferred(_, let team): self.team = team
    case .left: team = nil
    case .renamed, .forgotten: break
    }
  }
}
