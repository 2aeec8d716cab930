import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsReplay

/// Causes that a log names in part: effects without a correlation, commands that their events do not name.
@Suite struct CauseTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  private func event(_ id: String, _ metadata: Metadata = [:]) -> NewEvent {
    NewEvent(
      type: "RecordInserted", payload: #"{"collection":"c","id":"\#(id)","fields":{"n":1}}"#, metadata: metadata,
      id: EventID(source: "s", id: "e-\(id)"))
  }

  private func command(_ events: [NewEvent], _ id: String) -> Append {
    Append(events.map { Append.Entry(stream: "s", event: $0) }, commandID: id)
  }

  @Test func `What was caused belongs to the whole, however few or many causes there are`() throws {
    for many in [3, 60] {
      let store = try SQLiteEventStore(path: tool.path("log-\(many)"))
      try store.append(Append((0..<many).map { event("a\($0)", ["correlationid": "whole"]) }, to: "s"))
      try store.append(Append([event("stranger", ["causationid": "nobody"])], to: "s"))
      // An effect of an effect, the second with a correlation of its own.
      try store.append(Append([event("b", ["causationid": "e-a1"])], to: "s"))
      try store.append(Append([event("c", ["causationid": "e-b", "correlationid": "other"])], to: "s"))
      try store.append(Append([event("d", ["correlationid": "other"])], to: "s"))
      store.close()
      let found = tool.run("log", tool.path("log-\(many)"), "--tree", "whole", "--json").lines.compactMap { line in
        (try? JSONValue(parsing: line))?["event"]?["position"]?.int
      }
      #expect(found.sorted() == Array(1...many) + [many + 2, many + 3])
    }
  }

  @Test func `A trace is what a naive search of causes finds`() throws {
    var random = SplitMix64(seed: 7)
    for round in 0..<12 {
      let path = tool.path("random-\(round)")
      let store = try SQLiteEventStore(path: path)
      var causes: [(correlation: String?, causation: String?)] = []
      for number in 0..<40 {
        var metadata: Metadata = [:]
        let correlation = Int.random(in: 0..<3, using: &random) == 0 ? "w\(Int.random(in: 0..<3, using: &random))" : nil
        let cause = Bool.random(using: &random) ? "e-\(Int.random(in: 0...max(0, number - 1), using: &random))" : nil
        (metadata.correlation, metadata.causation) = (correlation, cause)
        causes.append((correlation, cause))
        try store.append(Append([event("\(number)", metadata)], to: "s"))
      }
      store.close()
      var wanted = Set(causes.indices.filter { causes[$0].correlation == "w1" })
      for index in causes.indices {
        if let cause = causes[index].causation, let number = Int(cause.dropFirst(2)), wanted.contains(number) {
          wanted.insert(index)
        }
      }
      let found = tool.run("log", path, "--tree", "w1", "--json").lines.compactMap { line in
        (try? JSONValue(parsing: line))?["event"]?["position"]?.int
      }
      #expect(found.sorted() == wanted.map { $0 + 1 }.sorted())
    }
  }

  @Test func `A command is named that its events do not name`() throws {
    let store = try SQLiteEventStore(path: tool.log)
    try store.append(Append([event("a")], to: "s"))
    // As an app's own append has it: no causation, or another one.
    for number in 1...9 {
      let metadata: Metadata = number.isMultiple(of: 3) ? ["causationid": "elsewhere"] : [:]
      try store.append(command([event("b\(number)", metadata)], "put-\(number)"))
    }
    store.close()
    #expect(tool.run("log", tool.log, "2").output.contains("put-1"))
    #expect(!tool.run("log", tool.log, "1").output.contains("put-"))
    #expect(tool.run("why", tool.log, "b3", "--each").output.contains("by put-3"))
    let lines = tool.run("diff", "--each", tool.log, "--json").lines.compactMap { try? JSONValue(parsing: $0) }
    let names = lines.map { $0["events"]?.array?.first?["command"]?.string }
    #expect(names == [nil] + (1...9).map { "put-\($0)" })
  }

  @Test func `Commands that come after the table was read are named too`() throws {
    let store = try SQLiteEventStore(path: tool.log)
    let names = CommandNames(store)
    func append(_ number: Int) throws -> EventCause {
      try store.append(command([event("\(number)")], "put-\(number)"))
      return EventCause(try #require(store.events(.all, after: Position(number), through: nil, limit: 1).first))
    }
    for number in 0..<12 { #expect(try names.command(of: append(number)) == "put-\(number)") }
  }
}
