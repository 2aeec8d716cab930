package import Annals

/// A screen of whatever rows.
package struct AnyListScreen {
  /// The list as the controller has it.
  package let list: () -> [TableSection]
  /// The list as the delegate's table shows it.
  package let table: any ShownTable
  /// The position that the list shows.
  package let position: () -> Position
  /// What the delegate heard since this was last asked.
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
