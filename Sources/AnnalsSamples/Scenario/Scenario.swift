package import Annals

/// A sample's script: a log with events, a screen that shows it, and the steps that follow.
package struct Scenario {
  /// One step of the script.
  package struct Step {
    /// What happens, in a sentence.
    package let title: String
    /// What Core Data's controller would do instead, if it differs.
    package var remark: String?
    /// True if a short tour shows the step.
    package var isOnTour = false
    /// The screen that shows the result.
    package let screen: AnyListScreen
    /// Further lines to print after the step.
    package var lines: () -> [String] = { [] }
    /// Performs the step.
    package let act: () throws -> Void
  }

  /// The sample's name in the tool.
  package let name: String
  /// What the sample shows, in a sentence.
  package let summary: String
  /// The screen as it was opened.
  package let screen: AnyListScreen
  /// The steps, in order.
  package let steps: [Step]

  /// The names of all samples.
  package static let names = ["bookshop", "team", "course", "staff", "books"]

  /// Fills a log and opens a sample's screen on it; nil if no sample has that name.
  ///
  /// - Parameters:
  ///   - name: One of ``names``.
  ///   - store: An empty log.
  ///   - elsewhere: Another connection to the same log, for appends by another user. It may be `store` itself.
  /// - Throws: The store's errors.
  package init?(_ name: String, on store: some EventStore, elsewhere: some EventStore) throws {
    switch name {
    case "bookshop": self = try .bookshop(store)
    case "team": self = try .team(store, elsewhere: elsewhere)
    case "course": self = try .course(store)
    case "staff": self = try .staff(store)
    case "books": self = try .books(store)
    default: return nil
    }
  }

  init(name: String, summary: String, screen: AnyListScreen, steps: [Step]) {
    (self.name, self.summary, self.screen, self.steps) = (name, summary, screen, steps)
  }
}
