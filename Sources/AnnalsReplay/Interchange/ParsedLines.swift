import Annals
import AnnalsLog

/// Lines of an import that another thread reads as events, while those before them are taken.
struct ParsedLines {
  /// A line as it came.
  typealias Text = (number: Int, text: String)

  /// A line that was read as an event.
  final class Line: Sendable {
    let number: Int
    let event: CloudEvent
    /// What the event says of a record, as far as the event alone tells.
    let record: RecordIDs.Reading
    let bytes: Int

    init(_ line: Text, _ event: CloudEvent) {
      (number, self.event, bytes) = (line.number, event, line.text.utf8.count)
      record = RecordIDs.Reading(type: event.event.type, payload: event.event.payload)
    }
  }

  /// What a line is.
  enum Parsed: Sendable {
    case event(Line)
    case bad(Text, message: String)
  }

  /// Lines that no thread reads yet.
  private var waiting: [Text] = []
  private var waitingBytes = 0
  /// The blocks that are being read, the oldest first.
  private var blocks: [(task: InFlight<[Parsed]>, count: Int, bytes: Int)] = []

  /// How many lines are read together, and how many bytes at least make a block of fewer lines.
  private static let block = (lines: 1_024, bytes: 1 << 20)
  /// How many blocks and bytes may be read ahead.
  ///
  /// With two blocks neither thread waits; a line may have hundreds of megabytes.
  private static let most = (blocks: 2, bytes: 4 << 20)

  /// How many lines were added and not handed over yet.
  var count: Int { waiting.count + blocks.reduce(0) { $0 + $1.count } }

  /// Adds a line.
  ///
  /// - Returns: The lines before it that are to be taken now, in order; mostly none.
  mutating func add(_ line: Text) -> [[Parsed]] {
    waiting.append(line)
    waitingBytes += line.text.utf8.count
    if waiting.count < Self.block.lines, waitingBytes < Self.block.bytes { return [] }
    begin()
    var ready: [[Parsed]] = []
    while blocks.count > Self.most.blocks || blocks.count > 1 && blocks.reduce(0, { $0 + $1.bytes }) > Self.most.bytes {
      ready.append(first())
    }
    return ready
  }

  /// Hands over the oldest lines that were added; nil if all were handed over.
  mutating func next() -> [Parsed]? {
    if blocks.isEmpty, !waiting.isEmpty { begin() }
    return blocks.isEmpty ? nil : first()
  }

  /// Forgets all lines.
  mutating func removeAll() { self = ParsedLines() }

  private mutating func begin() {
    let lines = waiting
    blocks.append((InFlight { Self.parse(lines) }, waiting.count, waitingBytes))
    (waiting, waitingBytes) = ([], 0)
    waiting.reserveCapacity(Self.block.lines)
  }

  private mutating func first() -> [Parsed] {
    let task = blocks.removeFirst().task
    guard let lines = try? task.wait() else { preconditionFailure("reading lines throws nothing") }
    return lines
  }

  /// A line with the required attributes.
  private static let minimalLine =
    #"{"specversion":"1.0","id":"1","source":"shop","type":"RecordInserted","#
    + #""data":{"collection":"book","id":"b1","fields":{"title":"Annals"}}}"#

  private static func parse(_ lines: [Text]) -> [Parsed] {
    let members = JSON.MemberReader()
    return lines.map { line in
      do {
        return .event(Line(line, try CloudEvent(line: line.text, members)))
      } catch let problem as CloudEvent.Problem where !problem.missing.isEmpty {
        return .bad(line, message: "\(problem)\na minimal line is \(minimalLine)\nplain rows need --rows ID")
      } catch {
        return .bad(line, message: "\(error)")
      }
    }
  }
}
