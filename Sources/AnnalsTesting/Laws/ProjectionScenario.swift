public import Annals

/// A test of a projection: the events of a history, and the rows that they must produce.
///
///     try Shelves().given(.put(shelf: 1, books: 2)).then(Shelf(id: 1, books: 2))
public struct ProjectionScenario<P: Projection> {
  fileprivate let projection: P
  fileprivate let history: [P.Event]

  /// Verifies that the history produces exactly the given rows, in the order of a list.
  ///
  /// The rows are compared like the rows of a list, so a row with NaN has the same content as its copy.
  ///
  /// - Parameters:
  ///   - expected: The expected rows.
  ///   - request: The filter, sort order and sections of the list. By default, the list contains all rows, sorted by
  ///     ID. If the list has sections, the rows of the first section come first.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the rows differ. Another error if an event can't be applied.
  public func then(
    _ expected: P.Row..., in request: ListRequest<P.Row> = ListRequest(), fileID: String = #fileID, line: UInt = #line
  ) throws {
    let found = try projection.rows(after: history, in: request)
    let lines = (0..<max(found.count, expected.count)).compactMap { index -> String? in
      let (one, other) = (index < expected.count ? expected[index] : nil, index < found.count ? found[index] : nil)
      if one.isSame(as: other) { return nil }
      let texts = [one, other].map { $0.map { swiftSource(of: $0) } ?? "no row" }
      var members = ""
      if let one, let other { members = differingMembers(other, one) }
      return "row \(index + 1): expected \(texts[0]), found \(texts[1])\(members)"
    }
    guard !lines.isEmpty else { return }
    throw Unmet(description: lines.joined(separator: "\n  "), fileID: fileID, line: line)
  }
}

extension Projection {
  /// Starts a scenario with the events of a history.
  ///
  /// - Parameter history: The events, in order. They aren't stored, and their times are one second apart.
  /// - Returns: The scenario.
  public func given(_ history: Event...) -> ProjectionScenario<Self> {
    ProjectionScenario(projection: self, history: history)
  }
}
