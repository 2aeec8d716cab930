import Foundation

/// A check's cases that added coverage.
///
/// The search mutates these cases, because a state that was hard to reach is a good starting point. If the settings
/// have a directory, the cases are stored in a file, one token per line, and the next run starts with them.
struct Corpus {
  private let file: TokenLines?
  private let property: PropertyName
  private var cases: [Record] = []
  /// The indices of the cases that reached a new state.
  private var states: [Int] = []
  /// The number of cases that were read from the file.
  private var known = 0
  /// The current lines of the file.
  private var lines: [String] = []

  /// The maximum number of stored cases.
  ///
  /// The next run executes all stored cases, so more of them would leave less time for new cases.
  static let limit = 1_000

  init(directory: String?, property: PropertyName) {
    self.property = property
    file = directory.map {
      TokenLines(
        URL(fileURLWithPath: $0, isDirectory: true).appendingPathComponent("\(property.fileName).corpus"))
    }
  }

  /// The number of cases and the number of new cases, or `nil` without a file.
  var counts: (cases: Int, new: Int)? { file == nil ? nil : (cases.count, cases.count - known) }

  /// Reads the choices of the cases in the file.
  ///
  /// - Throws: ``CheckError`` if the file can't be read, or if a line isn't a valid case.
  mutating func read() throws -> [[UInt64]] {
    guard let file else { return [] }
    do { lines = try file.read() } catch {
      throw CheckError(
        description: "the corpus can't be read: \(error.localizedDescription); check the directory in "
          + "`CheckSettings.corpus` or `ANNALS_CORPUS`")
    }
    return try lines.enumerated().map { number, line in
      do { return try ReplayToken(line).indices } catch {
        throw CheckError(
          description: """
            line \(number + 1) of the corpus of \(property.function) isn't a stored case (\(error)); \
            delete the line or file
            """)
      }
    }
  }

  /// Marks the current cases as known, so that later cases count as new.
  mutating func begin() { known = cases.count }

  mutating func insert(_ record: Record) {
    guard cases.count < Self.limit, !record.choices.isEmpty else { return }
    if record.news != nil { states.append(cases.count) }
    cases.append(record)
  }

  /// Writes the file if its contents changed.
  ///
  /// - Throws: ``CheckError`` if the file can't be written.
  func write() throws {
    guard let file else { return }
    let tokens = cases.map { ReplayToken(property: property.hash, indices: $0.indices).text }
    guard tokens != lines else { return }
    do { try file.write(tokens) } catch {
      throw CheckError(
        description: "the corpus can't be written: \(error.localizedDescription); check the directory in "
          + "`CheckSettings.corpus` or `ANNALS_CORPUS`")
    }
  }

  /// Returns the first choices of a case that continues or mutates a stored case, or `nil` if the corpus is empty.
  func changed(_ chance: inout SplitMix64) -> [UInt64]? {
    guard !cases.isEmpty else { return nil }
    // Prefers cases that reached new states, and recent cases, because the search is currently close to their states.
    let isAny = states.isEmpty || chance.next(below: 4) == 0
    let count = isAny ? cases.count : states.count
    let place = count - 1 - Int(chance.next(below: min(UInt64(count), 1 << chance.next(below: 11))))
    let record = cases[isAny ? place : states[place]]
    if let news = record.news, chance.next() & 1 == 0 {
      // Keeps the choices up to the new state, and redraws the rest.
      return Array(record.indices[..<news])
    }
    let steps = record.spans.filter { $0.label == .step || $0.label == .element }
    var indices = record.indices
    switch chance.next(below: 4) {
    case 0, 1:
      // Keeps the choices up to a step, and redraws the rest.
      guard !steps.isEmpty else { fallthrough }
      let step = steps[Int(chance.next(below: UInt64(steps.count)))]
      return Array(indices[..<max(1, step.range.lowerBound)])
    case 2:
      let place = Int(chance.next(below: UInt64(indices.count)))
      indices[place] = chance.next(below: max(record.choices[place].bound, 1))
      return indices
    default:
      // Removes a step.
      guard !steps.isEmpty else { return indices }
      indices.removeSubrange(steps[Int(chance.next(below: UInt64(steps.count)))].range)
      return indices
    }
  }
}
