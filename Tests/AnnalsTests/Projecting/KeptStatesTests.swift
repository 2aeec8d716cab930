import Annals
import AnnalsTesting
import Testing

/// Which past states are kept, measured in the events to fold on the way to the next one.
@Suite struct KeptStatesTests {
  /// Goes to positions.
  ///
  /// A state is its own position.
  private struct Traveller {
    let end: Int
    var kept = KeptStates<Int>()
    private(set) var most = 0

    init(_ end: Int) { self.end = end }

    /// Goes to a position, and returns how many events were folded.
    mutating func go(to position: Int) throws -> Int {
      let start = kept.last(through: position)
      if let start {
        try ensure(start.position == start.state && start.position <= position, "a wrong state: \(start)")
      }
      let marks = KeptStates<Int>.marks(from: start?.position ?? 0, to: position, end: end)
      try ensure(zip(marks, marks.dropFirst()).allSatisfy(<), "marks are not in order")
      try ensure(marks.allSatisfy { $0 > start?.position ?? 0 && $0 <= position }, "marks are not on the way")
      if start?.position ?? 0 < position { try ensureEqual(marks.last, position) }
      for mark in marks { kept.keep(mark, at: mark) }
      kept.settle(around: position, end: end)
      most = max(most, kept.count)
      return position - (start?.position ?? 0)
    }
  }

  @Test(arguments: [1, 2, 63, 64, 65, 1_000, 20_000, 1_000_000])
  func `a step back, or forth again, folds few events on average, and few states are kept`(end: Int) throws {
    var traveller = Traveller(end)
    _ = try traveller.go(to: end)
    let steps = min(end, 5_000)
    var (back, forth) = (0, 0)
    for position in (end - steps..<end).reversed() { back += try traveller.go(to: position) }
    for position in end - steps...end { forth += try traveller.go(to: position) }
    let logarithm = Int.bitWidth - end.leadingZeroBitCount
    #expect(back <= steps * logarithm && forth <= (steps + 1) * logarithm)
    #expect(traveller.most <= 64 + 5 * logarithm)
  }

  @Test func `long ways at random fold few events, and far states stay`() throws {
    enum Move: Sendable {
      case walk(steps: Int, stride: Int)
      case jump(Int)
    }
    let move: Generator<Move> = .frequency(
      (
        3,
        zip(.int(in: 1...400), .element(of: [-1, 1, -1, 1, -2, 2, -7, 13, -40, 129])).map {
          .walk(steps: $0, stride: $1)
        }
      ),
      (1, Generator<Int>.int(in: 0...1_000_000).map { .jump($0) }))
    try check(.int(in: 1...1_000_000), .array(of: move, count: 1...30), settings: CheckSettings(examples: 60)) {
      end, moves in
      var traveller = Traveller(end)
      _ = try traveller.go(to: end)
      var (place, folded, allowed) = (end, 0, 0)
      let logarithm = Int.bitWidth - end.leadingZeroBitCount
      let grain = max(1, end / 32)
      for move in moves {
        switch move {
        case .jump(let part):
          place = part * end / 1_000_000
          let count = try traveller.go(to: place)
          // There is always a state within one grain of the log.
          try ensure(count <= grain, "\(count) events were folded on the way to \(place) of \(end)")
          // The first way back out of the grain may be just as long.
          allowed += grain
        case .walk(let steps, let stride):
          for _ in 0..<steps {
            place = max(0, min(end, place + stride))
            folded += try traveller.go(to: place)
            allowed += abs(stride) * (4 + logarithm)
          }
        }
      }
      try ensure(folded <= allowed + grain, "\(folded) events were folded on ways that are worth \(allowed)")
      try ensure(traveller.most <= 64 + 10 * logarithm, "\(traveller.most) states were kept")
    }
  }

  @Test func `the ends of the integers are positions like others`() throws {
    let end = Int.max
    var kept = KeptStates<Int>()
    for position in [end - 1_000, end, end - 1, 1, 0, end / 2] {
      let start = kept.last(through: position)?.position ?? 0
      if position - start < 10_000 || kept.count == 0 {
        for mark in KeptStates<Int>.marks(from: max(start, position - 5_000), to: position, end: end) {
          kept.keep(mark, at: mark)
        }
      }
      kept.settle(around: position, end: end)
      #expect(kept.count < 64 + 64 * 10)
    }
  }
}
