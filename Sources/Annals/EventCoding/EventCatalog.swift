import Synchronization

/// The event types of a program, by which it is known whose a stored name is.
///
/// You need it only where names of one type begin as all names of another do: `CardNoteEvent` is stored as
/// `CardNoteAdded`, and to `CardEvent` alone that could be a case `noteAdded` which a newer program has. A list of
/// cards then stops, and says so. Declare the types where your program begins, before it opens a log:
///
///     try EventCatalog.declare(CardEvent.self, CardNoteEvent.self)
///
/// A stored name then belongs to the type that has it as a case, a former name or an upcaster's source. A name that no
/// type has belongs to the type with the longest prefix of those with which it begins.
///
/// What is declared holds for all logs and threads of the process, from then on; the order does not matter.
public enum EventCatalog {
  /// Declares event types, and ensures that no two claim one name.
  ///
  /// Two types whose prefixes are the same, or a type that reads names of the past which are another's, are refused at
  /// once. Of two types that have a case of one stored name, neither can store an event of it: the error comes in place
  /// of the first such event.
  ///
  /// - Parameter types: The types; a union stands for its members. A type may be declared again.
  /// - Throws: ``EventCodingError``, with the code `claimedTwice` for names of two types; nothing is declared then.
  public static func declare(_ types: any Event.Type...) throws {
    let claims = try types.flatMap { ($0 as? any EventUnion.Type)?.eventTypes ?? [$0] }.map { try NameClaim($0) }
    try NameClaims.declare(claims, otherPrefixes: [])
  }

  /// Declares beginnings of names that belong to types which this program does not have.
  ///
  /// For a program that reads the log of others: with `"CardNote"`, an event `CardNoteAdded` passes by a list of
  /// `CardEvent`, as any other type's does. A case that a type has remains the type's.
  ///
  /// - Parameter prefixes: The beginnings, such as `"CardNote"`.
  /// - Throws: ``EventCodingError``, with the code `claimedTwice` for the prefix of a declared type; nothing is
  ///   declared then.
  public static func declareOthers(_ prefixes: String...) throws {
    try NameClaims.declare([], otherPrefixes: prefixes)
  }
}

/// The stored names that an event type claims.
struct NameClaim: Sendable {
  let type: any Event.Type
  let prefix: String
  /// The names of the past that it reads.
  let pastNames: [String]
  /// True of a name that it has as a case, or reads as one of the past.
  let has: @Sendable (String) -> Bool

  init(_ type: any Event.Type) throws { self = try Self.make(type) }

  private init<E: Event>(of type: E.Type, _ coder: EventCoder<E>) {
    self.type = type
    prefix = E.typePrefix
    pastNames = coder.pastNames
    // A coder is not shared between threads, and this is asked seldom.
    has = { name in (try? EventCoder<E>().claims(name)) ?? false }
  }

  private static func make<E: Event>(_ type: E.Type) throws -> NameClaim { NameClaim(of: type, try EventCoder<E>()) }
}

/// Whose stored names are.
enum NameClaims {
  private struct Declared {
    var types: [NameClaim] = []
    var otherPrefixes: [String] = []
  }

  private static let declared = Mutex(Declared())
  /// Held while something is declared, so that what is compared is all that is declared.
  private static let turn = Mutex(())

  /// Adds to what is declared.
  static func declare(_ claims: [NameClaim], otherPrefixes: [String]) throws {
    try turn.withLock { _ in try add(claims, otherPrefixes) }
  }

  private static func add(_ claims: [NameClaim], _ otherPrefixes: [String]) throws {
    let (known, others) = declared.withLock { ($0.types, $0.otherPrefixes) }
    var all = known
    for claim in claims where !all.contains(where: { $0.type == claim.type }) { all.append(claim) }
    try ensureApart(all)
    for prefix in others + otherPrefixes {
      if let owner = all.first(where: { ExactString.exactlyEqual($0.prefix, prefix) }) {
        throw EventCodingError(
          .claimedTwice,
          "names that begin with \(prefix) were declared as names of other programs, but \(owner.type) uses them: "
            + "remove one of the two declarations")
      }
    }
    declared.withLock { declared in
      for claim in claims where !declared.types.contains(where: { $0.type == claim.type }) {
        declared.types.append(claim)
      }
      declared.otherPrefixes += otherPrefixes.filter { !declared.otherPrefixes.contains($0) }
    }
  }

