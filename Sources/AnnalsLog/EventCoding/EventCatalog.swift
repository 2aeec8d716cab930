import Synchronization

/// A process-wide registry of event types, which determines the event type that a stored name belongs to.
///
/// You need the catalog only if one type's stored names begin with another type's prefix (``Event/typePrefix``). For
/// example, `CardNoteEvent` has an event with the stored name `CardNoteAdded`, and the prefix of `CardEvent` is `Card`.
/// Without a declaration, a list of `CardEvent` interprets `CardNoteAdded` as an unknown case `noteAdded` from a newer
/// program, and stops with an error. Declare the types at the start of your program, before it opens a log:
///
///     try EventCatalog.declare(CardEvent.self, CardNoteEvent.self)
///
/// With these declarations, a stored name belongs to the declared type that uses it as a case's name, as a former name
/// (``Event/formerNames``), or as the source of an ``Upcaster``. Any other name belongs to the type with the longest
/// prefix that matches the name.
///
/// A declaration applies to all logs and threads of the process, as soon as the call of `declare` returns. The order of
/// declarations does not matter.
public enum EventCatalog {
  /// Declares event types, and checks that their prefixes and former names don't conflict.
  ///
  /// The call throws if two types have the same prefix. It also throws if a former name of one type, or the source of
  /// one type's upcaster, is also a stored name of another type.
  ///
  /// The call doesn't compare the names of cases. If two types have cases with the same stored name, every attempt to
  /// store an event with that name throws.
  ///
  /// - Parameter types: The types to declare. An ``EventUnion`` declares its member types. You can declare a type
  ///   repeatedly.
  /// - Throws: ``EventCodingError``, with the code `claimedTwice` if a prefix, a former name or an upcaster's source
  ///   would belong to two types. After an error, the call has declared none of the types.
  public static func declare(_ types: any Event.Type...) throws {
    let claims = try types.flatMap { ($0 as? any EventUnion.Type)?.eventTypes ?? [$0] }.map { try NameClaim($0) }
    try NameClaims.declare(claims, otherPrefixes: [])
  }

  /// Declares prefixes of stored names that belong to event types in other programs.
  ///
  /// Call this function in a program that reads a log to which other programs append. For example, after a declaration
  /// of `"CardNote"`, a list of `CardEvent` skips the event `CardNoteAdded`, as it skips events of all other types. But
  /// if a type of this program has a case with the stored name `CardNoteAdded`, this name still belongs to that type,
  /// although it begins with the declared prefix.
  ///
  /// - Parameter prefixes: The prefixes, such as `"CardNote"`.
  /// - Throws: ``EventCodingError``, with the code `claimedTwice` if a declared type of this program has one of the
  ///   prefixes. After an error, the call has declared none of the prefixes.
  public static func declareOthers(_ prefixes: String...) throws {
    try NameClaims.declare([], otherPrefixes: prefixes)
  }
}

/// The stored names that an event type claims.
struct NameClaim: Sendable {
  let type: any Event.Type
  let prefix: String
  /// The former names that the type reads.
  let pastNames: [String]
  /// A closure that returns true for a name that the type has as a case or as a former name.
  let has: @Sendable (String) -> Bool

  init(_ type: any Event.Type) throws { self = try Self.make(type) }

  private init<E: Event>(of type: E.Type, _ coder: EventCoder<E>) {
    self.type = type
    prefix = E.typePrefix
    pastNames = coder.pastNames
    // A coder cannot be shared between threads, and this closure is rarely called.
    has = { name in (try? EventCoder<E>().claims(name)) ?? false }
  }

  private static func make<E: Event>(_ type: E.Type) throws -> NameClaim { NameClaim(of: type, try EventCoder<E>()) }
}

/// The declared owners of stored names.
enum NameClaims {
  private struct Declared {
    var types: [NameClaim] = []
    var otherPrefixes: [String] = []
  }

  private static let declared = Mutex(Declared())
  /// A lock that is held during a declaration, so that every declaration is compared with all previous declarations.
  private static let turn = Mutex(())

