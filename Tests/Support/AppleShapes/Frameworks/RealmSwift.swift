// The names of RealmSwift that collide with the names of Annals, for `.ci/apple-shape`.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

open class Object {
  public init() {}
}

open class Projection<Root: Object> {
  public init(projecting root: Root) {}
}

public struct Results<Element> {}

public struct ResultsSection<Key, Element> {}
