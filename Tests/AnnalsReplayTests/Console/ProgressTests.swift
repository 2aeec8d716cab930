import Annals
import AnnalsSQLite
import Foundation
import Synchronization
import Testing

@testable import AnnalsReplay

/// How a long task says how far it is.
@Suite struct ProgressTests {
  /// A clock that a test sets, and what was said.
  private final class Scene {
    var time = 0.0
    var looks = 0
    var talk = ""

    func progress(
      _ choice: ProgressChoice = .auto, isTerminal: Bool = true, term: String = "xterm", columns: Int = 80
    ) -> AnnalsReplay.Progress {
      var console = Console(output: { _ in }, talk: { self.talk += $0 }, input: { Data() })
      console.talkIsTerminal = isTerminal
      console.environment = ["TERM": term]
      console.progress = choice
      console.size = { (columns, 24) }
      console.clock = {
        self.looks += 1
        return self.time
      }
      return AnnalsReplay.Progress(console)
    }

    /// Steps of a thousand events that take a number of seconds each.
    func run(_ progress: AnnalsReplay.Progress, steps: Int, seconds: Double, of total: Int? = 1_000_000) {
      for step in 1...steps {
        time += seconds
        progress.step(step * 1_000, of: total, "events")
      }
    }
  }

  @Test func `a line says count, total, rate and the time left`() {
    let scene = Scene()
    let progress = scene.progress()
    scene.run(progress, steps: 124, seconds: 0.0222)
    let last = scene.talk.split(separator: "\u{1B}[K").last.map(String.init) ?? ""
    #expect(last == "121,000 of 1,000,000 events, 45,000 a second, 0:20 left", "\(last)")
    progress.end()
    #expect(scene.talk.hasSuffix("\r\u{1B}[K"))
  }

  @Test func `of work in parts a line says which part it is, with the rate of that part`() {
    let scene = Scene()
    scene.time = 5_000
    let progress = scene.progress(.plain)
    progress.step(0, of: 100_000, "events", doing: "reading")
    for step in 1...10 {
      scene.time += 1
      progress.step(step * 10_000, of: 100_000, "events", doing: "reading")
    }
    scene.time += 10
    progress.step(0, of: 100_000, "events", doing: "comparing")
    for step in 1...6 {
      scene.time += 1
      progress.step(step * 5_000, of: 100_000, "events", doing: "comparing")
    }
    #expect(
      scene.talk.split(separator: "\n") == [
        "reading: 20,000 of 100,000 events, 10,000 a second, 0:08 left",
        "reading: 70,000 of 100,000 events, 10,000 a second, 0:03 left", "comparing",
        "comparing: 25,000 of 100,000 events, 5,000 a second, 0:15 left",
      ], "\(scene.talk)")
  }

  @Test func `what reads a log without a word is watched, and its line is gone at the end`() throws {
    let runner = try ToolRunner()
    try runner.importLines((1...30).map { inserted($0, "b\($0)") })
    let talk = Mutex("")
    let time = Mutex(0.0)
    var console = Console(output: { _ in }, talk: { text in talk.withLock { $0 += text } }, input: { Data() })
    console.talkIsTerminal = true
    console.size = { (80, 24) }
    // Each look is two seconds later.
    console.clock = {
      time.withLock { time in
        time += 2
        return time
      }
    }
    let watch = ReadingWatch(console, through: 30)
    for round in ["reading", "comparing"] {
      watch.begin(round)
      let store = try SQLiteEventStore(readingFrom: runner.log)
      try store.forEachBatch(.all, after: 0, through: 30) { _ in }
      while !talk.withLock({ $0 }).contains("\(round): ") { Thread.sleep(forTimeInterval: 0.01) }
      watch.end()
      let said = talk.withLock { $0 }
      #expect(said.contains(" of 30 events") && said.hasSuffix("\r\u{1B}[K"), "\(said)")
      Thread.sleep(forTimeInterval: 0.25)
      #expect(talk.withLock { $0 } == said, "nothing is said after the end")
    }
  }

  @Test func `nothing is said in the first second`() {
    let scene = Scene()
    let progress = scene.progress()
    scene.run(progress, steps: 9, seconds: 0.1)
    progress.end()
    #expect(scene.talk == "")
  }

  @Test func `without a total there is no time left, and hours have their place`() {
    let scene = Scene()
    scene.run(scene.progress(.plain), steps: 2, seconds: 2, of: nil)
    #expect(scene.talk == "1,000 events\n" || scene.talk.hasPrefix("1,000 events"))
    let slow = Scene()
    let progress = slow.progress(.plain)
    progress.step(0, of: 1_000_000, "events")
    slow.run(progress, steps: 1, seconds: 10)
    #expect(slow.talk == "1,000 of 1,000,000 events, 100 a second, 2:46:30 left\n")
  }

  @Test func `plain progress is a line every five seconds, without controls, and without a terminal too`() {
    let scene = Scene()
    scene.run(scene.progress(.plain, isTerminal: false), steps: 120, seconds: 0.1)
    #expect(scene.talk.split(separator: "\n").count == 3)
    #expect(Text.safe(scene.talk.replacing("\n", with: "")) == scene.talk.replacing("\n", with: ""))
    let dumb = Scene()
    dumb.run(dumb.progress(term: "dumb"), steps: 120, seconds: 0.1)
    #expect(dumb.talk == scene.talk)
  }

  @Test func `nothing is said where nothing is wanted, or by itself without a terminal`() {
    for (choice, isTerminal) in [(ProgressChoice.none, true), (.auto, false)] {
      let scene = Scene()
      scene.run(scene.progress(choice, isTerminal: isTerminal), steps: 120, seconds: 0.1)
      #expect(scene.talk == "")
    }
  }

  @Test func `a fast task looks at the clock seldom, and a slow one each time`() {
    let fast = Scene()
    let progress = fast.progress()
    for step in 1...1_000_000 {
      fast.time += 1e-6
      progress.step(step, of: 1_000_000, "events")
    }
    #expect(fast.looks < 5_000, "\(fast.looks)")
    let slow = Scene()
    slow.run(slow.progress(), steps: 50, seconds: 0.5)
    #expect(slow.looks == 51)
  }

  @Test func `the line fits a narrow terminal, and goes before anything else is printed`() throws {
    let scene = Scene()
    scene.run(scene.progress(columns: 20), steps: 20, seconds: 0.1)
    #expect(scene.talk.split(separator: "\r\u{1B}[K").allSatisfy { Text.width(String($0)) < 20 })
    var written = ""
    var console = Console(
      output: { written += String(decoding: $0, as: UTF8.self) }, talk: { written += $0 }, input: { Data() })
    console.talkIsTerminal = true
    console.size = { (80, 24) }
    console.clock = { scene.time }
    let progress = AnnalsReplay.Progress(console)
    scene.time += 2
    progress.say("half")
    try console.output(Data("data\n".utf8))
    scene.time += 2
    progress.say("whole")
    console.talk("message\n")
    #expect(written == "\r\u{1B}[Khalf\r\u{1B}[Kdata\n\r\u{1B}[Kwhole\r\u{1B}[Kmessage\n")
  }
}
