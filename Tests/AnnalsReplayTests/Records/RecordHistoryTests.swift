import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

/// What became of a record, found without folding the others, compared with a plain model.
@Suite struct RecordHistoryTests {
  /// A history; some lines write their id in another way than JSON does at its shortest.
  private static let generator = Generator<RandomHistoryTests.History> { draw in
    var history = try draw(RandomHistoryTests.History.generator(transactions: 12))
    history.lines = try history.lines.map { line in
      guard try draw(.bool(0.3)) else { return line }
      return line.replacing("\"id\": \"a\"", with: "\"id\": \"\\u0061\"")
        .replacing("\"id\":\"a\"", with: "\"id\" : \"\\u0061\"")
        .replacing("\"id\": \"x y\"", with: "\"id\": \"x\\u0020y\"")
    }
    return history
  }

  @Test func `why names each event that changed a record, and no other, however its id is written`() throws {
    try check(Self.generator, settings: CheckSettings(examples: 20, maxChoices: 100_000)) { history in
      let tool = try ToolRunner()
      let answer = try tool.importLines(history.lines)
      try ensure(answer.status == 0, answer.talk)
      let end = history.lines.count
      for id in RandomHistoryTests.ids where !id.isEmpty {
        let expected = (1...end).filter { row(id, in: history.states[$0 - 1]) != row(id, in: history.states[$0]) }
        let found = tool.run("why", tool.log, id, "--each", "--json")
        let isThere = row(id, in: history.states[end]) != nil
        try ensureEqual(found.status, isThere ? 0 : 1)
        if expected.isEmpty { continue }
        let json = try JSONSerialization.jsonObject(with: Data(found.output.utf8)) as? [String: Any]
        let changes = json?["changes"] as? [[String: Any]] ?? []
        let positions = changes.compactMap { ($0["event"] as? [String: Any])?["position"] as? Int }
        // A record that comes or goes without fields has no field that changes.
        let withFields = expected.filter { position in
          row(id, in: history.states[position - 1]) ?? .object([]) != row(id, in: history.states[position])
            ?? .object([])
        }
        try ensureEqual(Array(Set(positions)).sorted(), withFields)
        try ensureEqual(json?["why"] as? String, isThere ? "shown" : "deleted")
      }
    }
  }

  /// The fields of a row, in the order of their names; nil if there is no row.
  private func row(_ id: String, in model: NaiveModel) -> JSONValue? {
    model.rows.first { Array($0.id.utf8) == Array(id.utf8) }
      .map { row in
        let members = row.fields.map { JSONMember(name: $0.name, value: $0.value) }
        return .object(members.sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) })
      }
  }
}
