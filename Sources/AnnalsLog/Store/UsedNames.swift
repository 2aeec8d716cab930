import Synchronization

/// The event types and deciders that this process uses on a log, by their stored names.
///
/// Two types with the same name would read each other's events. If the payloads fit, no error would occur. So the first
/// use of the second type is refused, unless both types declare the name.
package final class UsedNames: Sendable {
  private struct Used {
    /// The few types in use, and the unions of them.
    ///
    /// Arrays are searched faster than the types of a set and of an index are made at the start of a program.
    var known: [ObjectIdentifier] = []
    var all: [(name: String, type: any Any.Type, isDeclared: Bool)] = []
  }

  private let events = Mutex(Used())
  private let deciders = Mutex(Used())

  /// Records the use of an event type, or of the members of a union.
  ///
  /// - Throws: ``EventCodingError`` (`.claimedTwice`) if another type in use has the same prefix.
  package func use(_ type: any Event.Type) throws {
    if events.withLock({ $0.known.contains(ObjectIdentifier(type)) }) { return }
    for member in (type as? any EventUnion.Type)?.eventTypes ?? [type] {
      let owner = member == type ? "" : "\(stableName(of: type))'s "
      try Self.note(member, in: events, name: member.typePrefix) { other, name in
        "\(other) and \(owner)\(stableName(of: member)) are both stored with the prefix \(name), so each type would "
          + "read the other type's events. Declare a typePrefix in one of the types, or in both types if they are "
          + "versions of one type"
      }
    }
    events.withLock { $0.known.append(ObjectIdentifier(type)) }
  }

  /// Records the use of a decider, by the category at the start of its stream names.
  ///
  /// - Throws: ``EventCodingError`` (`.claimedTwice`) if another decider in use has the same category.
  package func use(decider type: any Any.Type, category: @autoclosure () -> String) throws {
    if deciders.withLock({ $0.known.contains(ObjectIdentifier(type)) }) { return }
    try Self.note(type, in: deciders, name: category()) { other, name in
      "\(other) and \(stableName(of: type)) both have the category \(name), so the two deciders would share streams. "
        + "Declare a category in one of the deciders, or in both deciders if they are versions of one decider"
    }
  }

  private static func note(
    _ type: any Any.Type, in used: borrowing Mutex<Used>, name: String,
    _ sentence: (_ other: String, _ name: String) -> String
  ) throws {
    // The caller has already read the name, so `DefaultNames` contains the type if its name is a default name.
    let isDeclared = !DefaultNames.contains(type)
    let other: (any Any.Type)? = used.withLock { used in
      let other = used.all.first {
        ExactString.exactlyEqual($0.name, name) && $0.type != type && !($0.isDeclared && isDeclared)
      }
      if let other { return other.type }
      used.all.append((name, type, isDeclared))
      used.known.append(ObjectIdentifier(type))
      return nil
    }
    if let other { throw EventCodingError(.claimedTwice, sentence(stableName(of: other), name)) }
  }
}
