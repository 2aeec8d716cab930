import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Testing

/// What cannot be taken back is asked for, rehearsed and copied first.
@Suite struct QuestionTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    try tool.importLines([
      inserted(1, "b1", #"{"name":{"$personal":"ann","value":"Ann"},"n":1}"#),
      line(2, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"n":2}}"#),
      line(3, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"n":3}}"#),
    ])
  }

  private func export() -> String { tool.run("log", "--json", tool.log).output }

  private func answering(_ answer: String, _ words: String...) -> ToolRunner.Answer {
    (tool.inputIsTerminal, tool.input) = (true, Data(answer.utf8))
    defer { (tool.inputIsTerminal, tool.input) = (false, Data()) }
    return tool.run(words)
  }

  @Test(arguments: [["erase", "ann"], ["compact"]])
  func `without a terminal to ask on it needs --yes`(words: [String]) throws {
    let before = export()
    let answer = tool.run([words[0], tool.log] + words.dropFirst())
    #expect(answer.status == 2 && answer.output == "")
    #expect(
      answer.talk
        == "annals: \(tool.log): this cannot be taken back, and the input is no terminal to ask on; give --yes, or "
        + "--dry-run to see what would be done\n")
    #expect(export() == before)
    #expect(tool.run([words[0], tool.log] + words.dropFirst() + ["--yes"]).status == 0)
    #expect(export() != before)
  }

  @Test(arguments: ["no\n", "\n", "", "yes please\n", "Y E S\n", "yesno\n"])
  func `any answer but yes changes nothing`(text: String) throws {
    let before = export()
    let erased = answering(text, "erase", tool.log, "ann")
    #expect(erased.status == 1)
    #expect(
      erased.talk
        == "1 value of ann will be erased from \(tool.log). The events stay.\nGo on? (yes or no) annals: nothing was "
        + "changed\n")
    let compacted = answering(text, "compact", tool.log, "--json")
    #expect(compacted.status == 1 && compacted.output == "")
    #expect(
      compacted.talk
        == "2 events will be cut and 1 replaced, 1 left; the history before position 3 can be shown no more then\n"
        + "Go on? (yes or no) annals: nothing was changed\n")
    #expect(export() == before)
  }

  @Test(arguments: ["yes\n", "y\n", " YES \n", "yes"])
  func `yes is taken in any case, and what was counted is done`(text: String) throws {
    let answer = answering(text, "erase", tool.log, "ann", "--json")
    #expect(answer.status == 0 && answer.output == #"{"fields":1,"complete":true}"# + "\n")
    #expect(answering(text, "compact", tool.log).talk.contains("2 events cut, 1 replaced, 1 left;"))
    // Nothing is asked where nothing is to be done.
    #expect(!answering("", "erase", tool.log, "ann").talk.contains("Go on?"))
    #expect(answering("", "compact", tool.log).status == 0)
  }

  @Test func `a compaction that takes long is done once, and is asked for before it is committed`() throws {
    // Each look at the clock is later, so that all takes long.
    var time = 0.0
    tool.clock = {
      time += 2
      return time
    }
    let before = export()
    let question =
      "2 events will be cut and 1 replaced, 1 left; the history before position 3 can be shown no more then\n"
      + "Programs that append wait for the answer, and for 30 seconds at most.\nGo on? (yes or no) "
    tool.onInput = { [log = tool.log] in
      // While the question stands, others read the log as it was, and no one can append.
      let reader = try? SQLiteEventStore(readingFrom: log)
      #expect((try? reader?.head()) == 3)
      return Data("no\n".utf8)
    }
    tool.inputIsTerminal = true
    let refused = tool.run("compact", tool.log)
    #expect(refused.status == 1 && refused.talk == question + "annals: nothing was changed\n", "\(refused.talk)")
    #expect(export() == before)
    // Without an answer nothing is held up for ever.
    (tool.onInput, tool.inputIsReady) = (nil, { false })
    let silent = tool.run("compact", tool.log)
    #expect(silent.status == 1 && silent.talk == question + "annals: there was no answer, and nothing was changed\n")
    #expect(export() == before)
    (tool.inputIsReady, tool.input) = ({ true }, Data("yes\n".utf8))
    let done = tool.run("compact", tool.log)
    #expect(done.status == 0)
    #expect(done.talk.hasPrefix(question + "2 events cut, 1 replaced, 1 left;"), "\(done.talk)")
    #expect(export().split(separator: "\n").count == 1)
    #expect(tool.run("compact", tool.log).talk.hasPrefix("nothing to cut: each of 1 event is needed"))
  }

  @Test func `a dry run counts, and leaves the log as it is`() throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: tool.log))
    let erase = tool.run("erase", tool.log, "ann", "--dry-run")
    #expect(erase.status == 0 && erase.talk == "1 value of ann would be erased; nothing was changed\n")
    #expect(tool.run("erase", tool.log, "ann", "--dry-run", "--json").output == #"{"fields":1,"dryRun":true}"# + "\n")
    let unknown = tool.run("erase", tool.log, "Ann", "--dry-run")
    #expect(unknown.status == 1 && unknown.talk.contains("did you mean \"ann\"?"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: tool.log)) == before)
    let lines = export()
    let compact = tool.run("compact", tool.log, "--dry-run")
    #expect(compact.status == 0)
    #expect(
      compact.talk
        == "2 events would be cut and 1 replaced, 1 left; the history before position 3 can be shown no more "
        + "then; nothing was changed\n")
    #expect(
      tool.run("compact", tool.log, "--dry-run", "--json").output
        == #"{"horizon":3,"cut":2,"replaced":1,"events":1,"dryRun":true}"# + "\n")
    #expect(export() == lines)
    #expect(tool.run("verify", tool.log).status == 0)
  }
}
