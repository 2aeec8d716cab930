/// The entities that rows depend on, with the dependent rows.
///
/// Copies of this value share its trees.
package struct RelatedEntities<Row: AnnalsLists.Row>: Sendable {
  package let relations: [Relation<Row>]
  /// True if rows depend on no entities.
  ///
  /// The property is stored because every change of a row reads it. A computed property in generic code would look up
  /// the array's type every time.
  package let isEmpty: Bool
  private var kinds: [EntityKind: SortedTree<ByRelated>]

  init(_ relations: [Relation<Row>]) {
    self.relations = relations
    isEmpty = relations.isEmpty
    // Most lists have no relations, and then the types for this call need not be made.
    kinds = relations.isEmpty ? [:] : Dictionary(relations.map { ($0.kind, SortedTree()) }) { first, _ in first }
  }

  /// The entities of every kind, by the kind's name.
  package var byName: [String: SortedTree<ByRelated>] {
    Dictionary(relations.map { ($0.name, kinds[$0.kind] ?? SortedTree()) }) { first, _ in first }
  }

  /// Loads saved entities, by the names of their kinds.
  package mutating func load(_ saved: [String: SortedTree<ByRelated>]) {
    for relation in relations { kinds[relation.kind] = saved[relation.name] ?? SortedTree() }
  }

  /// All entities from the projection, kind by kind in the order of the relations.
  package var all: [any AnnalsLists.Row] {
    var seen: Set<EntityKind> = []
    return relations.filter { seen.insert($0.kind).inserted }.flatMap { relation in
      (kinds[relation.kind] ?? SortedTree()).sorted { $0.key < $1.key }.compactMap(\.entity)
    }
  }

  func entity<Entity: AnnalsLists.Row>(_ kind: Entity.Type, _ key: OrderKey) -> Entity? {
    tree(kind).related(key)?.entity as? Entity
  }

  /// Returns the rows that depend on an entity, even if the projection hasn't provided the entity.
  func dependents<Entity: AnnalsLists.Row>(_ kind: Entity.Type, _ key: OrderKey) -> SortedTree<ByID> {
    tree(kind).related(key)?.dependents ?? SortedTree()
  }

  /// Returns the rows whose indexed property has a value.
  func rows(where path: AnyKeyPath, is key: OrderKey) -> SortedTree<ByID> {
    guard let tree = kinds[.property(path)] else {
      preconditionFailure(
        "no index of the rows has the property \(path). Add `.index(\(path))` to the projection's `relations`, and "
          + "create the rows with Rows(for:)")
    }
    return tree.related(key)?.dependents ?? SortedTree()
  }

  /// Sets or removes an entity and returns its dependent rows, or `nil` if the entity is unchanged.
  mutating func set<Entity: AnnalsLists.Row>(_ kind: Entity.Type, _ key: OrderKey, to entity: Entity?) -> SortedTree<
    ByID
  >? {
    let tree = tree(kind)
    let old = tree.related(key)
    if (old?.entity as? Entity).isSame(as: entity) { return nil }
    let dependents = old?.dependents ?? SortedTree()
    write(Related(key, entity, dependents), .type(ObjectIdentifier(kind)))
    return dependents
  }

  /// Fills in the values that a row gets from its entities.
  func fill(_ row: inout Row) {
    for relation in relations {
      guard let fill = relation.fill else { continue }
      let tree = kinds[relation.kind]
      fill(&row) { tree?.related($0)?.entity }
    }
  }

  /// Updates the dependencies of a row that changes from an old to a new version.
  mutating func note(_ id: OrderKey, from old: Row?, to new: Row?) {
    let (before, after) = (links(old), links(new))
    // This code runs for every change of a row, and most changes keep the row's dependencies.
    if before == after { return }
    let (lost, gained) = (Set(before).subtracting(after), Set(after).subtracting(before))
    for link in lost { change(link) { $0.remove(RowEntry(id: id)) } }
    for link in gained { change(link) { $0.insert(RowEntry(id: id)) } }
  }

  /// Returns the entities that a row depends on, in the order of the relations and possibly with duplicates.
  private func links(_ row: Row?) -> [EntityLink] {
    guard let row else { return [] }
    var links: [EntityLink] = []
    for relation in relations {
      let kind = relation.kind
      relation.read(row) { links.append(EntityLink(kind: kind, key: $0)) }
    }
    return links
  }

  private mutating func change(_ link: EntityLink, _ body: (inout SortedTree<ByID>) -> Void) {
    var old = kinds[link.kind]?.related(link.key)
    let entity = old?.entity
    var dependents = old?.dependents ?? SortedTree()
    if dependents.count > 64 {
      // The old value is released first. Otherwise, the nodes on the tree's path to the row would be copied instead of
      // changed in place.
      old = nil
      kinds[link.kind]?.insert(Related(link.key, entity, SortedTree()))
    }
    body(&dependents)
    write(Related(link.key, entity, dependents), link.kind)
  }

  private mutating func write(_ related: Related, _ kind: EntityKind) {
    if related.entity == nil, related.dependents.isEmpty {
      kinds[kind]?.remove(related)
    } else {
      kinds[kind]?.insert(related)
    }
  }

  private func tree<Entity: AnnalsLists.Row>(_ kind: Entity.Type) -> SortedTree<ByRelated> {
    guard let tree = kinds[.type(ObjectIdentifier(kind))] else {
      preconditionFailure(
        "no relation of the rows has the entity type \(kind). Add a relation to the projection's `relations`, and "
          + "create the rows with Rows(for:)"
      )
    }
    return tree
  }
}

/// An entity that a row depends on.
///
/// This type is declared outside the generic type `RelatedEntities`. If it were nested there, every change of a row
/// would look up the nested type at run time.
private struct EntityLink: Hashable {
  let kind: EntityKind
  let key: OrderKey
}

/// An entity with the rows that depend on it, or that rows might depend on later.
package final class Related: Sendable {
  package let key: OrderKey
  let hash: UInt64
  /// The entity, or `nil` until the projection provides it.
  package let entity: (any AnnalsLists.Row)?
  /// The dependent rows, identified only by their ids.
  package let dependents: SortedTree<ByID>

  package init(_ key: OrderKey, _ entity: (any AnnalsLists.Row)?, _ dependents: SortedTree<ByID>) {
    self.key = key
    hash = key.fingerprint
    self.entity = entity
    self.dependents = dependents
  }
}

/// Entities of one kind by their ids, in no particular order.
package enum ByRelated: TreeOrder {
  package static func head(_ element: Related) -> UInt64 { element.hash }

  package static func compareTails(_ left: Related, _ right: Related) -> Int { compare(left.key, right.key) }

  static func compare(_ left: OrderKey, _ right: OrderKey) -> Int {
    left == right ? 0 : left < right ? -1 : 1
  }
}

extension SortedTree<ByRelated> {
  package func related(_ key: OrderKey) -> Related? {
    isEmpty ? nil : element(head: key.fingerprint) { ByRelated.compare($0.key, key) }
  }
}
