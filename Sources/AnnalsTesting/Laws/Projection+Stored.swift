public import Annals

extension Projection {
  /// Verifies the list that stored events lead to.
  ///
  /// A tool's `test` subcommand writes calls of this from a stretch of a log, such as one that a customer sent. The
  /// events are folded alone, from no rows on.
  ///
  ///     try Shelves().ensureLists(
  ///       #"""
  ///       {"specversion":"1.0","id":"1","source":"shop","type":"BookInserted","subject":"s","data":{"id":"b1"}}
  ///       """#, as: #"{"id":"b1"}"#)
  ///
  /// - Parameters:
  ///   - lines: The events, a line of CloudEvents JSON for each, as an export has them.
  ///   - picture: The list: a line of canonical JSON for each row. In a list with sections each section begins with its
  ///     title, as a line of `#`, a space and the title as a JSON string.
  ///   - request: The list, with its sections; by default all rows, by id.
  ///   - fileID: The file of the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` for a line that is no event, an event that cannot be folded, or another list.
  /// - Complexity: O(n log n) for n events.
  public func ensureLists(
    _ lines: String, as picture: String, in request: FetchRequest<Row> = FetchRequest(), fileID: String = #fileID,
    line: UInt = #line
  ) throws {
    let found: String
    do {
      found = try StoredLines(lines).picture(of: self, in: request)
    } catch let problem as StoredLines.Problem {
      throw Unmet(description: problem.description, fileID: fileID, line: line)
    }
    let (expected, shown) = (picture.split(separator: "\n"), found.split(separator: "\n"))
    func text(_ lines: [Substring], _ index: Int) -> String { index < lines.count ? String(lines[index]) : "no row" }
    for index in 0..<max(expected.count, shown.count)
    where !text(expected, index).utf8.elementsEqual(text(shown, index).utf8) {
      throw Unmet(
        description: "row \(index + 1) of the list: expected \(text(expected, index)), found \(text(shown, index))\n"
          + "the list is\n\(found)", fileID: fileID, line: line)
    }
  }
}
