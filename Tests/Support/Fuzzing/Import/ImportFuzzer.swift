// Gives random bytes to the readers of an import. `.ci/fuzz-import` compiles this folder with the readers' sources; the
// package's own build leaves it out.

import Foundation
@testable import Annals
@testable import AnnalsLog

/// Called by libFuzzer with bytes; ends the program if a rule does not hold.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Data(UnsafeBufferPointer(start: start, count: count))
  let lines = LineRules.lines(of: bytes)
  for line in lines {
    JSONRules.check(line)
    MomentRules.check(line)
    LineRules.check(line)
  }
  ImportRules.check(bytes)
  RowRules.check(bytes)
  return 0
}

/// Prints the broken rule, and ends the program.
func broken(_ what: String, _ text: String) -> Never { fatalError("\(what): \(text.debugDescription)") }

/// The rules for every line.
enum LineRules {
  /// The lines up to the first that is not UTF-8.
  ///
  /// They must be the same however the bytes are split.
  static func lines(of bytes: Data) -> [String] {
    let whole = read(bytes, by: max(1, bytes.count))
    for size in [1, 7] where read(bytes, by: size) != whole {
      broken("lines depend on how the bytes come", String(decoding: bytes, as: UTF8.self))
    }
    return whole
  }

  private static func read(_ bytes: Data, by size: Int) -> [String] {
    var place = 0
    var reader = LineReader {
      let next = min(place + size, bytes.count)
      defer { place = next }
      return bytes[place..<next]
    }
    var lines: [String] = []
    while let line = try? reader.next() { lines.append(line) }
    return lines
  }

  static func check(_ line: String) {
    guard let event = try? CloudEvent(line: line) else {
      _ = CloudEvent.label(of: line)
      return
    }
    guard case .known(let label) = CloudEvent.label(of: line), label == event.transaction else {
      broken("the label of a line is another one where it is looked for", line)
    }
    if let payload = event.event.payload, (try? JSON.check(payload)) == nil { broken("data are not JSON", line) }
  }
}

/// The rules for every text that may be JSON.
enum JSONRules {
  static func check(_ text: String) {
    let isPassed = (try? JSON.check(text)) != nil
    guard let value = try? JSONValue(parsing: text) else {
      if isPassed { broken("gone past, and not read", text) }
      return
    }
    if !isPassed { broken("read, and not gone past", text) }
    if value != value { broken("differs from itself", text) }
    for written in [value.text, value.canonicalText] {
      guard let again = try? JSONValue(parsing: written) else { broken("written as what is not read", text) }
      if again != value || again.hashValue != value.hashValue { broken("written as \(written), another value", text) }
      if again.canonicalText != value.canonicalText { broken("canonical texts of equal values differ", text) }
    }
    var numbers: [JSONNumber] = []
    collect(value, &numbers)
    for one in numbers.prefix(12) {
      check(one)
      for other in numbers.prefix(12) { check(one, other) }
    }
    checkPersonal(text)
  }

  private static func collect(_ value: JSONValue, _ numbers: inout [JSONNumber]) {
    switch value {
    case .number(let number): numbers.append(number)
    case .array(let values): for value in values { collect(value, &numbers) }
    case .object(let members): for member in members { collect(member.value, &numbers) }
    default: break
    }
  }

  private static func check(_ number: JSONNumber) {
    if number != number || number < number { broken("a number is not equal with itself", number.text) }
    if let int = number.int, JSONNumber(int) != number { broken("an integer is another number", number.text) }
    if let double = number.double, let nearest = JSONNumber(double), let other = nearest.double, other != double {
      broken("a double is another one", number.text)
    }
  }

  private static func check(_ one: JSONNumber, _ other: JSONNumber) {
    let relations = [one < other, one == other, other < one]
    let both = "\(one.text) \(other.text)"
    if relations.count(where: { $0 }) != 1 { broken("of two numbers not one thing is true", both) }
    if one == other, one.hashValue != other.hashValue || one.canonicalText != other.canonicalText {
      broken("equal numbers differ", both)
    }
    if one < other, let left = one.double, let right = other.double, left > right {
      broken("doubles are ordered otherwise", both)
    }
    var (left, right) = (KeyWriter(), KeyWriter())
    JSONValue.number(one).encode(into: &left)
    JSONValue.number(other).encode(into: &right)
    let keyPrecedes = left.bytes.lexicographicallyPrecedes(right.bytes)
    if keyPrecedes != (one < other) || (left.bytes == right.bytes) != (one == other) {
      broken("keys are ordered otherwise", both)
    }
  }