  /// Adds declarations.
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
          "the prefix \(prefix) was declared as a prefix of other programs, but it is the prefix of \(owner.type) in "
            + "this program; remove one of the two declarations")
      }
    }
    declared.withLock { declared in
      for claim in claims where !declared.types.contains(where: { $0.type == claim.type }) {
        declared.types.append(claim)
      }
      declared.otherPrefixes += otherPrefixes.filter { !declared.otherPrefixes.contains($0) }
    }
  }

  /// Throws if a union contains a type twice, or two types whose stored names can't be distinguished.
  static func ensureApart(membersOf union: any EventUnion.Type) throws {
    var types: [any Event.Type] = []
    for type in union.eventTypes {
      if types.contains(where: { $0 == type }) {
        throw EventCodingError(
          .unsuitableType,
          "the union \(union) lists the member type \(type) twice, so events of this type are ambiguous; list every "
            + "type once")
      }
      types.append(type)
    }
    if union.schema != 1 || !union.formerNames.isEmpty || !union.upcasters.isEmpty {
      throw EventCodingError(
        .unsuitableType,
        "the union \(union) declares a schema version, former names or upcasters, but a union doesn't store events "
          + "itself; move these declarations to the union's member types")
    }
    if types.isEmpty {
      throw EventCodingError(
        .unsuitableType,
        "the union \(union) has no member types, but needs at least one; add the types of the union's events to "
          + "`members`")
    }
    try ensureApart(types.map { try NameClaim($0) })
  }

  /// Throws if two types claim the same name.
  private static func ensureApart(_ claims: [NameClaim]) throws {
    for (index, claim) in claims.enumerated() {
      for other in claims[..<index] {
        if ExactString.exactlyEqual(claim.prefix, other.prefix) {
          throw EventCodingError(
            .claimedTwice,
            "the stored names of \(name(other.type)) and of \(name(claim.type)) begin with the same prefix "
              + "\(claim.prefix); declare a different typePrefix in one of the two types")
        }
        if let name = claim.pastNames.first(where: other.has) ?? other.pastNames.first(where: claim.has) {
          throw twice(name, [self.name(other.type), self.name(claim.type)])
        }
      }
    }
  }

  /// Throws if another declared type also has the given stored name.
  static func ensureFree<E: Event>(_ stored: String, for type: E.Type) throws {
    let others = declared.withLock { $0.types }
    for other in others where other.type != type && other.has(stored) {
      throw twice(stored, [name(type), name(other.type)], because: "the event was not stored")
    }
  }

  /// Returns true if a name that isn't a case of a type belongs to another declared type.
  static func isOwned<E: Event>(_ stored: String, byOtherThan type: E.Type, prefix: String) -> Bool {
    let (others, prefixes) = declared.withLock { ($0.types, $0.otherPrefixes) }
    return others.contains { other in
      other.type != type && (isOwned(stored, by: other.prefix, insteadOf: prefix) || other.has(stored))
    } || prefixes.contains { isOwned(stored, by: $0, insteadOf: prefix) }
  }

  private static func isOwned(_ stored: String, by prefix: String, insteadOf shorter: String) -> Bool {
    prefix.utf8.count > shorter.utf8.count && EventPrefix.begins(stored, with: prefix)
  }

  /// Returns the error for a name that several types claim.
  static func twice(_ stored: String, _ claims: [String], because result: String? = nil) -> EventCodingError {
    EventCodingError(
      .claimedTwice,
      "the stored name \(stored) belongs to \(claims.joined(separator: " and to ")), so events with this name in a log "
        + "would be ambiguous\(result.map { ", and \($0)" } ?? ""). In one of these types, rename the case, change the "
        + "typePrefix, or declare a different stored name with coding keys")
  }

  private static func name(_ type: any Event.Type) -> String { stableName(of: type) }
}

/// Functions for the prefixes of stored names.
enum EventPrefix {
  /// Returns true if a stored name consists of a prefix and a case's name, which begins with a capital letter.
  static func begins(_ stored: String, with prefix: String) -> Bool {
    guard stored.utf8.starts(with: prefix.utf8) else { return false }
    // "Bookshop…" does not belong to "Book…".
    guard let first = String(decoding: stored.utf8.dropFirst(prefix.utf8.count), as: UTF8.self).first else {
      return false
    }
    return !first.isLowercase
  }
}
