import Annals
import AnnalsSamples

/// A ``ReplayTool`` component with the lists of Annals' sample apps, for the logs that `demo NAME FILE` writes.
public struct ReplaySamples: ReplayPart {
  /// Creates the component.
  public init() {}

  /// Adds the sample apps' lists to a tool's catalog, so that the tool can show them.
  ///
  /// - Parameter catalog: The tool's catalog.
  public func register(in catalog: inout ReplayCatalog) { catalog.lists += Self.lists }

  /// The lists of all samples, with the requests of their screens.
  private static var lists: [any ListSource] {
    [
      sample(BooksForSale(), "bookshop", .byPrice),
      sample(Players(), "team", ListRequest(sort: [.ascending(\.age)], section: .by(\.team))),
      sample(CourseOutline(course: 7), "course", .outline(of: 7)),
      sample(Employees(), "staff", .bySection),
    ]
  }

  private static func sample<P: Projection>(
    _ projection: P, _ name: String, _ request: ListRequest<P.Row>
  ) -> any ListSource {
    ProjectionSource(projection, name: name, request: request, isSample: true)
  }
}
