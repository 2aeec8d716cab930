import Foundation

/// The cases of a check that reached something that none before them did.
///
/// The search changes them: what was hard to reach is a good place to go on from. With a directory they are kept in a
/// file, one token per line, and the next run begins with them.
struct Corpus {
  private let file: TokenLines?
  private let property: PropertyName
  private var cases: [Record] = []
  /// The places of the cases that led to a new state.
  private var states: [Int] = []
  /// How many of the cases were in the file.
  private var known = 0
  /// The lines of the file as it is.
  private var lines: [String] = []

  /// More are not kept: they would take the time in which new ones are found.
  static let limit = 1_000

  init(directory: String?, property: PropertyName) {
    self.property = property
    file = directory.map {
      TokenLines(
        URL(fileURLWithPath: $0, isDirectory: true).appendingPathComponent("\(property.fileName).corpus"))
    }
  }

  /// How many cases there are, and how many of them are not from the file; nil without a file.
  var counts: (cases: Int, new: Int)? { file == nil ? nil : (cases.count, cases.count - known) }

  /// The choices of the cases in the file.
  ///
  /// - Throws: ``CheckError`` if the file cannot be read, or has a line that is no case.
  mutating func read() throws -> [[UInt64]] {
    guard let file else { return [] }
    do { lines = try file.read() } catch {
      throw CheckError(description: "the corpus cannot be read: \(error.localizedDescription)")
    }
    return try lines.enumerated().map { number, line in
      do { return try ReplayToken(line).indices } catch {
        throw CheckError(
          description: """
            line \(number + 1) of the corpus of \(property.function) is no case (\(error)); delete the line, or the file
            """)
      }
    }
  }

  /// The cases of the file that are worth keeping are in; what comes now is new.
  mutating func begin() { known = cases.count }

  mutating func insert(_ record: Record) {
    guard cases.count < Self.limit, !record.choices.isEmpty else { return }
    if record.news != nil { states.append(cases.count) }
    cases.append(record)
  }

  /// Writes the file, if there is one and it changes.
  ///
  /// - Throws: ``CheckError`` if it cannot be written.
  func write() throws {
    guard let file else { return }
    let tokens = cases.map { ReplayToken(property: property.hash, indices: $0.indices).text }
    guard tokens != lines else { return }
    do { try file.write(tokens) } catch {
      throw CheckError(description: "the corpus cannot be written: \(error.localizedDescription)")
    }
  }

  /// The first choices of a case that goes on from one of these, or differs from it in one place; nil if there is none.
  func changed(_ chance: inout SplitMix64) -> [UInt64]? {
    guard !cases.isEmpty else { return nil }
    // Mostly a state, and mostly one of the last: there the search is now.
    let isAny = states.isEmpty || chance.next(below: 4) == 0
    let count = isAny ? cases.count : states.count
    let place = count - 1 - Int(chance.next(below: min(UInt64(count), 1 << chance.next(below: 11))))
    let record = cases[isAny ? place : states[place]]
    if let news = record.news, chance.next() & 1 == 0 {
      // What comes after the state is drawn again.
      return Array(record.indices[..<news])
    }
    let steps = record.spans.filter { $0.label == .step || $0.label == .element }
    var indices = record.indices
    switch chance.next(below: 4) {
    case 0, 1:
      // What comes after a step is drawn again.
      guard !steps.isEmpty else { fallthrough }
      let step = steps[Int(chance.next(below: UInt64(steps.count)))]
      return Array(indices[..<max(1, step.range.lowerBound)])
    case 2:
      let place = Int(chance.next(below: UInt64(indices.count)))
      indices[place] = chance.next(below: max(record.choices[place].bound, 1))
      return indices
    default:
      // Without a step.
      guard !steps.isEmpty else { return indices }
      indices.removeSubrange(steps[Int(chance.next(below: UInt64(steps.count)))].range)
      return indices
    }
  }
}
