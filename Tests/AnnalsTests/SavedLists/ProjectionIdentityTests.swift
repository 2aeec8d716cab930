import Annals
import AnnalsTesting
import Testing

/// Saved lists of projections that have the same type and make different rows.
@Suite struct ProjectionIdentityTests {
  private let store = MemoryEventStore()

  init() throws {
    for number in 0..<12 { try store.put(.put(Item("\(number)", number % 2 == 0 ? "reds" : "blues", number))) }
  }

  private func controller<P: Projection>(_ projection: P) -> FetchedResultsController<Item> where P.Row == Item {
    FetchedResultsController(store: store, projection: projection, request: .byGroup, cacheName: "Players")
  }

  private func saved<P: Projection>(_ projection: P) throws -> FetchedResultsController<Item> where P.Row == Item {
    let list = controller(projection)
    try list.performFetch()
    try list.saveCache()
    return list
  }

  /// Saves one, shows the other, then shows the first again: each keeps its own list.
  private func ensureApart<P: Projection>(_ one: P, _ other: P) throws where P.Row == Item {
    let reds = try saved(one)
    let blues = try saved(other)
    #expect(blues.cacheReport.restored == nil)
    #expect(reds.fetchedObjects.map(\.group) == Array(repeating: "reds", count: 6))
    #expect(blues.fetchedObjects.map(\.group) == Array(repeating: "blues", count: 6))
    for (projection, expected) in [(one, reds), (other, blues)] {
      let again = controller(projection)
      try again.performFetch()
      #expect(again.results == expected.results && again.cacheReport.restored == 12)
    }
  }

  @Test func `a projection that is encodable is known by its JSON`() throws {
    try ensureApart(TeamOnly(team: "reds"), TeamOnly(team: "blues"))
  }

  @Test func `a projection that says what it is is known by that, whatever its JSON`() throws {
    try ensureApart(NamedTeam("reds"), NamedTeam("blues"))
  }

  @Test func `a projection that is an object says what it is`() throws {
    try ensureApart(TeamObject("reds"), TeamObject("blues"))
  }

  @Test func `an enum's cases are projections of their own`() throws {
    try ensureApart(Side.reds, Side.blues)
  }

  @Test func `JSON that tells projections from each other is the same for equal sets`() throws {
    let teams = (0..<40).map { "t\($0)" } + ["reds"]
    _ = try saved(Teams(teams: Set(teams), names: [:]))
    var others = Set<String>(minimumCapacity: 500)
    for team in teams.reversed() { others.insert(team) }
    let again = controller(Teams(teams: others, names: [:]))
    try again.performFetch()
    #expect(again.cacheReport.restored == 12 && again.fetchedObjects.count == 6)
    let other = controller(Teams(teams: others, names: [.init(name: "reds"): "x"]))
    try other.performFetch()
    #expect(other.cacheReport.restored == nil)
  }

