package import Annals

/// A screen with rows of any type.
package struct AnyListScreen {
  /// The list in the controller.
  package let list: () -> [TableSection]
  /// The list in the delegate's table.
  package let table: any ShownTable
  /// The position that the list shows.
  package let position: () -> Position
  /// The calls that the delegate received since you last asked.
  package let takeNotes: () -> [String]

  init<Screen: ListScreen>(_ screen: Screen) {
    list = { screen.list }
    table = screen.table
    position = { screen.controller.position }
    takeNotes = { screen.tap.takeNotes() }
  }

  /// True if the table raised nothing and has the rows of the list.
  package var isRight: Bool {
    table.exception == nil && table.sections.map(\.rows) == list().map(\.rows)
  }
}
