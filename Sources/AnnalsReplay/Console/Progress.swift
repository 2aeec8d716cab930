/// What `--progress` says.
enum ProgressChoice: String, CaseIterable {
  case auto, plain, none
}

/// Says how far a task is, if it takes more than a second.
///
/// On a terminal it is one line that changes; `--progress plain` prints a line every five seconds, anywhere. You can
/// call it for each event: it looks at the clock at one call of many, if they come fast.
final class Progress {
  private enum Form {
    case line, plain
  }

  private let console: Console
  /// nil if nothing is said.
  private let form: Form?
  private let start: Double
  private var said = -Double.infinity
  /// The number of calls from one look at the clock to the next, how many there were since the last look, and how many
  /// looks followed the one before at once.
  private var (stride, calls, early) = (1, 0, 0)
  private var looked: Double
  /// How much was done already at the first step, when that was, and what is done.
  private var begin: (done: Int, time: Double, words: String)?

  /// - Parameters:
  ///   - console: The console.
  ///   - saysAnywhere: True to print lines if the messages go to no terminal.
  init(_ console: Console, saysAnywhere: Bool = false) {
    self.console = console
    form =
      switch console.progress {
      case .none: nil
      case .plain: .plain
      case .auto: console.talkIsTerminal ? console.isDumb ? .plain : .line : saysAnywhere ? .plain : nil
      }
    start = console.clock()
    looked = start
  }

  /// Says how far the task is, in your words.
  func say(_ text: @autoclosure () -> String) {
    if let now = due() { show(text(), now) }
  }

  /// Says at once what is about to be done, which does not say how far it is.
  func show(_ text: @autoclosure () -> String) {
    if form != nil { show(text(), console.clock() - start) }
  }

  /// Says how much is done, how fast it goes, and how long it will take, as in
  /// "123,456 of 1,000,000 events, 45,000 a second, 0:19 left".
  ///
  /// - Parameters:
  ///   - done: How much is done.
  ///   - total: How much there is; nil if that is not known.
  ///   - unit: What is counted, in the plural.
  ///   - words: What is done, if it has several parts; rate and time left are those of the part.
  func step(_ done: Int, of total: Int? = nil, _ unit: String, doing words: String = "") {
    // What a part has done before it is first heard of is not known to be of it.
    if begin == nil || begin?.words != words || done < begin?.done ?? 0 {
      begin = (done, begin == nil ? start : console.clock(), words)
    }
    guard let now = due(), let begin else { return }
    // A part that reads nothing along the log has no count.
    if done == 0, !words.isEmpty { return show(words, now) }
    var text = (words.isEmpty ? "" : words + ": ") + Text.grouped(done)
    text += (total.map { " of " + Text.grouped($0) } ?? "") + " " + unit
    let rate = now > begin.time ? Double(done - begin.done) / (now - begin.time) : 0
    if rate > 0 {
      text += ", \(Self.rounded(rate)) a second"
      if let total { text += ", \(Self.time(Double(max(0, total - done)) / rate)) left" }
    }
    show(text, now)
  }

  /// False if nothing is ever said.
  var isSaying: Bool { form != nil }

  /// Removes the line.
  func end() {
    console.statusLine.clear()
  }

  /// The time, if it is time to say something.
  private func due() -> Double? {
    guard let form else { return nil }
    calls += 1
    guard calls >= stride else { return nil }
    calls = 0
    let now = console.clock()
    let passed = now - looked
    looked = now
    early = passed < 0.001 ? early + 1 : 0
    // A few fast calls say nothing of those that follow. A slow one says that none can be left out.
    if early > 10 { stride = min(stride * 2, 256) } else if passed > 0.02 { stride = 1 }
    return now - start > 1 && now - said >= (form == .line ? 0.1 : 5) ? now : nil
  }

  private func show(_ text: String, _ now: Double) {
    said = now
    if form == .plain { return console.talk(text + "\n") }
    // A full row would make the terminal begin the next one.
    console.statusLine.show(Text.cut(text, to: console.terminalColumns - 1))
  }

  /// A rate with two digits that say something, and a comma after each three: 45,000.
  private static func rounded(_ rate: Double) -> String {
    if rate < 10 { return "\((rate * 10).rounded() / 10)" }
    var (value, unit) = (rate, 1.0)
    while value >= 100 { (value, unit) = (value / 10, unit * 10) }
    return Text.grouped(Int(exactly: (value.rounded() * unit).rounded()) ?? .max)
  }

  /// Minutes and seconds, or hours, minutes and seconds.
  private static func time(_ seconds: Double) -> String {
    guard let all = Int(exactly: min(seconds, 1e9).rounded(.up)) else { return "a long time" }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return all < 3_600
      ? "\(all / 60):\(two(all % 60))" : "\(all / 3_600):\(two(all / 60 % 60)):\(two(all % 60))"
  }
}
