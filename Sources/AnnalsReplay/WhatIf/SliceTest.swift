import Annals
import AnnalsMirror

/// A list whose projection a test can name.
protocol SliceTestSource {
  /// What a test says of the projection, and the list that it makes of some events alone.
  func sliceTest(_ lines: StoredLines) throws -> SliceTest
}

/// A stretch of a log as a Swift test: its events, and the list that the app's projection makes of them.
struct SliceTest {
  /// The Swift code of the projection, such as `Shelves()`.
  let projection: String
  /// Its type's name.
  let type: String
  /// The module that has it.
  let module: String
  /// The type of its events.
  let event: String
  /// The list as text; nil if an event cannot be folded.
  let picture: String?
  /// The event that cannot be folded, and why.
  let problem: StoredLines.Problem?

  /// A type's name with its module; Swift adds where in a program a private one is.
  private static func name(of type: Any.Type) -> String {
    String(reflecting: type).replacing(#/\(unknown context at [^)]*\)\./#, with: "")
  }

  init<P: Projection>(_ projection: P, _ lines: StoredLines) {
    let whole = Self.name(of: P.self)
    let parts = whole.split(separator: ".").map(String.init)
    module = parts.first ?? ""
    type = parts.dropFirst().joined(separator: ".")
    event = Self.name(of: P.Event.self).split(separator: ".").dropFirst().joined(separator: ".")
    // A type in another one is named with it.
    let source = swiftSource(of: projection)
    self.projection = source.hasPrefix("\(P.self)(") ? type + source.dropFirst("\(P.self)".count) : source
    do {
      (picture, problem) = (try lines.picture(of: projection, in: ListRequest()), nil)
    } catch {
      picture = nil
      problem = error as? StoredLines.Problem ?? StoredLines.Problem(position: 0, description: "\(error)")
    }
  }

  /// The Swift file.
  ///
  /// - Parameters:
  ///   - lines: The events, a line each.
  ///   - range: The positions.
  ///   - log: The log's name.
  ///   - tool: The tool's name.
  /// - Returns: The text, with a line's end at its end.
  func file(_ lines: [String], _ range: ClosedRange<Int>, log: String, tool: String) -> String {
    let (log, tool) = (Self.plain(log), Self.plain(tool))
    let events = range.count == 1 ? "event \(range.lowerBound)" : "events \(range.lowerBound) to \(range.upperBound)"
    let name = "\(Self.plain(type)) lists \(events) of \(log)"
    let note =
      problem == nil
      ? "" : "  // This fails until \(type) folds the events. Then write here the list that is right.\n"
    return """
      // \(events.prefix(1).uppercased() + events.dropFirst()) of \(log), and the list that \(type) makes of them.
      // Written by `\(tool) test \(log) \(range.lowerBound)..\(range.upperBound)`.

      import Annals
      import AnnalsTesting
      import Testing

      @testable import \(module)

      @Test func `\(name)`() throws {
        // Events of \(event), as `\(tool) log --json` prints them.
      \(note)  try \(projection).ensureLists(
          \(Self.literal(lines, indent: 4)),
          as: \(Self.literal((picture ?? "").split(separator: "\n").map(String.init), indent: 4)))
      }

      """
  }

  /// A raw literal of several lines, with as many number signs as they need.
  static func literal(_ lines: [String], indent: Int) -> String {
    if lines.isEmpty { return "\"\"" }
    let text = lines.joined(separator: "\n")
    var signs = "#"
    while text.contains("\"\"\"" + signs) || text.contains("\\" + signs) { signs += "#" }
    let space = String(repeating: " ", count: indent)
    return "\(signs)\"\"\"\n" + lines.map { space + $0 + "\n" }.joined() + "\(space)\"\"\"\(signs)"
  }

  /// A name in which there is nothing that would end a comment's line or a name between backticks.
  private static func plain(_ text: String) -> String {
    String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || "._- /".contains($0)) ? $0 : "-" })
  }
}

extension ProjectionSource: SliceTestSource {
  func sliceTest(_ lines: StoredLines) throws -> SliceTest { SliceTest(projection, lines) }
}
