import AnnalsTesting

/// A property that does not hold, whose smallest failing case is known.
///
/// Tests and figures share these, so that both measure the same.
package struct Problem: Sendable, CustomStringConvertible {
  /// What shrinking led to, and what it cost.
  package struct Outcome: Hashable, Sendable {
    /// The smallest failing case that was found.
    package let form: String
    /// How many cases ran while shrinking, also those that no generator had values for.
    package let cases: Int
    /// How often the property was called, from its first failure on.
    ///
    /// This is what the shrinking challenge counts for Hypothesis: a case whose values no filter let through, or whose
    /// choices were too many, does not call the property.
    package let evaluations: Int
  }

  /// A name, as in the challenge.
  package let name: String
  /// The smallest failing case.
  package let form: String
  /// The mean of evaluations that Hypothesis has published; nil for none.
  package let hypothesis: Int?
  /// The mean of evaluations that elm-test has published; nil for none.
  package let elm: Int?
  /// The name.
  package var description: String { name }
  /// True if the form is a program, whose first line makes the system.
  private let isProgram: Bool
  private let check: @Sendable (CheckSettings, Counter) throws -> Void

  /// Counts the calls of a property.
  private final class Counter {
    var calls = 0
    var isFailing = false

    func judge(_ property: () throws -> Bool?) throws -> Bool {
      let answer = Result(catching: property)
      switch answer {
      case .success(.some(true)), .success(.none): break
      default: isFailing = true
      }
      if isFailing { calls += 1 }
      guard let holds = try answer.get() else {
        try assume(false)
        return true
      }
      return holds
    }
  }

  /// Creates a problem of one value; the property returns nil for a value that it says nothing about.
  init<Value>(
    _ name: String, _ generator: Generator<Value>, leadsTo form: String, hypothesis: Int? = nil, elm: Int? = nil,
    _ holds: @escaping @Sendable (Value) throws -> Bool?
  ) {
    (self.name, self.form, self.hypothesis, self.elm, isProgram) = (name, form, hypothesis, elm, false)
    check = { settings, counter in
      try AnnalsTesting.check(generator, settings: settings) { value in try counter.judge { try holds(value) } }
    }
  }

  /// Creates a problem of two values.
  init<First, Second>(
    _ name: String, _ first: Generator<First>, _ second: Generator<Second>, leadsTo form: String,
    hypothesis: Int? = nil, elm: Int? = nil, _ holds: @escaping @Sendable (First, Second) throws -> Bool?
  ) {
    (self.name, self.form, self.hypothesis, self.elm, isProgram) = (name, form, hypothesis, elm, false)
    check = { settings, counter in
      try AnnalsTesting.check(first, second, settings: settings) { one, other in
        try counter.judge { try holds(one, other) }
      }
    }
  }

  /// Creates a problem of a machine; its form is the program without its first line.
  init<M: Machine & SendableMetatype>(_ name: String, _ machine: @escaping @Sendable () -> M, leadsTo form: String) {
    (self.name, self.form, hypothesis, elm, isProgram) = (name, form, nil, nil, true)
    check = { settings, _ in try AnnalsTesting.check(machine(), settings: settings) }
  }

  /// Looks for a failing case, and shrinks it.
  ///
  /// - Parameter seed: Decides which case fails first.
  /// - Returns: What that led to; nil if no case failed.
  /// - Throws: An error other than the failure.
  package func shrink(seed: UInt64) throws -> Outcome? {
    let counter = Counter()
    do {
      // On a full machine, the default minute can end before the smallest case is found.
      let settings = CheckSettings(examples: 300_000, seed: seed, shrinkTime: .seconds(86_400), environment: [:])
      try check(settings, counter)
      return nil
    } catch let failure as PropertyFailure {
      return Outcome(
        form: failure.input.dropFirst(isProgram ? 1 : 0).joined(separator: "|"), cases: failure.shrinkTries,
        evaluations: counter.calls)
    }
  }
}
