extension Rows {
  /// The entity of a kind that rows depend on, by its id; setting nil forgets it.
  ///
  /// Setting it updates exactly the rows that depend on it, as ``Relation`` says. An entity that is set must have the
  /// id that it is set at.
  ///
  /// - Parameters:
  ///   - kind: The kind of entity, which a relation of the projection must lead to.
  ///   - id: The entity's id.
  /// - Complexity: O(log e) for e entities to read it, O(k log n) for k rows that depend on it to set it.
  public subscript<Entity: Annals.Row>(kind: Entity.Type, id: Entity.ID) -> Entity? {
    get { related.entity(kind, OrderKey(id)) }
    set {
      let key = OrderKey(id)
      if let newValue {
        precondition(
          OrderKey(newValue.id) == key,
          "an entity must keep its id: the entity with the id \(newValue.id) was set at the id \(id)")
      }
      relate(kind, key, newValue)
    }
  }

  /// Tells of an entity that rows depend on, or of what became of it.
  ///
  /// - Parameter entity: The entity, of a kind that a relation of the projection leads to.
  /// - Complexity: O(k log n) for k rows that depend on it.
  public mutating func relate<Entity: Annals.Row>(_ entity: Entity) {
    relate(Entity.self, OrderKey(entity.id), entity)
  }

  /// The rows that depend on an entity, in the order of their ids.
  ///
  /// For an event that changes many rows, or takes them out, and names what they have in common:
  ///
  ///     for track in rows.all(dependingOn: Album.self, id) { rows[track.id] = nil }
  ///
  /// The rows know who depends on what, so that no other row is looked at. An entity that was not given has dependents,
  /// too: one without properties of its own, which nothing gives, is an index by a property.
  ///
  /// - Parameters:
  ///   - kind: The kind of entity, which a relation of the projection must lead to.
  ///   - id: The entity's id.
  /// - Returns: The rows for which a relation reads that id; each once, also if several relations do.
  /// - Complexity: O(k log n) for k of n rows.
  public func all<Entity: Annals.Row>(dependingOn kind: Entity.Type, _ id: Entity.ID) -> [Row] {
    related.dependents(kind, OrderKey(id)).sorted { $0.id < $1.id }
      .compactMap { entry(ofDependent: $0, kind).map { Self.box($0).row } }
  }

  /// The row that an entity's dependent is; nil if it was lost.
  private func entry<Entity: Annals.Row>(ofDependent dependent: RowEntry, _ kind: Entity.Type) -> RowEntry? {
    if let entry = entries.entry(dependent.id) { return entry }
    guard let origin = entries.origin else {
      preconditionFailure("a row that depends on a \(kind) is missing; please report this")
    }
    // What was saved contradicts itself, or a part of it is lost.
    origin.lose(PageError("a row that depends on a \(kind) is not there"))
    return nil
  }

  /// All entities that the projection gave.
  package var relatedEntities: [any Annals.Row] { related.all }

  private mutating func relate<Entity: Annals.Row>(_ kind: Entity.Type, _ key: OrderKey, _ entity: Entity?) {
    let dependents = related.set(kind, key, to: entity) ?? SortedTree()
    // As many events would.
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
