import Annals

/// A stage of the festival.
public struct Stage: Row, Hashable {
  public let id: Int
  public var name: String
  /// The stage's place in the programme, counted from the entrance.
  public var number: Int

  public init(id: Int, name: String, number: Int) {
    (self.id, self.name, self.number) = (id, name, number)
  }
}
