import Annals
import KanbanDomain

/// The board as text: columns side by side.
public struct BoardScreen: Sendable {
  private let results: Results<Card>

  /// Shows a list of cards.
  ///
  /// - Parameter results: The list, a section for each column.
  public init(_ results: Results<Card>) { self.results = results }

  /// The lines.
  ///
  /// - Parameter width: How wide a column is.
  /// - Returns: A line of titles, then the cards.
  public func lines(width: Int = 18) -> [String] {
    let height = results.map(\.count).max() ?? 0
    let titles = results.map { "\($0.title) \($0.count)" }
    let rows = (0..<height).map { row in
      results.map { section in row < section.count ? "\(section[row].id) \(section[row].title)" : "" }
    }
    return ([titles] + rows).map { cells in
      let line = cells.map { cell in
        let text = cell.count > width ? String(cell.prefix(width - 1)) + "…" : cell
        return text + String(repeating: " ", count: width - text.count)
      }.joined(separator: "  ")
      return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
    }
  }
}
