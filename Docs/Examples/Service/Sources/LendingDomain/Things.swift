public import Annals

/// A thing as it is shown: on a branch's shelf, or with the member who borrowed it.
public struct Thing: Row, Codable, Hashable {
  public let id: String
  public var title: String
  public var branch: String
  public var member: String?

  public init(id: String, title: String, branch: String, member: String? = nil) {
    (self.id, self.title, self.branch, self.member) = (id, title, branch, member)
  }

  /// The section's title: the branch that has the thing, or `lent`.
  public var place: String { member == nil ? branch : "lent" }
}

/// The things as rows.
public struct Things: Projection {
  public init() {}

  public func project(_ event: LendingEvent, into rows: inout Rows<Thing>) {
    switch event {
    case .added(let thing, let title, let branch): rows.insert(Thing(id: thing, title: title, branch: branch))
    case .lent(let thing, let member): rows[thing]?.member = member
    case .returned(let thing, _, let branch):
      rows.update(thing) {
        $0.branch = branch
        $0.member = nil
      }
    }
  }
}

extension ListRequest<Thing> {
  /// The branches and the loans as sections, whose things are sorted by title.
  public static var shelves: ListRequest { ListRequest(sort: [.ascending(\.title)], section: .by(\.place)) }
}
