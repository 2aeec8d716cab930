import AnnalsLog
import Foundation

/// A declaration that a projection's rows depend on entities: values of another type that the rows reference by their
/// ids.
///
/// For example, a book's row depends on its author, because the row shows the author's name. A projection declares this
/// relation, and calls `rows.relate(author)` when an author changes. The projection doesn't need to find the rows that
/// depend on the author:
///
///     struct Shelves: Projection {
///       static let relations: [Relation<BookRow>] = [
///         .to(Author.self, by: \.author) { book, author in book.authorName = author?.name ?? "unknown" }
///       ]
///       func project(_ event: LibraryEvent, into rows: inout Rows<BookRow>) {
///         switch event {
///         case .bookAdded(let book): rows.insert(BookRow(book))
///         case .authorNamed(let author): rows.relate(author)
///         }
///       }
///     }
///
/// When the projection inserts or changes a row, the relation's closure fills in the row's values from the entity. When
/// the projection sets an entity with ``Rows/relate(_:)``, the closure runs for exactly the rows that depend on this
/// entity. The lists then update these rows like any other changed rows, so a row can move to another place or section.
/// The projection can set an entity before or after it inserts the rows that depend on the entity.
///
/// The closure must produce equal results for equal rows and entities, and must not change the row's id or the ids of
/// the row's entities. A relation can read values that earlier relations in the array have filled in.
public struct Relation<Row: AnnalsLists.Row>: Sendable {
  /// The kind of the entities.
  let kind: EntityKind
  /// The name of the kind in a saved list.
  package let name: String
  /// The encoding and decoding of the kind's entities.
  package let entities: EntityBytes
  /// A closure that calls its second parameter with the id of every entity that a row depends on.
  let read: @Sendable (Row, (OrderKey) -> Void) -> Void
  /// A closure that fills in the values that a row gets from its entities.
  ///
  /// It is `nil` for an index, which only finds rows.
  let fill: (@Sendable (inout Row, (OrderKey) -> (any AnnalsLists.Row)?) -> Void)?

  private init<Entity: AnnalsLists.Row>(
    _ entity: Entity.Type, read: @escaping @Sendable (Row, (OrderKey) -> Void) -> Void,
    fill: @escaping @Sendable (inout Row, (OrderKey) -> (any AnnalsLists.Row)?) -> Void
  ) {
    kind = .type(ObjectIdentifier(entity))
    // Entities are found by the bytes of their ids, and these bytes depend on the version of the id type's sort order.
    let version = Entity.ID.orderVersion
    name = stableName(of: entity) + (version.isEmpty ? "" : " " + version)
    entities = EntityBytes(entity)
    self.read = read
    self.fill = fill
  }

  /// Creates a relation in which every row depends on one entity.
  ///
  /// - Parameters:
  ///   - entity: The entity type.
  ///   - path: The row's property that contains the entity's id.
  ///   - fill: A closure that fills in the row's values from the entity. The entity is `nil` until the projection sets
  ///     it with ``Rows/relate(_:)``.
  /// - Returns: The relation.
  public static func to<Entity: AnnalsLists.Row>(
    _ entity: Entity.Type, by path: any KeyPath<Row, Entity.ID> & Sendable,
    fill: @escaping @Sendable (inout Row, Entity?) -> Void
  ) -> Relation {
    let id = propertyReader(path)
    return Relation(entity) { row, add in
      add(OrderKey(id(row)))
    } fill: { row, find in
      fill(&row, find(OrderKey(id(row))) as? Entity)
    }
  }

  /// Creates a relation in which every row depends on at most one entity.
  ///
  /// - Parameters:
  ///   - entity: The entity type.
  ///   - path: The row's property that contains the entity's id. If the property is `nil`, the row has no entity.
  ///   - fill: A closure that fills in the row's values from the entity. The entity is `nil` if the row has no entity,
  ///     and also until the projection sets the entity with ``Rows/relate(_:)``.
  /// - Returns: The relation.
  public static func to<Entity: AnnalsLists.Row>(
    _ entity: Entity.Type, by path: any KeyPath<Row, Entity.ID?> & Sendable,
    fill: @escaping @Sendable (inout Row, Entity?) -> Void
  ) -> Relation {
    let id = propertyReader(path)
    return Relation(entity) { row, add in
      if let id = id(row) { add(OrderKey(id)) }
    } fill: { row, find in
      fill(&row, id(row).flatMap { find(OrderKey($0)) as? Entity })
    }
  }

