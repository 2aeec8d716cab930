extension Rows {
  /// Accesses an entity on which rows depend, by the entity's id.
  ///
  /// Setting an entity updates exactly the rows that depend on it, as described in ``Relation``. Setting `nil` removes
  /// the entity. The id of a new entity must be the given id.
  ///
  /// - Parameters:
  ///   - kind: The type of the entity. A relation of the projection must use this type.
  ///   - id: The entity's id.
  /// - Complexity: O(log e) for reading one of e entities, and O(k log n) for setting an entity on which k of n rows
  ///   depend.
  public subscript<Entity: Annals.Row>(kind: Entity.Type, id: Entity.ID) -> Entity? {
    get { related.entity(kind, OrderKey(id)) }
    set {
      let key = OrderKey(id)
      if let newValue {
        precondition(
          OrderKey(newValue.id) == key,
          "an entity must keep its id: the entity with the id \(newValue.id) was assigned to the id \(id)")
      }
      relate(kind, key, newValue)
    }
  }

  /// Adds an entity on which rows depend, or replaces the entity with the same id.
  ///
  /// - Parameter entity: The entity. A relation of the projection must use its type.
  /// - Complexity: O(k log n) if k of n rows depend on the entity.
  public mutating func relate<Entity: Annals.Row>(_ entity: Entity) {
    relate(Entity.self, OrderKey(entity.id), entity)
  }

  /// Returns the rows that depend on an entity, in the order of their ids.
  ///
  /// Use this method for an event that changes or removes many rows and contains only the id of their common entity:
  ///
  ///     for track in rows.all(dependingOn: Album.self, id) { rows[track.id] = nil }
  ///
  /// ``Rows`` stores these dependencies, so no other row is checked. Rows can depend on an entity that was never set.
  /// So you can declare an entity type that has only an id, and use it to index a property.
  ///
  /// - Parameters:
  ///   - kind: The type of the entity. A relation of the projection must use this type.
  ///   - id: The entity's id.
  /// - Returns: The rows that reference this id in a relation, without duplicates.
  /// - Complexity: O(k log n) for k of n rows.
  public func all<Entity: Annals.Row>(dependingOn kind: Entity.Type, _ id: Entity.ID) -> [Row] {
    related.dependents(kind, OrderKey(id)).sorted { $0.id < $1.id }
      .compactMap { entry(ofDependent: $0, kind).map { Self.box($0).row } }
  }

  /// Returns the row that depends on an entity, or `nil` if the row was lost.
  private func entry<Entity: Annals.Row>(ofDependent dependent: RowEntry, _ kind: Entity.Type) -> RowEntry? {
    if let entry = entries.entry(dependent.id) { return entry }
    guard let origin = entries.origin else {
      preconditionFailure("a row that depends on a \(kind) is missing; please report this")
    }
    // The saved data is inconsistent, or a part of it is lost.
    origin.lose(PageError("a row that depends on a \(kind) is missing"))
    return nil
  }

  /// All entities that the projection provided.
  package var relatedEntities: [any Annals.Row] { related.all }

  private mutating func relate<Entity: Annals.Row>(_ kind: Entity.Type, _ key: OrderKey, _ entity: Entity?) {
    let dependents = related.set(kind, key, to: entity) ?? SortedTree()
    // The same preparation as for many events.
    let isOwnTable = !entries.isTable
    entries.expect(dependents.count)
    defer { if isOwnTable { entries.settle() } }
    for dependent in dependents {
      guard let entry = entry(ofDependent: dependent, kind) else { continue }
      var row = Self.box(entry).row
      related.fill(&row)
      if !row.isSame(as: Self.box(entry).row) { replace(entry, by: row) }
    }
  }
}
