import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

/// The event that brought a row to its place, compared with a search of a plain model at every event.
@Suite struct RandomWhyTests {
  private typealias History = RandomHistoryTests.History

  /// The place of a row, and its cause, found without the library's lists.
  private struct Place: Equatable {
    var path: [Int]
    /// The end of the last transaction that changed the path.
    var since: Int
    /// The event that brought the row there.
    var event: Int
    /// True if the event changed the row itself.
    var isOwn: Bool
    /// The row that the event changed.
    var cause: String

    /// - Parameters:
    ///   - id: The row.
    ///   - lists: The list at every position, beginning with 0.
    ///   - changed: The row that the event at every position changed.
    ///   - ends: The ends of the transactions.
    init?(_ id: String, _ lists: ArraySlice<[JSONList.Section]>, _ changed: [String?], _ ends: [Int]) {
      let (paths, end) = (lists.map { Self.path(of: id, in: $0) }, lists.count - 1)
      guard let path = paths[end] else { return nil }
      let ends = [0] + ends.filter { $0 < end } + [end]
      // The list at position 0 is empty, so a transaction changed the path.
      guard let last = (1..<ends.count).last(where: { paths[ends[$0]] != paths[ends[$0 - 1]] }) else { return nil }
      let events = (ends[last - 1] + 1...ends[last]).filter { paths[$0] != paths[$0 - 1] }
      let own = events.last { paths[$0] != nil && changed[$0].map { same($0, id) } ?? false }
      guard let event = own ?? events.last else { return nil }
      (self.path, since, self.event, isOwn) = (path, ends[last], event, own != nil)
      cause = changed[event] ?? ""
    }

    private static func path(of id: String, in sections: [JSONList.Section]) -> [Int]? {
      for (index, section) in sections.enumerated() {
        if let row = section.rows.firstIndex(where: { same($0.id, id) }) { return [index, row] }
      }
      return nil
    }
  }

  private struct Inquiry: SourcePrintable {
    let history: History
    let questions: [(options: NaiveModel.Options, position: Int)]

    var swiftSource: String {
      (history.lines + questions.map { "\($0.options.words) \($0.position)" }).joined(separator: "\n  ")
    }

    static let generator = Generator<Inquiry> { draw in
      let history = try draw(History.generator(transactions: 10))
      let end = history.lines.count
      let places = [end, try draw(.int(in: 1...end)), try draw(.int(in: 1...end))]
      return Inquiry(history: history, questions: try places.map { (try draw(RandomHistoryTests.options), $0) })
    }
  }

  @Test func `why names the event that brought a row to its place, as a search at each event does`() throws {
    var kinds: Set<String> = []
    try check(Inquiry.generator, settings: CheckSettings(examples: 8, maxChoices: 100_000)) { inquiry in
      let (tool, history) = (try ToolRunner(), inquiry.history)
      try ensure(try tool.importLines(history.lines).status == 0)
      let rows = history.states.map { $0.list(.init()).flatMap(\.rows) }
      let changed =
        [nil]
        + (1..<rows.count).map { position in
          RandomHistoryTests.ids.first { id in
            rows[position - 1].first { same($0.id, id) } != rows[position].first { same($0.id, id) }
          }
        }
      for (options, end) in inquiry.questions {
        let lists = history.states.map { $0.list(options) }
        for id in RandomHistoryTests.ids {
          let words = ["why", tool.log, id, "\(end)", "--json"] + options.words
          let answer = tool.run(words)
          // A comparison with a value of a kind that no row has is an error.
          if answer.refusesKind { continue }
          guard let place = Place(id, lists[...end], changed, history.ends) else {
            try ensure(answer.status == 1, "\(words): \(answer.output)")
            continue
          }
          try ensure(answer.status == 0, "\(words): \(answer.output) \(answer.talk)")
          let found = try JSONValue(parsing: answer.output)
          let reason = found["reason"]?.string ?? ""
          try ensureEqual(found["path"]?.array?.compactMap(\.int), place.path)
          try ensureEqual(found["since"]?.int, place.since)
          try ensureEqual(found["event"]?["position"]?.int, place.event)
          try ensure(reason.hasPrefix("it ") == place.isOwn, "\(words): \(reason)")
          let isNamed = ["\(place.cause) ", "\(place.cause),"].contains { reason.hasPrefix($0) }
          let isWindow = options.limit != nil
          try ensure(place.isOwn || isNamed || isWindow, "\(words): \(reason), by \(place.cause)")
          kinds.insert(place.isOwn ? reason : isNamed ? String(reason.dropFirst(place.cause.count)) : "")
        }
      }
    }
    #expect(kinds.contains("it came in") && kinds.contains { $0.hasSuffix(" before it") }, "\(kinds)")
  }

  @Test func `why finds an event before the last 4,096 events, in the middle of its transaction`() throws {
    let tool = try ToolRunner()
    func row(_ number: Int, _ id: String, _ rank: Int, _ transaction: String) -> String {
      inserted(number, id, #"{"rank":\#(rank)}"#, transaction: transaction)
    }
    var lines = [row(1, "r", 5, "a"), row(2, "s", 6, "b"), row(3, "q", 4, "b"), row(4, "t", 7, "b")]
    lines += (5...9_000).map { row($0, "x\($0)", 100 + $0, "c\($0 / 3)") }
    try tool.importLines(lines)
    let answer = tool.run("why", tool.log, "r", "--sort", "rank", "--json")
    let found = try JSONValue(parsing: answer.output)
    #expect(found["event"]?["position"]?.int == 3 && found["since"]?.int == 4, "\(answer)")
    #expect(found["reason"]?.string == "q came in before it" && found["after"]?["id"]?.string == "q")
    let last = tool.run("why", tool.log, "x9000", "--sort", "rank", "--json")
    #expect(try JSONValue(parsing: last.output)["event"]?["position"]?.int == 9_000, "\(last)")
  }
}

private func same(_ left: String, _ right: String) -> Bool { Array(left.utf8) == Array(right.utf8) }
