import AnnalsSQLite
import AnnalsTesting
import Testing

/// The names that a writer remembers, measured in lookups.
@Suite struct NameMemoryTests {
  /// Looks names up, and counts the lookups.
  private struct Lookups {
    var memory: NameMemory<Int, Int>
    private(set) var count = 0

    init(_ limit: Int) { memory = NameMemory(limit: limit) }

    mutating func use(_ name: Int) throws {
      if let value = memory.value(name) { return try ensureEqual(value, -name) }
      count += 1
      memory.set(name, -name)
    }
  }

  @Test func `names in rotation, one more than a generation has, are looked up once and hardly ever again`() throws {
    var lookups = Lookups(10_000)
    for _ in 0..<5 { for name in 0..<10_001 { try lookups.use(name) } }
    #expect(lookups.count < 10_001 + 20)
  }

  @Test func `what is used often stays, however many others are used once`() throws {
    var lookups = Lookups(100)
    for name in 0..<50_000 {
      try lookups.use(-1 - name % 20)
      try lookups.use(name)
      try ensure(lookups.memory.count <= 200, "\(lookups.memory.count) names are remembered")
    }
    #expect(lookups.count == 50_000 + 20)
  }

  @Test func `what is remembered is what was set last, and nothing is forgotten that was used lately`() throws {
    enum Step: Sendable {
      case get(Int)
      case set(Int, Int)
      case peek(Int)
    }
    let name = Generator<Int>.int(in: 0...12)
    let step: Generator<Step> = .frequency(
      (3, name.map { .get($0) }), (3, zip(name, .int(in: 0...99)).map { .set($0, $1) }), (1, name.map { .peek($0) }))
    try check(.int(in: 1...6), .array(of: step, count: 0...60), settings: CheckSettings(examples: 200)) {
      limit, steps in
      var (memory, all, recent) = (NameMemory<Int, Int>(limit: limit), [Int: Int](), [Int]())
      func use(_ name: Int) {
        recent.removeAll { $0 == name }
        recent.append(name)
      }
      for step in steps {
        switch step {
        case .set(let name, let value):
          memory.set(name, value)
          all[name] = value
          use(name)
        case .get(let name):
          if let found = memory.value(name) {
            try ensureEqual(found, all[name])
            use(name)
          } else {
            try ensure(!recent.suffix(limit).contains(name), "\(name) was forgotten")
          }
        case .peek(let name): if let found = memory.peek(name) { try ensureEqual(found, all[name]) }
        }
        try ensure(memory.count <= 2 * limit, "\(memory.count) names are remembered")
      }
    }
  }
}
