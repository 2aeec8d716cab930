extension Coverage {
  /// A feature that a case can reach, and that a search looks for.
  struct Feature: Hashable {
    enum What: Hashable {
      case event(String)
      case done(String)
      case nothing(String)
      case refused(String)
      case refusal(String)
      case state(StateShape)
      /// A name that was passed to `tally` or `sometimes`.
      case occurrence(String)
    }

    /// The event type, decider or machine that the feature belongs to, or `nil` for a name.
    let subject: Subject?
    let what: What
    /// The approximate number of occurrences in the case: 1, 2, 3 to 4, and so on.
    let often: Int
  }

  /// Returns the bucket of a count: 0, 1, 2, up to 4, up to 8, and so on.
  static func bucket(_ count: Int) -> Int { count < 2 ? count : Int.bitWidth - (count - 1).leadingZeroBitCount + 1 }

  /// Adds the features that the case reached.
  func addFeatures(to known: inout Set<Feature>) {
    func add(_ counts: [String: Int], of subject: Subject, _ what: (String) -> Feature.What) {
      for (name, count) in counts {
        known.insert(Feature(subject: subject, what: what(name), often: Self.bucket(count)))
      }
    }
    for (subject, histories) in histories { add(histories.events, of: subject) { .event($0) } }
    for (subject, answers) in answers {
      add(answers.done, of: subject) { .done($0) }
      add(answers.nothing, of: subject) { .nothing($0) }
      add(answers.refused.mapValues { $0.values.reduce(0, +) }, of: subject) { .refused($0) }
      add(answers.refusals, of: subject) { .refusal($0) }
    }
    for (subject, shapes) in states {
      for shape in shapes { known.insert(Feature(subject: subject, what: .state(shape), often: 1)) }
    }
  }

  /// Records a state of a decider.
  static func note(state: some Any, of subject: Subject) {
    guard let context = CaseContext.current, context.isSearching else { return }
    _ = context.note(StateShape(state), of: subject)
  }
}
