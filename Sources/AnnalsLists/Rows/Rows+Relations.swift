extension Rows {
  /// Accesses an entity by its id.
  ///
  /// An entity is a value that rows depend on, as declared by a ``Relation``. Assigning an entity updates exactly the
  /// rows that depend on it. Assigning `nil` removes the entity. The assigned entity's id must equal the given id.
  ///
  /// - Parameters:
  ///   - kind: The entity type. One of the projection's relations must use this type.
  ///   - id: The entity's id.
  /// - Complexity: O(log e) to read one of e entities. O(k log n) to assign an entity if k of n rows depend on it.
  public subscript<Entity: AnnalsLists.Row>(kind: Entity.Type, id: Entity.ID) -> Entity? {
    get { related.entity(kind, OrderKey(id)) }
    set {
      let key = OrderKey(id)
      if let newValue {
        precondition(
          OrderKey(newValue.id) == key,
          "an entity must keep its id: the entity with the id \(newValue.id) was assigned to the id \(id); assign the "
            + "entity to the id \(newValue.id)")
      }
      relate(kind, key, newValue)
    }
  }

  /// Adds an entity, or replaces the entity with the same id, and updates the rows that depend on the entity.
  ///
  /// An entity is a value that rows depend on, as declared by a ``Relation``.
  ///
  /// - Parameter entity: The entity. One of the projection's relations must use the entity's type.
  /// - Complexity: O(k log n) if k of n rows depend on the entity.
  public mutating func relate<Entity: AnnalsLists.Row>(_ entity: Entity) {
    relate(Entity.self, OrderKey(entity.id), entity)
  }

  /// Returns the rows that depend on an entity, sorted by the rows' ids.
  ///
  /// An entity is a value that rows depend on, as declared by a ``Relation``. Use this method for an event that changes
  /// or removes many rows, but contains only the id of the entity that these rows share:
  ///
  ///     for track in rows.all(dependingOn: Album.self, id) { rows[track.id] = nil }
  ///
  /// ``Rows`` stores which rows depend on an entity, so the method doesn't check any other rows.
  ///
  /// To find rows by a property without an entity, use ``all(where:is:)``.
  ///
  /// - Parameters:
  ///   - kind: The entity type. One of the projection's relations must use this type.
  ///   - id: The entity's id.
  /// - Returns: The rows that reference this id in a relation, without duplicates.
  /// - Complexity: O(k log n) for k of n rows.
  public func all<Entity: AnnalsLists.Row>(dependingOn kind: Entity.Type, _ id: Entity.ID) -> [Row] {
    rows(related.dependents(kind, OrderKey(id)), of: "an entity of the type \(kind)")
  }

  /// Returns the rows whose property has a value, sorted by the rows' ids.
  ///
  /// Use this method for an event that changes or removes many rows, but contains only a value that these rows share:
  ///
  ///     for track in rows.all(where: \.album, is: id) { rows[track.id] = nil }
  ///
  /// The projection's relations must contain an index of the property (``Relation/index(_:)``). Otherwise, the method
  /// traps. Because of the index, the method doesn't check any other rows.
  ///
  /// - Parameters:
  ///   - path: The property.
  ///   - value: The value. Values are equal if they have equal keys (``OrderedValue``).
  /// - Returns: The rows.
  /// - Complexity: O(k log n) for k of n rows.
  public func all<Value: OrderedValue>(where path: any KeyPath<Row, Value> & Sendable, is value: Value) -> [Row] {
    rows(related.rows(where: path, is: OrderKey(value)), of: "an index")
  }

  private func rows(_ dependents: SortedTree<ByID>, of owner: @autoclosure () -> String) -> [Row] {
    dependents.sorted { $0.id < $1.id }.compactMap { entry(ofDependent: $0, owner()).map { Self.box($0).row } }
  }

  /// Returns the row that depends on an entity or is in an index, or `nil` if the row was lost.
  private func entry(ofDependent dependent: RowEntry, _ owner: @autoclosure () -> String) -> RowEntry? {
    if let entry = entries.entry(dependent.id) { return entry }
    guard let origin = entries.origin else {
      preconditionFailure("a row of \(owner()) is missing; please report this")
    }
    // The saved data is inconsistent, or a part of the saved data is lost.
    origin.lose(PageError("a row of \(owner()) is missing"))
    return nil
  }

  /// All entities that the projection provided.
  package var relatedEntities: [any AnnalsLists.Row] { related.all }

  private mutating func relate<Entity: AnnalsLists.Row>(_ kind: Entity.Type, _ key: OrderKey, _ entity: Entity?) {
    let dependents = related.set(kind, key, to: entity) ?? SortedTree()
    // This is the same preparation as for many events, because many rows can depend on an entity.
    let isOwnTable = !entries.isTable
    entries.expect(dependents.count)
    defer { if isOwnTable { entries.settle() } }
    for dependent in dependents {
      guard let entry = entry(ofDependent: dependent, "an entity of the type \(kind)") else { continue }
      var row = Self.box(entry).row
      related.fill(&row)
      if !row.isSame(as: Self.box(entry).row) { replace(entry, by: row) }
    }
  }
}
