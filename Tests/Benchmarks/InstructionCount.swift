import Synchronization

/// The instructions of measured work, which `valgrind --tool=callgrind` counts in a process for one benchmark.
///
/// Callgrind counts only while a thread is in ``performCounted(_:)``, so the preparation and other threads don't count.
package enum InstructionCount {
  /// The function that callgrind must know, with a wildcard, because the compiler can make special versions of it.
  static let function = "*14performCounted*"

  private enum State {
    /// The work isn't counted.
    case off
    /// The operations that were counted.
    case on(operations: Int)
    /// Work is being counted. A measurement inside it belongs to it, because a second entry would stop callgrind.
    case inside(operations: Int)
  }

  private static let state = Mutex(State.off)

  /// Counts the work that is measured in a function.
  ///
  /// - Parameter body: Measures work, for example with ``nanoseconds(per:_:)``.
  /// - Returns: The number of operations in the measured work.
  package static func operations(in body: () throws -> Void) rethrows -> Int {
    state.withLock { $0 = .on(operations: 0) }
    try body()
    return state.withLock { state in
      defer { state = .off }
      if case .on(let operations) = state { return operations }
      return 0
    }
  }

  /// Performs the work of a measurement, which counts in ``operations(in:)``.
  static func perform(_ count: Int, _ work: () throws -> Void) rethrows {
    let isCounted = state.withLock {
      guard case .on(let operations) = $0 else { return false }
      $0 = .inside(operations: operations + count)
      return true
    }
    guard isCounted else { return try work() }
    defer {
      state.withLock { if case .inside(let operations) = $0 { $0 = .on(operations: operations) } }
    }
    try performCounted(work)
  }

  @inline(never)
  private static func performCounted(_ work: () throws -> Void) rethrows { try work() }
}
