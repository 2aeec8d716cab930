import Annals

extension Scenario {
  static func books(_ store: some EventStore) throws -> Scenario {
    for (index, name) in ["Annals", "Eclogues", "Georgics", "Odes", "Satires"].enumerated() {
      try store.execute(.add(NamedBook("b\(index + 1)", name)), on: Library["main"])
    }
    let execute = { (command: LibraryCommand) in _ = try store.execute(command, on: Library["main"]) }
    let screen = try LibraryScreen(store)
    let asCoreData = try LibraryScreen(store, reportedMoves: .rows)
    let shown = AnyListScreen(screen)
    return Scenario(
      name: "books", summary: "Books by name. The delegate reloads the whole table for a move.", screen: shown,
      steps: [
        Step(title: "Insert a book.", screen: shown) { try execute(.add(NamedBook("b6", "Fables"))) },
        Step(title: "Delete a book.", screen: shown) { try execute(.remove(id: "b6")) },
        Step(title: "Rename a book so that its row stays in place.", screen: shown) {
          try execute(.rename(id: "b2", to: "Elegies"))
        },
        Step(
          title: "Rename two books in one transaction, so that their rows swap places.",
          remark: "Here, reportedMoves is [], so the delegate never reloads the table during an update cycle.",
          screen: shown
        ) {
          _ = asCoreData.tap.takeNotes()
          try store.transaction { transaction in
            try transaction.execute(.rename(id: "b1", to: "The Annals"), on: Library["main"])
            try transaction.execute(.rename(id: "b5", to: "A Satire"), on: Library["main"])
          }
        },
        Step(
          title: "The same delegate, but with reported moves, as in Core Data.",
          remark: "A table view must not be reloaded between beginUpdates and endUpdates.", isOnTour: true,
          screen: AnyListScreen(asCoreData)
        ) {},
      ])
  }
}
