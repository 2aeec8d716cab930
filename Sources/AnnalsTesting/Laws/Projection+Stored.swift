public import Annals
import AnnalsLog
import Foundation

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
    try ensureSame(picture, found, fileID, line)
  }

  /// Verifies that a projection still builds the list that a file contains, and writes the file if it is missing.
  ///
  ///     try Shelves().ensureLists([.put(shelf: 1, books: 2), .taken(shelf: 1, books: 1)], keptIn: "Lists/Shelves.txt")
  ///
  /// The file contains one line of canonical JSON per row, and a line that starts with `#` for every section. In the
  /// first run, this function writes the file. Then it throws, so that you don't forget to review and commit the file.
  /// If you change the projection on purpose, delete the file and rerun the test.
  ///
  /// - Parameters:
  ///   - history: The events of one stream, in order. They are stored and read before they are applied.
  ///   - file: The file, as an absolute path or relative to the calling file, for example `"Lists/Shelves.txt"`.
  ///   - request: The filter, sort order and sections of the list. By default, the list contains all rows, sorted by
  ///     ID.
  ///   - filePath: The path of the calling file.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if an event can't be applied, if the list differs, or if the file was written. Another error
  ///   if an event can't be stored, or if the file can't be read or written.
  public func ensureLists(
    _ history: [Event], keptIn file: String, in request: ListRequest<Row> = ListRequest(), filePath: String = #filePath,
    fileID: String = #fileID, line: UInt = #line
  ) throws {
    let store = MemoryEventStore(source: "laws")
    try store.append(Append(LawHistory(history).entries, to: "history"))
    let found: String
    do {
      found = try StoredLines(RunLog.lines(of: store).joined(separator: "\n")).picture(of: self, in: request)
    } catch let problem as StoredLines.Problem {
      throw Unmet(description: problem.description, fileID: fileID, line: line)
    }
    let url = URL(fileURLWithPath: file, relativeTo: URL(fileURLWithPath: filePath).deletingLastPathComponent())
    guard FileManager.default.fileExists(atPath: url.path) else {
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data((found + "\n").utf8).write(to: url, options: .atomic)
      throw Unmet(
        description: "the list was written to \(file). Check the file, commit it, and rerun this test.", fileID: fileID,
        line: line)
    }
    try ensureSame(String(contentsOf: url, encoding: .utf8), found, fileID, line)
  }

  /// Verifies that two texts of a list have the same lines.
  private func ensureSame(_ picture: String, _ found: String, _ fileID: String, _ line: UInt) throws {
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
