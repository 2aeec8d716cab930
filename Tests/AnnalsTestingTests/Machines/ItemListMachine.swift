import AnnalsTesting

/// A list that makes its own identifiers, with the requested mistake.
final class ItemList {
  enum Mistake {
    case none
    /// Renaming an item to "b" deletes the item.
    case renameDeletes
    /// The third deletion succeeds although it should be refused.
    case deletesTwice
    /// Moving to the end loses the item if there are three.
    case moveLoses
  }

  struct Refusal: Error, Equatable {
    var why: String
  }

  private let mistake: Mistake
  private var next = 100
  private(set) var items: [(id: Int, title: String)] = []

  init(_ mistake: Mistake = .none) {
    self.mistake = mistake
  }

  func add(title: String) throws -> Int {
    guard items.count < 6 else { throw Refusal(why: "full") }
    next += 7
    items.append((next, title))
    return next
  }

  func rename(_ id: Int, to title: String) throws {
    guard let place = items.firstIndex(where: { $0.id == id }) else { throw Refusal(why: "no such item") }
    items[place].title = title
    if mistake == .renameDeletes, title == "b" { items.remove(at: place) }
  }

  func delete(_ id: Int) throws {
    guard let place = items.firstIndex(where: { $0.id == id }) else {
      if mistake == .deletesTwice { return }
      throw Refusal(why: "no such item")
    }
    items.remove(at: place)
  }

  func moveToEnd(_ id: Int) throws {
    guard let place = items.firstIndex(where: { $0.id == id }) else { throw Refusal(why: "no such item") }
    let item = items.remove(at: place)
    if mistake == .moveLoses, items.count == 2 { return }
    items.append(item)
  }

  func count() -> Int { items.count }
}

struct ItemListMachine: Machine {
  struct Model {
    var items: [(item: Reference<Int>, title: String)] = []
    var deleted: [Reference<Int>] = []

    var references: [Reference<Int>] { items.map(\.item) }

    func place(of item: Reference<Int>) throws -> Int {
      guard let place = references.firstIndex(of: item) else { throw ItemList.Refusal(why: "no such item") }
      return place
    }
  }

  var mistake: ItemList.Mistake = .none

  var setup: String { "let system = ItemList(.\(mistake))" }

  func start() -> (model: Model, system: ItemList) { (Model(), ItemList(mistake)) }

  var commands: [Command<Model, ItemList>] {
    Command("add(title:)", makes: "item", weight: 3) { _ in
      .string(of: "abc", count: 0...3)
    } model: { model, title, item in
      guard model.items.count < 6 else { throw ItemList.Refusal(why: "full") }
      model.items.append((item, title))
    } run: { list, title in
      try list.add(title: title)
    }
    Command("rename(_:to:)") { model in
      zip(.element(of: model.references), .string(of: "abc", count: 0...3))
    } model: { model, arguments in
      model.items[try model.place(of: arguments.0)].title = arguments.1
    } run: { list, arguments in
      try list.rename(arguments.0.value, to: arguments.1)
    }
    Command("delete(_:)") { model in
      .element(of: model.references + model.deleted)
    } model: { model, item in
      model.items.remove(at: try model.place(of: item))
      model.deleted.append(item)
    } run: { list, item in
      try list.delete(item.value)
    }
    Command("moveToEnd(_:)") { model in
      .element(of: model.references)
    } model: { model, item in
      model.items.append(model.items.remove(at: try model.place(of: item)))
    } run: { list, item in
      try list.moveToEnd(item.value)
    }
    Command("count()") { model in
      model.items.count
    } run: { list in
      list.count()
    }
  }

  func invariant(_ model: Model, _ system: ItemList) throws {
    try ensureEqual(system.items.map(\.title), model.items.map(\.title))
  }
}
