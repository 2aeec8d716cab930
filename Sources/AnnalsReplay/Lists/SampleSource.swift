package import Annals
import AnnalsSamples

/// A ``ReplayTool`` component with the lists of Annals' sample apps, for the logs that `demo NAME FILE` writes.
public struct ReplaySamples: ReplayPart {
  /// Creates the component.
  public init() {}

  /// Adds the sample apps' lists to a tool's catalog, so that the tool can show them.
  ///
  /// - Parameter catalog: The tool's catalog.
  public func register(in catalog: inout ReplayCatalog) {
    catalog.lists += SampleSource.all
  }
}

/// The list of a sample.
///
/// It is for logs that have events of the sample alone: an app may have types whose names begin as the sample's.
package struct SampleSource: ListSource {
  /// The lists of all samples, with the requests of their screens.
  static let all: [SampleSource] = [
    SampleSource(BooksForSale(), "bookshop", .byPrice),
    SampleSource(Players(), "team", ListRequest(sort: [.ascending(\.age)], section: .by(\.team))),
    SampleSource(CourseOutline(course: 7), "course", .outline(of: 7)),
    SampleSource(Employees(), "staff", .bySection),
  ]

  let base: any ListSource
  private let knowsAll: @Sendable ([String]) -> Bool

  package var name: String { base.name }

  private init<P: Projection>(_ projection: P, _ name: String, _ request: ListRequest<P.Row>) {
    let source = ProjectionSource(projection, name: name, request: request)
    base = source
    knowsAll = { source.knows(allOf: $0) }
  }

  package func isMeant(forTypes types: [String]) -> Bool { !types.isEmpty && knowsAll(types) }

  package func open(
    _ store: any EventStore, _ options: ListOptions, through end: Position
  ) throws -> any ListReader {
    try base.open(store, options, through: end)
  }

  package func sentence(of event: StoredEvent) -> String? { base.sentence(of: event) }

  package func problem(
    in store: any EventStore, progress: (Position) -> Void
  ) throws -> (position: Position, message: String)? {
    try base.problem(in: store, progress: progress)
  }
}
