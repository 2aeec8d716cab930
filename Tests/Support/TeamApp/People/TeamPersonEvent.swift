public import Annals

/// What happened to the people of a team.
public enum TeamPersonEvent: Event, Equatable {
  case joined(id: String, name: Personal<String>, mail: Personal<String>, team: String)
  case renamed(id: String, to: Personal<String>)
  case transferred(id: String, team: String)
  case left(id: String)
  /// What the log says about the person was erased: programs outside of it forget the person too.
  case forgotten(id: String)

  /// The person that it happened to.
  public var id: String {
    switch self {
    case .joined(let id, _, _, _), .renamed(let id, _), .transferred(let id, _), .left(let id), .forgotten(let id): id
    }
  }

  /// The person's tag.
  public var tags: Set<EventTag> { [Self.tag(of: id)] }

  /// The tag of everything that a person takes part in.
  ///
  /// - Parameter id: The person.
  /// - Returns: The tag.
  public static func tag(of id: String) -> EventTag { "person:\(id)" }

  /// Whose personal values are kept apart.
  ///
  /// - Parameter id: The person.
  /// - Returns: The subject of the values.
  public static func subject(of id: String) -> String { "person-\(id)" }
}
