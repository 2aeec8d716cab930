public import Annals

/// A person in a list.
public struct PersonRow: Row {
  /// What tells the person from others.
  public let id: String
  /// The person's name; without value once the person is forgotten.
  public var name: Personal<String>
  /// Where mails go.
  public var mail: Personal<String>
  /// The team that the person belongs to, or belonged to last.
  public var team: String
  /// True after the person has left.
  public var hasLeft: Bool

  /// Creates a row.
  ///
  /// - Parameters:
  ///   - id: What tells the person from others.
  ///   - name: The person's name.
  ///   - mail: Where mails go.
  ///   - team: The team.
  ///   - hasLeft: True after the person has left.
  public init(id: String, name: Personal<String>, mail: Personal<String>, team: String, hasLeft: Bool = false) {
    (self.id, self.name, self.mail, self.team, self.hasLeft) = (id, name, mail, team, hasLeft)
  }
}

/// All people.
public struct People: Projection {
  /// Makes the projection.
  public init() {}

  /// Folds an event.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - rows: The people.
  public func project(_ event: TeamPersonEvent, into rows: inout Rows<PersonRow>) {
    switch event {
    case .joined(let id, let name, let mail, let team):
      rows.insert(PersonRow(id: id, name: name, mail: mail, team: team))
    case .renamed(let id, let name): rows[id]?.name = name
    case .transferred(let id, let team): rows[id]?.team = team
    case .left(let id): rows[id]?.hasLeft = true
    case .forgotten: break
    }
  }
}
