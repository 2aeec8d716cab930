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
          OrderKey(newValue.id) == key, "an entity keeps its id: one with id \(newValue.id) was set at another, \(id)")
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

  /// All entities that the projection gave.
  package var relatedEntities: [any Annals.Row] { related.all }

  private mutating func relate<Entity: Annals.Row>(_ kind: Entity.Type, _ key: OrderKey, _ entity: Entity?) {
    let dependents = related.set(kind, key, to: entity) ?? SortedTree()
    // As many events would.
    let isOwnTable = !entries.isTable
    entries.expect(dependents.count)
    defer { if isOwnTable { entries.settle() } }
    for dependent in dependents {
      guard let entry = entries.entry(dependent.id) else {
        guard let origin = entries.origin else {
          preconditionFailure("a row that depends on a \(kind) is not there; please report this")
        }
        // What was saved contradicts itself, or a part of it is lost.
        origin.lose(PageError("a row that depends on a \(kind) is not there"))
        continue
      }
      var row = Self.box(entry).row
      related.fill(&row)
      if row != Self.box(entry).row { replace(entry, by: row) }
    }
  }
}
