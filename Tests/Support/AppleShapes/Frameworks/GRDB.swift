// The names of GRDB that collide with the names of Annals, for `.ci/apple-shape`.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public final class Row {
  public subscript(name: String) -> Int? { nil }
}

public protocol FetchRequest<RowDecoder> {
  associatedtype RowDecoder
}
