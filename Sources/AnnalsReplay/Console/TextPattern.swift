import Foundation
import Synchronization

/// A regular expression in Foundation's syntax (ICU) that does a limited amount of work.
///
/// ICU backtracks and tries other ways to match. An expression such as `(a+)+$` has such a large number of ways on a
/// line of some dozen characters that a search doesn't end. ICU reports its progress after a fixed number of steps, and
/// after every place of a text at which it found no match. So a search may take two reports for every place of its
/// text. Beyond this number all searches share a budget. Once it is used up, no text matches, and ``problem`` is set.
final class TextPattern: Sendable {
  private struct Work {
    /// The number of reports that are left for all searches.
    var left: Int
    var isExhausted = false
  }

  let text: String
  private let expression: NSRegularExpression
  private let work: Mutex<Work>

  /// The reports that all searches of a pattern may need, beyond two for every place of a text.
  private static let budget = 3_000

  /// - Parameters:
  ///   - text: The expression.
  ///   - budget: How many reports all searches may need, beyond two for every place of a text.
  /// - Throws: If the text isn't a regular expression.
  init(_ text: String, budget: Int = budget) throws {
    self.text = text
    expression = try NSRegularExpression(pattern: text)
    work = Mutex(Work(left: budget))
  }

  /// True if the expression matches a part of a text, and false once the budget is used up.
  func matches(_ text: String) -> Bool {
    let (budget, isExhausted) = work.withLock { ($0.left, $0.isExhausted) }
    if isExhausted { return false }
    let free = 2 * text.utf16.count + 2
    var (reports, isFound, isOver) = (0, false, false)
    expression.enumerateMatches(
      in: text, options: [.reportProgress, .reportCompletion], range: NSRange(text.startIndex..., in: text)
    ) { result, flags, stop in
      if result != nil {
        isFound = true
        stop.pointee = true
        return
      }
      if flags.contains(.progress) { reports += 1 }
      // ICU ends a search that needs more memory than it allows.
      if flags.contains(.internalError) || reports > free + budget {
        isOver = true
        stop.pointee = true
      }
    }
    if isOver || reports > free {
      work.withLock { work in
        work.left = max(0, work.left - max(0, reports - free))
        if isOver { work.isExhausted = true }
      }
    }
    return isFound && !isOver
  }

  /// An error if the work was too much, so that the results are incomplete, or nil.
  var problem: ReplayError? {
    guard work.withLock({ $0.isExhausted }) else { return nil }
    return .usage(
      "the regular expression \"\(text)\" needs too much work on the log's texts, so the search was ended: it can "
        + "match a text in very many ways; avoid a repetition inside of another one, for example a+ instead of (a+)+")
  }
}

/// The patterns of a run, whose problems end it.
final class TextPatterns: Sendable {
  private let all = Mutex<[TextPattern]>([])

  func add(_ patterns: [TextPattern]) { if !patterns.isEmpty { all.withLock { $0 += patterns } } }

  /// Throws once for a pattern that did not do all of its work.
  func check() throws {
    let problem = all.withLock { all -> ReplayError? in
      guard let index = all.firstIndex(where: { $0.problem != nil }) else { return nil }
      return all.remove(at: index).problem
    }
    if let problem { throw problem }
  }
}
