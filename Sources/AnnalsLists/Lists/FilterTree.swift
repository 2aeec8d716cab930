/// A condition that consists of tests, which are combined with `and`, `or` and `not`.
package indirect enum FilterTree<Test: Sendable>: Sendable {
  case test(Test)
  case not(FilterTree)
  case all([FilterTree])
  case any([FilterTree])

  /// Returns whether the condition is true if a closure decides about the tests.
  package func holds(_ test: (Test) throws -> Bool) rethrows -> Bool {
    switch self {
    case .test(let one): try test(one)
    case .not(let tree): try !tree.holds(test)
    case .all(let trees): try trees.allSatisfy { try $0.holds(test) }
    case .any(let trees): try trees.contains { try $0.holds(test) }
    }
  }

  /// Returns the condition with its tests replaced.
  package func map<Other>(_ body: (Test) throws -> Other) rethrows -> FilterTree<Other> {
    switch self {
    case .test(let one): .test(try body(one))
    case .not(let tree): .not(try tree.map(body))
    case .all(let trees): .all(try trees.map { try $0.map(body) })
    case .any(let trees): .any(try trees.map { try $0.map(body) })
    }
  }

  /// The tests, from left to right.
  package var tests: [Test] {
    switch self {
    case .test(let one): [one]
    case .not(let tree): tree.tests
    case .all(let trees), .any(let trees): trees.flatMap(\.tests)
    }
  }
}
