public import Annals
import AnnalsLog

/// A ``ReplayTool`` component that shows a list of your app, defined by a projection and a request.
///
/// The tool's subcommands show the list at any position, its changes, and the events that caused the changes. Rows are
/// printed in their Codable form. Options such as `--where 'price > 50'` and `--sort price` use the names of the rows'
/// fields.
///
///     ReplayTool(ReplayList(Shelves(), request: ListRequest(sort: [.descending(\.price)]))).main()
public struct ReplayList<P: Projection>: ReplayPart {
  private let projection: P
  private let name: String
  private let request: ListRequest<P.Row>
  private let cacheName: String?
  private let line: (@Sendable (P.Row) -> String)?
  private let sentence: (@Sendable (P.Event) -> String?)?

  /// Creates a component of the tool for one of the app's lists.
  ///
  /// - Parameters:
  ///   - projection: The projection that builds the rows.
  ///   - name: The list's name for the option `--list`, by default the name of the projection's type.
  ///   - request: The request that filters, sorts and sections the rows.
  ///   - cacheName: The name under which your app saves the list, or `nil` if the app doesn't save it. If you pass a
  ///     name, the tool starts with the saved list instead of an empty list.
  ///   - line: A closure that returns a row as one line of text. By default, the line contains the row's id and fields.
  ///   - sentence: A closure that describes an event for people, such as *Repriced b3 to 99*, or returns `nil`. The
  ///     tool prints the sentence next to the event and as the headline of the changes. By default, the tool prints
  ///     the event's type.
  public init(
    _ projection: P, name: String? = nil, request: ListRequest<P.Row> = ListRequest(), cacheName: String? = nil,
    line: (@Sendable (P.Row) -> String)? = nil, sentence: (@Sendable (P.Event) -> String?)? = nil
  ) {
    self.projection = projection
    self.request = request
    self.cacheName = cacheName
    self.line = line
    self.sentence = sentence
    self.name = name ?? "\(P.self)"
  }

  /// Adds the list to a tool's catalog, so that the tool can show the list.
  ///
  /// - Parameter catalog: The tool's catalog. If the catalog already contains a list of the same name, the program
  ///   stops.
  public func register(in catalog: inout ReplayCatalog) {
    precondition(
      !catalog.lists.contains { $0.name == name },
      "two lists have the name \"\(name)\"; rename one of them with ReplayList(…, name: \"…\")")
    catalog.lists.append(
      ProjectionSource(projection, name: name, request: request, cacheName: cacheName, line: line, sentence: sentence))
  }
}

/// The list of a projection.
struct ProjectionSource<P: Projection>: ListSource {
  let name: String
  let isSample: Bool
  let projection: P
  private let request: ListRequest<P.Row>
  private let cacheName: String?
  private let line: (@Sendable (P.Row) -> String)?
  private let sentence: (@Sendable (P.Event) -> String?)?
  /// What an error of the projection is, as the tool says it.
  private let explain: @Sendable (ProjectionError) -> ReplayError

  init(
    _ projection: P, name: String, request: ListRequest<P.Row> = ListRequest(), cacheName: String? = nil,
    line: (@Sendable (P.Row) -> String)? = nil, sentence: (@Sendable (P.Event) -> String?)? = nil,
    isSample: Bool = false,
    explain: @escaping @Sendable (ProjectionError) -> ReplayError = { ReplayError(.unreadable, $0.message) }
  ) {
    self.projection = projection
    self.name = name
    self.request = request
    self.cacheName = cacheName
    self.line = line
    self.sentence = sentence
    self.isSample = isSample
    self.explain = explain
  }

  /// A sample's list is for logs that have events of the sample alone, because an app may have types whose names begin
  /// as the sample's.
  func isMeant(forTypes types: [String]) -> Bool {
    guard isSample else { return folds(anyOf: types) }
    guard !types.isEmpty, var coder = try? EventCoder<P.Event>() else { return false }
    return types.allSatisfy { coder.known($0).isEvent }
  }

  func folds(anyOf types: [String]) -> Bool {
    guard var coder = try? EventCoder<P.Event>() else { return false }
    return types.contains { type in
      // An event with the prefix and without a case is the type's too: the list stops there, and says so.
      switch coder.known(type).meaning {
      case .event: true
      case .unknown: P.unknownEvents == .stop
      case .foreign: coder.hasSteps(type: type, schema: 1)
      }
    }
  }

  func open(_ store: any EventStore, _ options: ListOptions, through end: Position) throws -> any ListReader {
    if let supposition = options.supposition {
      let explain = explain
      return try open(TolerantProjection(projection, supposition), store, options, cacheName: nil) { error in
        let found = explain(error)
        return ReplayError(found.status, TolerantProjection<P>.message(found.message))
      }
    }
    guard let cacheName, store.savedLists != nil, options.fields.isEmpty else {
      return try open(projection, store, options, cacheName: nil, explain)
    }
    guard let limit = options.limit else {
      return try open(projection, store, options, cacheName: cacheName, explain)
    }
    // A saved list has the rows of the app's own request.
    guard options.need == .rows, request.limit == nil, request.offset == 0 else {
      return try open(projection, store, options, cacheName: nil, explain)
    }
    var whole = options
    whole.limit = nil
    let reader = try open(projection, store, whole, cacheName: cacheName, explain)
    (reader as? ControllerReader<P>)?.limit = limit
    return reader
  }

  private func open<Q: Projection>(
    _ projection: Q, _ store: any EventStore, _ options: ListOptions, cacheName: String?,
    _ explain: @escaping @Sendable (ProjectionError) -> ReplayError
  ) throws -> any ListReader where Q.Row == P.Row {
    func open(_ store: some EventStore) throws -> any ListReader {
      try ControllerReader(
        name, projection, request, RowReading(line: line, sentence: self.sentence(of:)), of: store, options,
        cacheName: cacheName, explain: explain)
    }
    return try open(store)
  }

  func sentence(of event: StoredEvent) -> String? {
    guard let sentence, var coder = try? EventCoder<P.Event>(), let reading = try? coder.read(event) else { return nil }
    let sentences = reading.events.compactMap(sentence)
    return sentences.isEmpty ? nil : sentences.joined(separator: ", ")
  }

  func check() throws -> any ListCheck { try ProjectionCheck(projection, name: name) }
}

/// A check of whether a projection can apply the events of a log.
private struct ProjectionCheck<P: Projection>: ListCheck {
  private(set) var problem: (position: Position, message: String)?
  private let projection: P
  private let name: String
  private var rows = Rows<P.Row>(for: P.self)
  private var coder: EventCoder<P.Event>
  private let policy = ReadingPolicy(unknown: P.unknownEvents, newer: P.newerEvents)

  init(_ projection: P, name: String) throws {
    self.projection = projection
    self.name = name
    coder = try EventCoder()
  }

  mutating func apply(_ batch: EventBatch) throws {
    for index in 0..<batch.count where problem == nil {
      let event = batch.event(at: index)
      do {
        let reading = try coder.read(event, policy)
        try reading.forEach { try projection.project(Recorded($0, event), into: &rows) }
      } catch {
        problem = (event.position, "the list \(name) can't apply this event: \(error)")
      }
    }
  }
}