  /// Creates a relation in which every row depends on any number of entities.
  ///
  /// - Parameters:
  ///   - entity: The entity type.
  ///   - path: The row's property that contains the entities' ids.
  ///   - fill: A closure that fills in the row's values from the entities. The entities have the same order as their
  ///     ids in the property. An entity is omitted until the projection sets it with ``Rows/relate(_:)``.
  /// - Returns: The relation.
  public static func toEach<Entity: AnnalsLists.Row>(
    _ entity: Entity.Type, by path: any KeyPath<Row, [Entity.ID]> & Sendable,
    fill: @escaping @Sendable (inout Row, [Entity]) -> Void
  ) -> Relation {
    let ids = propertyReader(path)
    return Relation(entity) { row, add in
      for id in ids(row) { add(OrderKey(id)) }
    } fill: { row, find in
      fill(&row, ids(row).compactMap { find(OrderKey($0)) as? Entity })
    }
  }

  /// Creates an index, with which ``Rows/all(where:is:)`` finds rows by a property's value.
  ///
  /// For example, an event removes an album, and the projection removes the album's tracks:
  ///
  ///     static let relations: [Relation<Track>] = [.index(\.album)]
  ///     // …
  ///     case .albumRemoved(let id): for track in rows.all(where: \.album, is: id) { rows[track.id] = nil }
  ///
  /// The index is stored in saved lists. If the property is computed, the index has no name that is the same in every
  /// process, so a saved list is rebuilt at each launch.
  ///
  /// - Parameter path: The property, which an earlier relation can fill in. Rows with `nil` are in the index, too.
  /// - Returns: The relation.
  public static func index<Value: OrderedValue>(_ path: any KeyPath<Row, Value> & Sendable) -> Relation {
    let version = Value.orderVersion
    let name = propertyName(path) ?? UUID().uuidString
    let read = propertyReader(path)
    return Relation(
      kind: .property(path), name: "index of \(name)" + (version.isEmpty ? "" : " " + version),
      entities: EntityBytes(NeverSet.self), read: { row, add in add(OrderKey(read(row))) }, fill: nil)
  }

  private init(
    kind: EntityKind, name: String, entities: EntityBytes,
    read: @escaping @Sendable (Row, (OrderKey) -> Void) -> Void,
    fill: (@Sendable (inout Row, (OrderKey) -> (any AnnalsLists.Row)?) -> Void)?
  ) {
    self.kind = kind
    self.name = name
    self.entities = entities
    self.read = read
    self.fill = fill
  }
}

/// The kind of entities that rows depend on.
///
/// `@unchecked Sendable`: a key path is immutable, and an index takes only Sendable key paths.
enum EntityKind: Hashable, @unchecked Sendable {
  case type(ObjectIdentifier)
  /// The values of an indexed property, which are never set as entities.
  case property(AnyKeyPath)
}

/// The type of the entities of an index, which has no entities.
private struct NeverSet: Row {
  var id: Int
}

/// The encoding and decoding of entities of one kind.
package struct EntityBytes: Sendable {
  /// The name of the kind.
  package let name: String
  package let encode: @Sendable (any Row) throws -> [UInt8]
  package let decode: @Sendable (ArraySlice<UInt8>) throws -> any Row
  /// A closure that returns the properties that the entity type requests while an entity is decoded.
  package let shape: @Sendable (ArraySlice<UInt8>) throws -> RowSamples.Found

  init<Entity: Row>(_ entity: Entity.Type) {
    name = "\(entity)"
    encode = { value in
      guard let value = value as? Entity else {
        throw PageError(
          "a related entity cannot be saved: expected an entity of the type \(Entity.self), found "
            + "\(described(value)). Please report this")
      }
      return try RowBytes<Entity>().encode(value)
    }
    decode = { try RowBytes<Entity>().decode($0) }
    shape = { try RowBytes<Entity>().shape($0) }
  }
}
