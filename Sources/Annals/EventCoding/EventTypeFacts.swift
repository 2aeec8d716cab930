import Synchronization

/// What is found out of an event type, once in a process: coders are made for single commands too.
final class EventTypeFacts: Sendable {
  /// The coding keys of the type's cases.
  let keyType: any CodingKey.Type
  let chain: UpcasterChain
  /// The type's prefix: making it of the type's name takes 12,000 instructions.
  let prefix: String
  /// What is known of stored types, the first few that were met.
  let known = Mutex<[(type: String, known: KnownType)]>([])
  /// The stored types that the type reads, or does not know though they begin as its own do.
  let types: EventTypeChoice
  /// The cases that were encoded.
  let cases = SharedCases()
  private static let all = Mutex<[ObjectIdentifier: EventTypeFacts]>([:])

  private init(keyType: any CodingKey.Type, chain: UpcasterChain, prefix: String, types: EventTypeChoice) {
    (self.keyType, self.chain, self.prefix, self.types) = (keyType, chain, prefix, types)
  }

  /// The facts of a type; `make` finds them at the first time.
  static func of<E: Event>(
    _ type: E.Type, _ make: () throws -> (keyType: any CodingKey.Type, chain: UpcasterChain)
  ) throws -> EventTypeFacts {
    let key = ObjectIdentifier(type)
    if let facts = all.withLock({ $0[key] }) { return facts }
    let found = try make()
    let types = EventTypeChoice { name in
      // A coder is not shared between threads, and this is asked once for each stored type. If there is none, the
      // reader finds out why.
      guard var coder = try? EventCoder<E>() else { return true }
      return !coder.known(name).isForeign
    }
    let facts = EventTypeFacts(keyType: found.keyType, chain: found.chain, prefix: E.typePrefix, types: types)
    return all.withLock { all in
      if let first = all[key] { return first }
      all[key] = facts
      return facts
    }
  }
}

/// What is known of a stored type.
package struct KnownType {
  package let meaning: StoredTypeMeaning
  /// Its current name.
  let name: String
  /// True if steps are from it, at some schema.
  let hasSteps: Bool
  /// Of a union: the index of the member whose it is.
  var member = 0
  /// Of a union: true if another member claims it too.
  var isClaimedTwice = false
}

extension KnownType {
  /// True if the Swift type has a case for it.
  package var isEvent: Bool { if case .event = meaning { true } else { false } }
  /// True if the Swift type reads its events: they are of a case, or steps are from them.
  var isRead: Bool { hasSteps || isEvent }
  /// True if it is another type's, and no step is from it.
  @inline(__always)
  var isForeign: Bool { !hasSteps && meaning == .foreign }
}

/// What a stored type means to a Swift type.
package enum StoredTypeMeaning: Hashable, Sendable {
  /// The case with this coding key.
  case event(key: String)
  /// The Swift type's prefix, and no case.
  case unknown
  /// Another type's event, which passes by.
  case foreign
}
