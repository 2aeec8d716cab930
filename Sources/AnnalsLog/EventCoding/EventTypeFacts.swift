import Synchronization

/// Facts about an event type that are computed once per process instead of for every coder.
///
/// They are computed only once because a coder is often created for a single command.
package final class EventTypeFacts: Sendable {
  /// The coding keys of the type's cases.
  let keyType: any CodingKey.Type
  let chain: UpcasterChain
  /// The type's prefix, which is cached because deriving it from the type's name takes 12,000 instructions.
  let prefix: String
  /// The first few stored types that were read, with their meanings.
  let known = Mutex<[(type: String, known: KnownType)]>([])
  /// The stored types that the type reads, and unknown stored types with the type's prefix.
  package let types: EventTypeFilter
  /// The cases that were encoded.
  let cases = SharedCases()
  private static let all = Mutex<[ObjectIdentifier: EventTypeFacts]>([:])

  private init(keyType: any CodingKey.Type, chain: UpcasterChain, prefix: String, types: EventTypeFilter) {
    self.keyType = keyType
    self.chain = chain
    self.prefix = prefix
    self.types = types
  }

  /// Returns the facts about a type.
  ///
  /// At the first use of the type, `make` computes them.
  static func of<E: Event>(
    _ type: E.Type, _ make: () throws -> (keyType: any CodingKey.Type, chain: UpcasterChain)
  ) throws -> EventTypeFacts {
    let key = ObjectIdentifier(type)
    if let facts = all.withLock({ $0[key] }) { return facts }
    let found = try make()
    let types = EventTypeFilter { name in
      // A coder cannot be shared between threads, and this closure is called once per stored type. If the coder
      // cannot be created, the reader gets the error.
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

/// The cached meaning of a stored type.
package struct KnownType {
  package let meaning: StoredTypeMeaning
  /// The current name of the stored type.
  package let name: String
  /// True if upcasters convert events of the stored type, for at least one schema.
  package let hasSteps: Bool
  /// The index of the union member that owns the stored type.
  ///
  /// It is used only for a union.
  var member = 0
  /// True if several members of a union claim the stored type.
  var isClaimedTwice = false

  package init(
    meaning: StoredTypeMeaning, name: String, hasSteps: Bool, member: Int = 0, isClaimedTwice: Bool = false
  ) {
    self.meaning = meaning
    self.name = name
    self.hasSteps = hasSteps
    self.member = member
    self.isClaimedTwice = isClaimedTwice
  }
}

extension KnownType {
  /// True if the Swift type has a case for the stored type.
  package var isEvent: Bool { if case .event = meaning { true } else { false } }
  /// True if the Swift type reads events of the stored type, because they belong to a case or upcasters convert them.
  package var isRead: Bool { hasSteps || isEvent }
  /// True if the stored type belongs to another Swift type, and no upcaster converts its events.
  @inline(__always)
  package var isForeign: Bool { !hasSteps && meaning == .foreign }
}

/// The meaning of a stored type for a Swift type.
package enum StoredTypeMeaning: Hashable, Sendable {
  /// The case with this coding key.
  case event(key: String)
  /// An unknown case, with the Swift type's prefix.
  case unknown
  /// An event of another type, which is skipped.
  case foreign
}
