package import Annals
import Foundation

/// Events as lines of an export, and what a projection makes of them alone.
///
/// The tool writes tests with them, and the harness runs these tests: both fold and print the same way.
package struct StoredLines {
  /// Why lines lead to no list.
  package struct Problem: Error, CustomStringConvertible {
    /// The position that the line names, or its number.
    package let position: Int
    /// What is wrong.
    package let description: String

    /// - Parameters:
    ///   - position: The position that the line names, or its number.
    ///   - description: What is wrong.
    package init(position: Int, description: String) { (self.position, self.description) = (position, description) }
  }

  /// The events, each with the position that its line names.
  private let events: [StoredEvent]

  /// Reads lines.
  ///
  /// - Parameter text: Lines as an export has them; empty ones are skipped.
  /// - Throws: ``Problem`` for a line that is no event.
  package init(_ text: String) throws {
    var (events, versions, transaction, label) = ([StoredEvent](), [StreamName: Int](), 0, JSONValue?.none)
    for (index, line) in text.split(separator: "\n").enumerated() where !line.allSatisfy(\.isWhitespace) {
      do {
        let found = try CloudEvent(line: String(line))
        if found.transaction == nil || found.transaction != label { transaction += 1 }
        label = found.transaction
        versions[found.stream, default: 0] += 1
        let position = (try? JSONValue(parsing: String(line)))?["position"]?.int
        events.append(
          StoredEvent(
            position: Position(position ?? index + 1), transaction: transaction, stream: found.stream,
            version: versions[found.stream] ?? 1, id: found.id, type: found.event.type, schema: found.event.schema,
            time: found.event.time ?? Date(timeIntervalSince1970: 0), tags: found.event.tags,
            payload: found.event.payload, metadata: found.event.metadata))
      } catch {
        throw Problem(position: index + 1, description: "line \(index + 1) is no event: \(error)")
      }
    }
    self.events = events
  }

  /// The list that a projection makes of the events, as text: a line of JSON for each row.
  ///
  /// A list with sections has their titles too, each as a line that begins with `#`.
  ///
  /// - Parameters:
  ///   - projection: Makes the rows.
  ///   - request: Which rows, in which order.
  /// - Returns: The text, without a line's end at its end.
  /// - Throws: ``Problem`` for an event that cannot be folded, or a row that cannot be written.
  package func picture<P: Projection>(of projection: P, in request: FetchRequest<P.Row>) throws -> String {
    var (rows, coder) = (Rows<P.Row>(for: P.self), try EventCoder<P.Event>())
    let policy = ReadingPolicy(unknown: P.unknownEvents, newer: P.newerEvents)
    for event in events {
      do {
        try coder.read(type: event.type, schema: event.schema, payload: event.payload, policy).forEach {
          try projection.project(Recorded($0, event), into: &rows)
        }
      } catch {
        throw Problem(
          position: event.position.rawValue,
          description: "\(P.self) cannot fold event \(event.position) (\(event.type)): \(error)")
      }
    }
    let list = Results(request, of: rows, at: events.last?.position ?? 0)
    let isCut = list.sections.count != 1 || list.sections.first?.key != .null
    var lines: [String] = []
    for section in list.sections {
      if isCut { lines.append("# " + JSONValue.quoted(section.title)) }
      for row in section { lines.append(try PayloadCoder.comparisonText(of: row)) }
    }
    return lines.map(Self.visible).joined(separator: "\n")
  }

  /// Text of JSON in which characters that cannot be seen are escaped.
  ///
  /// Beyond ASCII they stand in strings only, so that the JSON stays equal.
  package static func visible(_ json: String) -> String {
    var text = ""
    for scalar in json.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        for unit in String(scalar).utf16 {
          let number = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - number.count) + number
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
