import Annals
import AnnalsTesting
import Testing

/// Rows compared with a dictionary, in the tree and in the table of a rebuild.
@Suite struct RowsTests {
  private enum Step: Sendable {
    case insert(String, Int)
    case update(String, Int)
    /// A change or an insertion that throws if the row is missing, or exists.
    case change(String, Int)
    case add(String, Int)
    /// A change that throws halfway, which the projection catches.
    case failing(String)
    case set(String, Int)
    case remove(String)
    /// Many events are expected.
    case expect
    case settle
    /// Keeps a copy of the rows.
    case keep
    /// Makes a list of the rows.
    case list
    /// Makes a list of the rows and releases it, after which the rows have their keys.
    case glance
  }

  private struct Half: Error {}

  private static let steps: Generator<[Step]> = {
    // Some ids are longer than the eight bytes that a key can store inline.
    let id = Generator<Int>.int(in: 0...140).map { $0 % 3 == 0 ? "a longer id \($0)" : "\($0)" }
    let step = zip(Generator<Int>.int(in: 0...99), id, .int(in: 0...9)).map { (kind, id, rank) -> Step in
      switch kind {
      case ..<35: .insert(id, rank)
      case ..<40: .add(id, rank)
      case ..<50: .update(id, rank)
      case ..<60: .change(id, rank)
      case ..<64: .failing(id)
      case ..<70: .set(id, rank)
      case ..<90: .remove(id)
      case ..<93: .expect
      case ..<95: .settle
      case ..<97: .keep
      case ..<99: .list
      default: .glance
      }
    }
    return .frequency((1, .array(of: step, count: 0...400)), (2, .array(of: step, count: 200...400)))
  }()

  @Test func `rows are a dictionary, whether they are in the tree or in the table, and copies stay what they were`()
    throws
  {
    try check(Self.steps, settings: CheckSettings(examples: 300)) { steps in
      var rows = Rows<Item>()
      var model: [String: Item] = [:]
      var kept: [(rows: Rows<Item>, model: [String: Item])] = []
      var lists: [(list: Results<Item>, model: [String: Item])] = []
      let prepared = PreparedRequest(ListRequest<Item>.byGroup)
      for step in steps {
        switch step {
        case .insert(let id, let rank):
          rows.insert(Item(id, nil, rank, "inserted"))
          model[id] = Item(id, nil, rank, "inserted")
        case .update(let id, let rank):
          rows.update(id) { $0.rank = rank }
          model[id]?.rank = rank
        case .change(let id, let rank):
          let isThere = model[id] != nil
          do {
            try rows.change(id) { $0.rank = rank }
            try ensure(isThere, "a missing row was changed")
            model[id]?.rank = rank
          } catch {
            try ensure(!isThere && "\(error)".hasPrefix("no row of the type Item has the id \(id), "), "\(error)")
          }
          sometimes(isThere, "a change")
          sometimes(!isThere, "a change of a missing row")
        case .add(let id, let rank):
          let isThere = model[id] != nil
          do {
            try rows.add(Item(id, nil, rank, "added"))
            try ensure(!isThere, "an existing row was added")
            model[id] = Item(id, nil, rank, "added")
          } catch {
            try ensure(isThere && "\(error)".hasPrefix("a row of the type Item with the id \(id) exists"), "\(error)")
          }
          sometimes(isThere, "an addition of an existing row")
          sometimes(!isThere, "an addition")
        case .failing(let id):
          try? rows.update(id) {
            $0.name = "half"
            throw Half()
          }
        case .set(let id, let rank):
          rows[id] = Item(id, "g", rank, "set")
          model[id] = Item(id, "g", rank, "set")
        case .remove(let id):
          rows[id] = nil
          model[id] = nil
        case .expect: rows.expect(1_000_000)
        case .settle: rows.settle()
        case .keep: kept.append((rows, model))
        case .glance: _ = Results(prepared, of: &rows, at: 1, knowing: nil)
        case .list:
          lists.append((Results(prepared, of: &rows, at: 1, knowing: lists.last?.list), model))
        }
        try ensureEqual(rows.count, model.count)
        try ensureEqual(rows.isEmpty, model.isEmpty)
      }
      for (rows, model) in kept + [(rows, model)] {
        try ensureEqual(rows.all.map(\.id).sorted(), model.keys.sorted())
        for (id, item) in model { try ensureEqual(rows[id], item) }
        try ensureEqual(rows["another"], nil)
      }
      for (list, model) in lists {
        try ensureEqual(list.defects, [])
        var rows = Rows<Item>()
        for item in model.values { rows.insert(item) }
        try ensureEqual(list.map { Array($0) }, Results(.byGroup, of: rows, at: 1).map { Array($0) })
      }
    }
  }

  @Test func `few events leave rows in the tree, and many leave copies what they were`() {
    for events in [255, 256] {
      var rows = Rows<Item>()
      rows.insert(Item("a", nil, 0))
      rows.expect(events)
      rows.insert(Item("b", nil, 0))
      let copy = rows
      for id in ["a", "b"] { rows.update(id) { $0.rank = 1 } }
      rows["c"] = Item("c", nil, 1)
      rows["a"] = nil
      rows.settle()
      #expect(copy["a"]?.rank == 0 && copy["b"]?.rank == 0 && copy["c"] == nil)
      #expect(rows["a"] == nil && rows["b"]?.rank == 1 && rows.count == 2)
    }
  }
}