  /// Values that are cut out of a payload are put back to the byte.
  private static func checkPersonal(_ text: String) {
    guard let cut = try? PersonalPayload(cutting: text) else { return }
    if (try? JSON.check(cut.payload)) == nil { broken("a payload without personal values is not JSON", text) }
    var objects: [Int: String] = [:]
    for (place, field) in cut.fields.enumerated() { objects[place] = field.object }
    let joined = try? PersonalPayload.joined(cut.payload, objects)
    // A placeholder that contains spaces stays as it is: it has no value.
    guard joined.map({ ExactString($0) }) == ExactString(text) else {
      broken("put together as \(joined ?? "nothing")", text)
    }
  }
}

/// The rules for every text that may be a moment.
enum MomentRules {
  static func check(_ text: String) {
    for part in text.split(separator: "\"").prefix(40).map(String.init) {
      guard let moment = RFC3339.microseconds(of: part) else { continue }
      let written = RFC3339.text(microseconds: moment)
      if RFC3339.microseconds(of: written) != moment { broken("written as \(written), another moment", part) }
      guard let date = RFC3339.date(of: part), RFC3339.moments.contains(date.microseconds) else {
        broken("a moment without a date", part)
      }
    }
  }
}

/// The rules for every source of rows.
enum RowRules {
  static func check(_ bytes: Data) {
    let source: ImportedRows
    do { source = try ImportedRows(bytes, id: "id", source: "file") } catch is ReplayError { return } catch {
      fatalError("rows of \(String(decoding: bytes, as: UTF8.self).debugDescription) fail with \(error)")
    }
    // The events insert exactly the source's rows, and a second comparison has nothing to change.
    var rows = Rows<Record>()
    for event in RowComparison(source, with: rows, deletes: true).events {
      guard case .inserted(let id, let fields) = event else { broken("not an insertion", "\(event)") }
      rows.insert(Record(id: id, fields: .object(fields)))
    }
    let again = RowComparison(source, with: rows, deletes: true)
    if rows.count != source.rows.count || !again.events.isEmpty {
      broken("rows differ after their import: \(again.events)", String(decoding: bytes, as: UTF8.self))
    }
  }
}

/// The rules for every import.
enum ImportRules {
  static func check(_ bytes: Data) {
    let (first, second, third) = (store(), store(), store())
    let failure = take(bytes, into: first)
    let lines = export(first)
    let exported = Data(lines.map { $0 + "\n" }.joined().utf8)
    // Lines that were accepted and written again read as the same.
    let text = lines.joined(separator: "\n")
    if let failure = take(exported, into: second) { broken("an export is refused: \(failure)", text) }
    let again = export(second)
    if again != lines { broken("an export of an import is \(again)", text) }
    for line in lines where (try? JSON.check(line)) == nil || line.contains("\n") {
      broken("a line is no JSON", line)
    }
    // A second run of an import adds nothing. An import that failed stops at the same line.
    let count = lines.count
    let secondFailure = take(bytes, into: first)
    if export(first).count != count || (secondFailure == nil) != (failure == nil) {
      broken("an import that is run again is another one", String(decoding: bytes, as: UTF8.self))
    }
    // A bad line changes nothing: the log equals that of an import of only the lines before it.
    guard let failure, failure.line > 1 else { return }
    let before = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(failure.line - 1)
    _ = take(Data(before.joined(separator: [0x0A])), into: third)
    let whole = export(third)
    if !whole.starts(with: lines) {
      broken("a bad line changes what is before it", String(decoding: bytes, as: UTF8.self))
    }
  }

  /// A log with a fixed clock, so that lines without a time have one.
  private static func store() -> MemoryEventStore {
    MemoryEventStore(source: "log", environment: StoreEnvironment(now: { Date(timeIntervalSince1970: 1.5) }))
  }

  private static func take(_ bytes: Data, into store: MemoryEventStore) -> (line: Int, what: String)? {
    var (rest, number) = (bytes, 0)
    do {
      var reader = LineReader {
        defer { rest = Data() }
        return rest
      }
      let log = LogFile(store)
      if store.head() > 0 { _ = try log.create() }
      var importer = try Importer(into: log)
      do {
        while let line = try reader.next() {
          number = reader.number
          try importer.take(line, number: number)
        }
        try importer.finish()
        return nil
      } catch let error as Importer.BadLine {
        return (error.number, error.message)
      } catch is LineReader.NotText {
        // What is whole before the line is in the log.
        do { try importer.stop() } catch let error as Importer.BadLine { return (error.number, error.message) }
        return (reader.number, "not text")
      }
    } catch {
      fatalError("an import of \(String(decoding: bytes, as: UTF8.self).debugDescription) fails with \(error)")
    }
  }

  private static func export(_ store: MemoryEventStore) -> [String] {
    var (lines, labels) = ([String](), TransactionLabels())
    try? store.forEachEvent { event in lines.append(CloudEvent.line(event, transaction: labels.label(of: event))) }
    return lines
  }
}
