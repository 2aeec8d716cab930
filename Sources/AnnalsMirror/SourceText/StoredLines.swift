package import Annals
import AnnalsLog
import Foundation

/// Events as lines of an export, and the list that a projection builds from these events alone.
///
/// The tool writes tests with this type and the harness runs them, so both apply and print events in the same way.
package struct StoredLines {
  /// An error that describes why no list can be built from lines.
  package struct Problem: Error, CustomStringConvertible {
    /// The event's position, or the line number if the line isn't an event or contains no position.
    package let position: Int
    /// The description of the problem.
    package let description: String

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - position: The event's position, or the line number.
    ///   - description: The description of the problem.
    package init(position: Int, description: String) {
      self.position = position
      self.description = description
    }
  }

  /// The events, with the positions that their lines contain.
  private let events: [StoredEvent]

  /// Parses lines.
  ///
  /// - Parameter text: The lines of an export, where empty lines are skipped.
  /// - Throws: ``Problem`` if a line isn't an event.
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
        throw Problem(position: index + 1, description: "line \(index + 1) isn't an event: \(error)")
      }
    }
    self.events = events
  }

  /// Returns a text of the list that a projection builds from the events, with one line of JSON per row.
  ///
  /// If the list has sections, the text also contains their titles, as lines that start with `#`.
  ///
  /// - Parameters:
  ///   - projection: The projection that builds the rows.
  ///   - request: The filter and order of the rows.
  /// - Returns: The text, without a trailing line break.
  /// - Throws: ``Problem`` if an event can't be applied or a row can't be written.
  package func picture<P: Projection>(of projection: P, in request: ListRequest<P.Row>) throws -> String {
    var (rows, coder) = (Rows<P.Row>(for: P.self), try EventCoder<P.Event>())
    let policy = ReadingPolicy(unknown: P.unknownEvents, newer: P.newerEvents)
    for event in events {
      do {
        try coder.read(event, policy).forEach {
          try projection.project(Recorded($0, event), into: &rows)
        }
      } catch {
        throw Problem(
          position: event.position.rawValue,
          description: "\(P.self) can't apply event \(event.position) (\(event.type)): \(error)")
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

  /// Returns a JSON text with invisible characters escaped.
  ///
  /// Outside ASCII, these characters occur only in strings, so the JSON stays equivalent.
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
