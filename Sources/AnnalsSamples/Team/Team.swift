package import Annals

/// A player of a team.
package struct Player: Row {
  package var id, name: String
  package var age: Int
  package var team: String

  package init(_ id: String, _ name: String, age: Int, team: String) {
    self.id = id
    self.name = name
    self.age = age
    self.team = team
  }
}

/// The commands of a trainer.
package enum TeamCommand {
  case sign(Player)
  case celebrateBirthday(id: Player.ID)
  case release(id: Player.ID)
}

/// The events of a team.
package enum TeamEvent: Event {
  case playerSigned(Player)
  case birthdayCelebrated(id: Player.ID, age: Int)
  case playerReleased(id: Player.ID)
}

/// The decider that turns a trainer's commands into the events of one team.
package struct Team: Decider {
  /// The reasons for refusing a command.
  package enum Refusal: Error, Equatable {
    case alreadyThere(Player.ID)
    case notThere(Player.ID)
    case otherTeam(String)
    case tooYoung(age: Int)
  }

  private var team: String?
  private var ages: [Player.ID: Int] = [:]

  package init() {}

  package func decide(_ command: TeamCommand) throws(Refusal) -> [TeamEvent] {
    switch command {
    case .sign(let player):
      if ages[player.id] != nil { throw .alreadyThere(player.id) }
      if let team, team != player.team { throw .otherTeam(player.team) }
      if player.age < 16 { throw .tooYoung(age: player.age) }
      return [.playerSigned(player)]
    case .celebrateBirthday(let id):
      guard let age = ages[id] else { throw .notThere(id) }
      return [.birthdayCelebrated(id: id, age: age + 1)]
    case .release(let id):
      if ages[id] == nil { throw .notThere(id) }
      return [.playerReleased(id: id)]
    }
  }

  package mutating func evolve(_ event: TeamEvent) {
    switch event {
    case .playerSigned(let player): (team, ages[player.id]) = (player.team, player.age)
    case .birthdayCelebrated(let id, let age): ages[id] = age
    case .playerReleased(let id): ages[id] = nil
    }
  }
}

/// The players of all teams as rows.
package struct Players: Projection {
  package init() {}

  package func project(_ event: TeamEvent, into rows: inout Rows<Player>) {
    switch event {
    case .playerSigned(let player): rows.insert(player)
    case .birthdayCelebrated(let id, let age): rows[id]?.age = age
    case .playerReleased(let id): rows[id] = nil
    }
  }
}

extension ListRequest where Row == Player {
  /// Returns a request for one team's players, with the youngest first.
  package static func players(of team: String) -> ListRequest {
    ListRequest(filter: .where("team \(team)") { $0.team == team }, sort: [.ascending(\.age)], fetchBatchSize: 20)
  }
}
