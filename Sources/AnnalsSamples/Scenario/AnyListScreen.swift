package import Annals

/// A screen with rows of any type.
package struct AnyListScreen {
  /// A closure that returns the list in the controller.
  package let list: () -> [TableSection]
  /// The list in the delegate's table.
  package let table: any ShownTable
  /// A closure that returns the position that the list shows.
  package let position: () -> Position
  /// A closure that returns the calls to the delegate since the last call of the closure.
  package let takeNotes: () -> [String]
  /// A closure that saves the list if its controller has a cache, and returns after a save in progress.
  package let save: () throws -> Void

  init<Screen: ListScreen>(_ screen: Screen) {
    list = { screen.list }
    table = screen.table
    position = { screen.controller.position }
    takeNotes = { screen.tap.takeNotes() }
    save = { try screen.controller.saveCache() }
  }

  /// True if the table raised no exception and shows the rows of the list.
  package var isRight: Bool {
    table.exception == nil && table.sections.map(\.rows) == list().map(\.rows)
  }
}
