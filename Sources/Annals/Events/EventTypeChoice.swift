import Synchronization

/// Which types of events a reader wants, by their names.
///
/// It is a rule and no list: a log may have types that the reader has never met, and some of these may be its own all
/// the same. With it a log leaves out what others wrote, by an index where it has one.
///
///     let cards = EventTypeChoice { $0.hasPrefix("Card") }
///     let batch = try log.batch(of: cards, after: 0, through: log.head(), limit: 512)
public final class EventTypeChoice: Sendable {
  private let isWanted: @Sendable (String) -> Bool
  /// The answers that were given: the rule may be dear, and a log asks again and again.
  private let known = Mutex<[ExactString: Bool]>([:])

  /// Creates a choice.
  ///
  /// - Parameter isWanted: Answers whether a type is wanted. It must answer the same each time; it is asked once for
  ///   each type, on any thread.
  public init(_ isWanted: @escaping @Sendable (String) -> Bool) { self.isWanted = isWanted }

  /// Tells whether a type is wanted.
  ///
  /// - Parameter type: The type's name, as it is stored.
  /// - Returns: True if its events are wanted.
  public func contains(_ type: String) -> Bool {
    let name = ExactString(type)
    if let answer = known.withLock({ $0[name] }) { return answer }
    // Without the lock: the rule is another's code.
    let answer = isWanted(type)
    known.withLock { $0[name] = answer }
    return answer
  }
}