  /// Refuses a union with a type that is in it twice, or with types whose names cannot be kept apart.
  static func ensureApart(membersOf union: any EventUnion.Type) throws {
    var types: [any Event.Type] = []
    for type in union.eventTypes {
      if types.contains(where: { $0 == type }) {
        throw EventCodingError(
          .unsuitableType, "\(union) lists \(type) twice, so its events are ambiguous: list every type once")
      }
      types.append(type)
    }
    if union.schema != 1 || !union.formerNames.isEmpty || !union.upcasters.isEmpty {
      throw EventCodingError(
        .unsuitableType,
        "\(union) has a schema, former names or upcasters, but a union doesn't store events itself: move them to the "
          + "type of the events")
    }
    if types.isEmpty {
      throw EventCodingError(.unsuitableType, "\(union) has no members: list the types of its events")
    }
    try ensureApart(types.map { try NameClaim($0) })
  }

  /// Refuses types that claim the same names.
  private static func ensureApart(_ claims: [NameClaim]) throws {
    for (index, claim) in claims.enumerated() {
      for other in claims[..<index] {
        if ExactString.exactlyEqual(claim.prefix, other.prefix) {
          throw EventCodingError(
            .claimedTwice,
            "the names of \(name(other.type)) and of \(name(claim.type)) both begin with \(claim.prefix): give one of "
              + "them a different typePrefix")
        }
        if let name = claim.pastNames.first(where: other.has) ?? other.pastNames.first(where: claim.has) {
          throw twice(name, [self.name(other.type), self.name(claim.type)])
        }
      }
    }
  }

  /// Refuses a stored name that a declared type has too.
  static func ensureFree<E: Event>(_ stored: String, for type: E.Type) throws {
    let others = declared.withLock { $0.types }
    for other in others where other.type != type && other.has(stored) {
      throw twice(stored, [name(type), name(other.type)], because: "the event was not stored")
    }
  }

  /// True if a name that is no case of a type is one of another declared type's.
  static func isOwned<E: Event>(_ stored: String, byOtherThan type: E.Type, prefix: String) -> Bool {
    let (others, prefixes) = declared.withLock { ($0.types, $0.otherPrefixes) }
    return others.contains { other in
      other.type != type && (isOwned(stored, by: other.prefix, insteadOf: prefix) || other.has(stored))
    } || prefixes.contains { isOwned(stored, by: $0, insteadOf: prefix) }
  }

  private static func isOwned(_ stored: String, by prefix: String, insteadOf shorter: String) -> Bool {
    prefix.utf8.count > shorter.utf8.count && EventPrefix.begins(stored, with: prefix)
  }

  /// The error that a name is claimed by several types.
  static func twice(_ stored: String, _ claims: [String], because result: String? = nil) -> EventCodingError {
    EventCodingError(
      .claimedTwice,
      "the stored name \(stored) is claimed by \(claims.joined(separator: " and by ")), so its events in a log would "
        + "be ambiguous\(result.map { "; \($0)" } ?? ""): give one of them another case name or typePrefix, or pin the "
        + "case's stored name with coding keys")
  }

  private static func name(_ type: any Event.Type) -> String { stableName(of: type) }
}

/// The beginning of stored names.
enum EventPrefix {
  /// True if a stored name is a prefix and a case's name, which begins with a capital letter.
  static func begins(_ stored: String, with prefix: String) -> Bool {
    guard stored.utf8.starts(with: prefix.utf8) else { return false }
    // "Bookshop…" is no "Book…".
    guard let first = String(decoding: stored.utf8.dropFirst(prefix.utf8.count), as: UTF8.self).first else {
      return false
    }
    return !first.isLowercase
  }
}