  @Test func `a projection without an identity is refused with a cache name, and shown without one`() throws {
    let list = controller(Untold(team: "reds"))
    let error = #expect(throws: ListRequestError.self) { try list.performFetch() }
    #expect(error?.code == .unidentifiedProjection)
    #expect(
      error?.message
        == "the list with the cache name \"Players\" can't be saved: the projection Untold has no identity. Its stored "
        + "properties can change its rows, so a list that was saved with other values of these properties could be "
        + "loaded by mistake. Give Untold an identity that differs for different projections, such as "
        + "`var identity: String? { team }`, or make Untold Encodable")
    #expect(list.fetchedObjects.isEmpty && list.cacheReport.miss == nil)
    #expect(throws: ListRequestError.self) {
      _ = try store.keepList(of: Untold(team: "reds"), request: .byGroup, cacheName: "Players")
    }
    let plain = FetchedResultsController(store: store, projection: Untold(team: "reds"), request: .byGroup)
    try plain.performFetch()
    #expect(plain.fetchedObjects.count == 6)
  }

  @Test @MainActor func `a fetch that takes turns is refused too`() async {
    let list = controller(Untold(team: "reds"))
    await #expect(throws: ListRequestError.self) { try await list.performFetch { _ in } }
  }

  @Test func `JSON that cannot be written is no identity`() throws {
    let error = #expect(throws: ListRequestError.self) { try controller(Above(limit: .nan)).performFetch() }
    #expect(error?.code == .unidentifiedProjection && error?.message.contains("cannot be encoded") == true)
  }

  @Test func `what a mirror shows does not make two projections one`() throws {
    try ensureApart(Reflecting(team: "reds"), Reflecting(team: "blues"))
  }

  @Test func `a list that is kept in every append is a value's own`() throws {
    let reds = try store.keepList(of: TeamOnly(team: "reds"), request: .byGroup, cacheName: "Players")
    let blues = try store.keepList(of: TeamOnly(team: "blues"), request: .byGroup, cacheName: "Players")
    try store.put(.put(Item("new", "blues", 1)))
    #expect(reds.results.rows.map(\.group) == Array(repeating: "reds", count: 6))
    #expect(blues.results.rows.map(\.group) == Array(repeating: "blues", count: 7))
    let list = controller(TeamOnly(team: "reds"))
    try list.performFetch()
    #expect(list.cacheReport.restored == 13 && list.results == reds.results)
  }

  @Test @MainActor func `only the same value's list of a former version stands in`() async throws {
    let old = try saved(TeamOnly(team: "reds"))
    for (team, isShowingPlaceholder) in [("blues", false), ("reds", true)] {
      let list = FetchedResultsController(
        store: store, projection: NewTeamOnly(team: team), request: .byGroup, cacheName: "Players")
      var seen: [Results<Item>] = []
      let watch = list.observe { seen.append($0.new) }
      try await list.performFetch { _ in }
      watch.cancel()
      #expect(list.fetchedObjects.map(\.name) == Array(repeating: "new", count: 6))
      #expect(seen.contains(old.results) == isShowingPlaceholder)
    }
  }

  @Test func `a projection without stored properties needs nothing, and a value of no size neither`() throws {
    _ = try saved(Nothing(nothing: ()))
    let again = controller(Nothing(nothing: ()))
    try again.performFetch()
    #expect(again.cacheReport.restored == 12)
  }

  @Test func `a step that changes payloads makes another list than one that left them as they are`() throws {
    try store.append(Append([NewEvent(type: "ShapePut", payload: #""old""#)], to: "shapes"))
    let plain = try saved(Shapes<PlainShape>())
    let changed = controller(Shapes<ChangedShape>())
    try changed.performFetch()
    #expect(plain.fetchedObjects.map(\.name) == ["old"] && changed.fetchedObjects.map(\.name) == ["new"])
    #expect(changed.cacheReport.restored == nil)
  }

  @Test func `what is proven of a compaction names the value that differs`() throws {
    var compaction = Compaction()
    compaction.rewrite(ItemEvent.self) { _, events in Array(events.dropFirst()) }
    compaction.prove(TeamOnly(team: "blues"))
    compaction.prove(TeamOnly(team: "reds"))
    let error = #expect(throws: CompactionError.self) { try store.compact(compaction) }
    #expect(error?.message.contains(#"{"team":"reds"}"#) == true)
  }
}

private func project(_ event: ItemEvent, _ rows: inout Rows<Item>, _ isWanted: (String) -> Bool) throws {
  if case .put(let item) = event, !isWanted(item.group ?? "") { return }
  try Items().project(event, into: &rows)
}

private struct TeamOnly: Projection, Codable {
  static let name = "teams"
  let team: String
  func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
    try AnnalsTests.project(event, &rows) { $0 == team }
  }
}

private struct NewTeamOnly: Projection, Codable {
  static let name = "teams"
  static let version = 2
  static let formerVersions: Set<Int> = [1]
  let team: String
  func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
    guard case .put(var item) = event else { return }
    item.name = "new"
    try AnnalsTests.project(.put(item), &rows) { $0 == team }
  }
}

/// Its JSON is always the same.
private struct NamedTeam: Projection, Encodable {
  let isWanted: @Sendable (String) -> Bool
  let identity: String?

  init(_ team: String) { (isWanted, identity) = ({ $0 == team }, team) }
  func encode(to encoder: any Encoder) throws { try true.encode(to: encoder) }
  func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
    try AnnalsTests.project(event, &rows, isWanted)
  }
}

private final class TeamObject: Projection {
  let team: String
  var identity: String? { team }

  init(_ team: String) { self.team = team }
  func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
    try AnnalsTests.project(event, &rows) { $0 == team }
  }
}

private enum Side: String, Projection, Encodable {
  case reds
  case blues
  func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
    try AnnalsTests.project(event, &rows) { $0 == rawValue }
  }
}

private struct Teams: Projection, Encodable {
  struct Key: Codable, Hashable { var name: String }
  var teams: Set<String>
  var names: [Key: String]
  func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
    try AnnalsTests.project(event, &rows) { teams.contains($0) }
  }
}

private struct Untold: Projection {
  let team: String
  func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
    try AnnalsTests.project(event, &rows) { $0 == team }
  }
}

private struct Above: Projection, Encodable {
  let limit: Double
  func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws { try Items().project(event, into: &rows) }
}

private struct Reflecting: Projection, Encodable, CustomReflectable, CustomStringConvertible {
  let team: String
  var customMirror: Mirror { Mirror(reflecting: 0) }
  var description: String { "one" }
  func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws {
    try AnnalsTests.project(event, &rows) { $0 == team }
  }
}

private struct Nothing: Projection {
  let nothing: Void
  func project(_ event: ItemEvent, into rows: inout Rows<Item>) throws { try Items().project(event, into: &rows) }
}

/// Events that two versions of a program upcast with different steps.
private protocol Shape: Event {
  var text: String { get }
}

private enum PlainShape: Shape {
  case put(String)
  static let (typePrefix, schema) = ("Shape", 2)
  static let upcasters: [Upcaster] = [.unchanged("ShapePut", from: 1, to: 2)]
  var text: String { if case .put(let text) = self { text } else { "" } }
}

private enum ChangedShape: Shape {
  case put(String)
  static let (typePrefix, schema) = ("Shape", 2)
  static let upcasters: [Upcaster] = [.changed("ShapePut", from: 1, to: 2) { $0 = .string("new") }]
  var text: String { if case .put(let text) = self { text } else { "" } }
}

private struct Shapes<E: Shape>: Projection {
  static var name: String { "shapes" }
  func project(_ event: E, into rows: inout Rows<Item>) { rows.insert(Item("1", nil, 1, event.text)) }
}
