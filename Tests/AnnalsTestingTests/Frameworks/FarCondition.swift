import AnnalsTesting

/// A condition that is not in the file of its test.
enum FarCondition {
  static let numbers = Generator<Int>.int(in: 0...1_000)

  static func holds(_ number: Int) throws { try ensure(number < 10, "too many") }
}
