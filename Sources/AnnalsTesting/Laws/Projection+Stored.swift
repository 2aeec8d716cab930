public import Annals

extension Projection {
  /// Verifies that a projection builds the expected list from stored events.
  ///
  /// The `test` subcommand of `annals`, or of your own tool, generates calls to this function from a range of a log,
  /// for example a log from a customer. Only the events of this range are applied, starting without any rows.
  ///
  ///     try Shelves().ensureLists(
  ///       #"""
  ///       {"specversion":"1.0","id":"1","source":"shop","type":"BookInserted","subject":"s","data":{"id":"b1"}}
  ///       """#, as: #"{"id":"b1"}"#)
  ///
  /// - Parameters:
  ///   - lines: The events, with one line of CloudEvents JSON per event, as in an export.
  ///   - picture: The expected list, with one line of canonical JSON per row. Canonical JSON has no whitespace, sorts
  ///     members by name, and writes equal values as equal text. If the list has sections, every section starts with a
  ///     line that contains `#`, a space and the title as a JSON string.
  ///   - request: The filter, sort order and sections of the list. By default, the list contains all rows, sorted by
  ///     ID.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if a line isn't an event, if an event can't be applied, or if the list differs.
  /// - Complexity: O(n log n) for n events.
  public func ensureLists(
    _ lines: String, as picture: String, in request: ListRequest<Row> = ListRequest(), fileID: String = #fileID,
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
