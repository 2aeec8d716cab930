#if Postgres
  import Annals
  import AnnalsLog
  import Foundation

  /// The counts of a fault: the journals of its processes, compared with the log.
  struct FaultCounts: CustomStringConvertible {
    /// The commands with a receipt.
    private(set) var acknowledged = 0
    /// The commands whose events aren't at the position of their receipt.
    private(set) var missing = 0
    /// The events of commands that were executed before.
    private(set) var twice = 0
    /// The commands that are or might be in the log, without a receipt.
    private(set) var unknown = 0
    /// The commands that are in the log, although they were refused.
    private(set) var refused = 0
    /// The positions and versions that don't follow their predecessors.
    private(set) var gaps = 0
    /// The numbers of calls by their errors.
    private(set) var errors: [String: Int] = [:]
    /// The longest time after the fault in which a writer's process got no receipt, in seconds.
    private(set) var longestPause = 0.0
    /// The events that the subscription delivered in the wrong order.
    private(set) var disorder = 0
    /// The events that the follower handled more than once.
    private(set) var repeated = 0
    /// The events that the follower handled before an earlier event of their stream.
    private(set) var followedDisorder = 0
    /// The events and rows of the copies that differ from the log, or nil if the copies weren't compared.
    private(set) var differences: Int?

    /// Counts the lines of the writers' journals.
    ///
    /// - Parameters:
    ///   - journals: The journals.
    ///   - start: The time of the fault.
    ///   - events: All events of the log.
    init(journals: [String], start: UInt64, events: [StoredEvent]) {
      let commands = events.map(Self.number(of:))
      var (known, unknowns, refusals): (Set<Int>, Set<Int>, Set<Int>) = ([], [], [])
      for line in journals.flatMap(FaultJournal.lines) {
        let numbers = line.values.compactMap { Int($0) }
        switch line.word {
        case .done:
          known.insert(numbers[0])
          let place = numbers[1] - 1
          if !commands.indices.contains(place) || commands[place] != numbers[0] { missing += 1 }
        case .unknown: unknowns.insert(numbers[0])
        case .refused: refusals.insert(numbers[0])
        case .error: errors[line.values.joined(separator: " "), default: 0] += 1
        case .process, .read, .disorder, .followed, .listed, .differences: break
        }
      }
      acknowledged = known.count
      twice = commands.count - Set(commands).count
      unknown = unknowns.union(commands).subtracting(known).count
      refused = refusals.intersection(commands).count
      longestPause = journals.map { Self.longestPause($0, after: start) }.max() ?? 0
      var versions: [StreamName: Int] = [:]
      for (index, event) in events.enumerated() {
        versions[event.stream, default: 0] += 1
        if event.position.rawValue != index + 1 || event.version != versions[event.stream] { gaps += 1 }
      }
    }

    /// Returns the number of the command that appended an event.
    static func number(of event: StoredEvent) -> Int { event.payload.flatMap { Int($0.filter(\.isNumber)) } ?? 0 }

    private static func longestPause(_ journal: String, after start: UInt64) -> Double {
      let times = FaultJournal.lines(journal).filter { $0.word == .done }.compactMap { UInt64($0.values[2]) }.sorted()
      let pauses = zip(times, times.dropFirst()).filter { $1 > start }.map { $1 - $0 }
      return Double(pauses.max() ?? 0) / 1e9
    }

    /// Counts the lines of the watchers' journals.
    mutating func watch(_ lines: [FaultJournal.Line]) {
      var (handled, last): (Set<Int>, [Substring: Int]) = ([], [:])
      for line in lines {
        switch line.word {
        case .disorder: disorder += 1
        case .error: errors[line.values.joined(separator: " "), default: 0] += 1
        case .followed:
          guard let position = Int(line.values[0]) else { continue }
          let stream = line.values[1]
          if !handled.insert(position).inserted {
            repeated += 1
          } else if position < last[stream, default: 0] {
            followedDisorder += 1
          }
          last[stream] = max(position, last[stream, default: 0])
        case .differences: differences = (differences ?? 0) + (Int(line.values[0]) ?? 1)
        case .process, .done, .unknown, .refused, .read, .listed: break
        }
      }
    }

    /// Returns true if the subscription and the follower of a journal have delivered all positions up to a log's end.
    static func isComplete(_ lines: [FaultJournal.Line], through head: Int) -> Bool {
      let handled = Set(lines.filter { $0.word == .followed }.compactMap { Int($0.values[0]) })
      let read = lines.last { $0.word == .read }.flatMap { Int($0.values[0]) } ?? 0
      return read == head && (1...max(1, head)).allSatisfy(handled.contains)
    }

    /// The columns of a table.
    var description: String {
      let errors = errors.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
      let pause = String(format: "%.2f s", longestPause)
      let counts = [
        acknowledged, missing, twice, refused, unknown, gaps, disorder, followedDisorder, repeated, differences ?? -1,
      ]
      return (counts.map(\.description) + [pause, errors.isEmpty ? "none" : errors]).joined(separator: " | ")
    }

    /// Checks the promises of the log.
    ///
    /// - Parameter losesCommits: True if the fault replaces the log with an older one, whose positions get new events.
    /// - Returns: True if a promise was broken.
    func isWrong(losesCommits: Bool) -> Bool {
      let lost = missing + disorder + followedDisorder
      return twice + refused + gaps > 0 || differences != 0 || lost > 0 && !losesCommits
    }
  }
#endif
