package import Annals

/// The table of a team.
///
/// Its delegate waits for the end of a batch, and then reloads the whole table.
package final class TeamScreen: ListScreen {
  package let controller: FetchedResultsController<Player>
  package let table = ScreenTable(TeamScreen.text)
  package let tap = DelegateTap(TeamScreen.text)
  /// The number of reloads of the table.
  package private(set) var reloads = 0

  package init(_ store: some EventStore, team: String) throws {
    controller = FetchedResultsController(
      store: store, projection: Players(), request: .players(of: team), cacheName: "Players")
    try open()
  }

  package static func text(of player: Player) -> String { "\(player.name), \(player.age)" }
}

extension TeamScreen: FetchedResultsControllerDelegate {
  package func controllerDidChangeContent(_ controller: FetchedResultsController<Player>) {
    reloads += 1
    table.reloadData()
  }
}
