/// A declaration that rows depend on entities of another kind, by their ids: a book's row on its author, whose name it
/// shows.
///
/// A projection lists its relations, tells its rows of the entities, and never looks for the rows that one concerns:
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
/// Whenever a row is set, the closure fills in what it takes over from the entity; whenever the entity is, it does so
/// for exactly the rows that depend on it, which is an ordinary update of each: sections and order follow. The entity
/// may come before its rows or after them. A closure answers the same for the same values, and changes neither the
/// row's id nor the ids of the entities that it depends on; relations that stand later in the list may depend on what
/// earlier ones fill in.
public struct Relation<Row: Annals.Row>: Sendable {
  /// The kind of the entities.
  let kind: ObjectIdentifier
  /// What the kind is called in a saved list.
  let name: String
  /// Writes and reads the kind's entities.
  let entities: EntityBytes
  /// Adds the ids of the entities that a row depends on.
  let read: @Sendable (Row, (OrderKey) -> Void) -> Void
  /// Fills in what a row takes over.
  let fill: @Sendable (inout Row, (OrderKey) -> (any Annals.Row)?) -> Void

  private init<Entity: Annals.Row>(
    _ entity: Entity.Type, read: @escaping @Sendable (Row, (OrderKey) -> Void) -> Void,
    fill: @escaping @Sendable (inout Row, (OrderKey) -> (any Annals.Row)?) -> Void
  ) {
    kind = ObjectIdentifier(entity)
    // Entities are found by the bytes of their ids, which mean others where the order is another.
    let version = Entity.ID.orderVersion
    (name, entities) = (stableName(of: entity) + (version.isEmpty ? "" : " " + version), EntityBytes(entity))
    (self.read, self.fill) = (read, fill)
  }

  /// Rows depend on one entity each.
  ///
  /// - Parameters:
  ///   - entity: The kind of entity.
  ///   - path: The property that has the entity's id.
  ///   - fill: Fills in what a row takes over; the entity is nil as long as the projection has not given it.
  /// - Returns: The relation.
  public static func to<Entity: Annals.Row>(
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

  /// Rows depend on one entity each, or on none.
  ///
  /// - Parameters:
  ///   - entity: The kind of entity.
  ///   - path: The property that has the entity's id; nil for none.
  ///   - fill: Fills in what a row takes over; the entity is nil if the row has none, and as long as the projection has
  ///     not given it.
  /// - Returns: The relation.
  public static func to<Entity: Annals.Row>(
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

  /// Rows depend on any number of entities each.
  ///
  /// - Parameters:
  ///   - entity: The kind of entity.
  ///   - path: The property that has the entities' ids.
  ///   - fill: Fills in what a row takes over from the entities, in the order of their ids; those that the projection
  ///     has not given are left out.
  /// - Returns: The relation.
  public static func toEach<Entity: Annals.Row>(
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
}

/// Writes and reads entities of a kind.
struct EntityBytes: Sendable {
  /// What a kind's entities are called.
  let name: String
  let encode: @Sendable (any Row) throws -> [UInt8]
  let decode: @Sendable (ArraySlice<UInt8>) throws -> any Row
  /// What the kind asks for where an entity is decoded.
  let shape: @Sendable (ArraySlice<UInt8>) throws -> RowSamples.Found

  init<Entity: Row>(_ entity: Entity.Type) {
    name = "\(entity)"
    encode = { value in
      guard let value = value as? Entity else { throw PageError("expected a \(Entity.self), found \(value)") }
      return try RowBytes<Entity>().encode(value)
    }
    decode = { try RowBytes<Entity>().decode($0) }
    shape = { try RowBytes<Entity>().shape($0) }
  }
}
