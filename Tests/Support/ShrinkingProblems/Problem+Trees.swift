import AnnalsTesting

/// The challenge's problems about values that contain values of their kind.
extension Problem {
  static var calculator: Problem {
    let term = Generator<Term>.recursive(Generator.int(in: -100...100).map { .number($0) }) { inner in
      .oneOf(zip(inner, inner).map { .sum($0, $1) }, zip(inner, inner).map { .quotient($0, $1) })
    }
    return Problem(
      "calculator", term, leadsTo: ".quotient(.number(0), .sum(.number(0), .number(0)))", hypothesis: 341, elm: 1_287
    ) { term in
      guard !term.dividesByZeroLiterally else { return nil }
      _ = try term.value()
      return true
    }
  }

  static var binaryHeap: Problem {
    let heap = Generator<Heap>.recursive(.constant(.empty)) { inner in
      zip(.int(), inner, inner).map { .node($0, $1, $2) }
    }
    return Problem(
      "binary heap", heap,
      leadsTo: ".node(0, .empty, .node(0, .node(0, .empty, .empty), .node(1, .empty, .empty)))", elm: 1_187
    ) { heap in
      guard heap.isOrdered() else { return nil }
      return heap.sortedNumbers == heap.numbers.sorted()
    }
  }
}

private indirect enum Term {
  case number(Int)
  case sum(Term, Term)
  case quotient(Term, Term)

  func value() throws -> Int {
    switch self {
    case .number(let number): return number
    case .sum(let left, let right): return try left.value() &+ right.value()
    case .quotient(let left, let right):
      let (dividend, divisor) = (try left.value(), try right.value())
      try ensure(divisor != 0, "division by zero")
      return dividend / divisor
    }
  }

  var dividesByZeroLiterally: Bool {
    switch self {
    case .number: false
    case .sum(let left, let right): left.dividesByZeroLiterally || right.dividesByZeroLiterally
    case .quotient(_, .number(0)): true
    case .quotient(let left, let right): left.dividesByZeroLiterally || right.dividesByZeroLiterally
    }
  }
}

private indirect enum Heap: Sendable {
  case empty
  case node(Int, Heap, Heap)

  /// In the order of the challenge: the right branch first.
  var numbers: [Int] {
    switch self {
    case .empty: []
    case .node(let number, let left, let right): [number] + right.numbers + left.numbers
    }
  }

  /// The mistake: below the top nothing is sorted.
  var sortedNumbers: [Int] {
    switch self {
    case .empty: []
    case .node(let number, let left, let right): [number] + left.merged(right).numbers
    }
  }

  func merged(_ other: Heap) -> Heap {
    switch (self, other) {
    case (_, .empty): self
    case (.empty, _): other
    case (.node(let mine, let left, let right), .node(let theirs, _, _)) where mine <= theirs:
      .node(mine, right.merged(other), left)
    case (_, .node(let theirs, let left, let right)): .node(theirs, right.merged(self), left)
    }
  }

  func isOrdered(from least: Int = .min) -> Bool {
    switch self {
    case .empty: true
    case .node(let number, let left, let right):
      least <= number && left.isOrdered(from: number) && right.isOrdered(from: number)
    }
  }
}
