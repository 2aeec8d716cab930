import Annals

/// A volunteer, whose name can be erased from the log.
public struct Volunteer: Row, Hashable {
  public let id: Int
  public var name: Personal<String>

  public init(id: Int, name: String) {
    (self.id, self.name) = (id, Personal(name, of: Volunteer.subject(id)))
  }

  /// Returns the key under which the log stores a volunteer's personal values, for example to erase them.
  public static func subject(_ id: Int) -> String { "volunteer-\(id)" }
}
