/// A description of a call with a command id, by which a store recognizes a repetition of the call.
///
/// For example, the call is the execution of a command. A store keeps the description with the command's receipt. If
/// the same id is used for a different call, the store throws ``EventStoreError/Code/commandReused`` instead of
/// returning the receipt of the first call.
///
/// A store treats two calls as the same call if their kinds, deciders and streams are equal. If both descriptions have
/// a digest (a hash) of the command, the digests must also be equal. Without digests, two calls of the same kind on the
/// same stream can't be distinguished. For example, the body of `transaction(commandID:)`, a branch that is merged
/// under an id, and a command of a type that isn't `Encodable` have no digest. An erasure deletes all digests of a log.
/// A receipt that an older version of the library wrote doesn't contain a `CommandUse`, so it matches every call.
public struct CommandUse: Hashable, Sendable {
  /// The kind of call, followed by its decider and stream, for example `execute Bookshop on Bookshop-main`.
  public let call: String
  /// A digest of the command, salted with the command's id, or `nil` if the command can't be encoded.
  ///
  /// The digest doesn't depend on the order in which a process encodes sets and dictionaries. An erasure deletes all
  /// digests of a log, because a short command could be guessed from its digest.
  public let digest: String?

  /// Creates a `CommandUse` from stored values.
  ///
  /// Call this initializer in a custom store.
  ///
  /// - Parameters:
  ///   - call: The kind of call, followed by its decider and stream.
  ///   - digest: A digest of the command, or `nil` if the stored use has no digest.
  public init(call: String, digest: String?) {
    self.call = call
    self.digest = digest
  }

  /// Returns whether another use might be of the same call.
  package func isCompatible(with other: CommandUse) -> Bool {
    ExactString(call) == ExactString(other.call) && (digest == nil || other.digest == nil || digest == other.digest)
  }
}

extension Append {
  /// The command's id with its use.
  package var identified: IdentifiedCommand? {
    commandID.flatMap { id in use.map { IdentifiedCommand(id: id, use: $0) } }
  }
}

/// A command's id with the call for which it is used.
package struct IdentifiedCommand: Sendable {
  package let id: String
  package let use: CommandUse

  package init(id: String, use: CommandUse) {
    self.id = id
    self.use = use
  }

  /// Returns the receipt that a log has for the command, marked as repeated.
  ///
  /// - Parameter first: The receipt that the log has under the id.
  /// - Returns: The receipt, marked as repeated.
  /// - Throws: ``EventStoreError`` (`.commandReused` if the id was used for another call).
  package func repeated(_ first: Receipt) throws -> Receipt {
    if let known = first.use, !known.isCompatible(with: use) {
      throw EventStoreError.commandReused(id, at: first.position, first: known, now: use)
    }
    return first.repeated()
  }
}

extension CommandUse {
  /// Returns a digest of strings, in 16 hexadecimal digits.
  package static func digest(of parts: [String], salt: String) -> String {
    var sum = fingerprint(0, salt)
    for part in parts { sum = fingerprint(sum, part) }
    let digits = String(sum, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func fingerprint(_ start: UInt64, _ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { Fingerprint.of(start ^ UInt64($0.count), UnsafeRawBufferPointer($0)) }
  }

  /// Returns the use that is recorded for an append of events.
  ///
  /// The use doesn't depend on identities, times and metadata, because a retry may create new identities, times and
  /// metadata.
  static func append(_ entries: [Append.Entry], id: String) -> CommandUse {
    let streams = Set(entries.map(\.stream)).sorted().map { JSONValue.quoted($0.text) }
    var parts: [String] = []
    for entry in entries {
      parts += [entry.stream.text, entry.event.type, "\(entry.event.schema)"]
      parts += entry.event.tags.map(\.text).sorted()
      parts.append(entry.event.payload.map(unorderedText) ?? "-")
    }
    return CommandUse(
      call: streams.isEmpty ? "append" : "append to " + streams.joined(separator: ", "),
      digest: digest(of: parts, salt: id))
  }

  /// Returns a payload as a string that doesn't depend on the order of array elements.
  ///
  /// Every process encodes a set's elements in a different order.
  private static func unorderedText(_ payload: String) -> String {
    guard let value = try? JSONValue(parsing: payload) else { return payload }
    return unorderedText(value, levels: 32)
  }

  /// Returns a value as a string, with array elements sorted by their strings down to a maximum number of levels.
  ///
  /// The number of levels is limited, because a payload can have 256 levels, but a secondary thread on Apple's systems
  /// has a stack of only 512 KB. Deeper arrays keep their order.
  private static func unorderedText(_ value: JSONValue, levels: Int) -> String {
    if levels == 0 { return value.canonicalText }
    switch value {
    case .array(let elements):
      let texts = elements.map { ExactString(unorderedText($0, levels: levels - 1)) }
      return "[" + texts.sorted().map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      let texts = members.map { JSONValue.quoted($0.name) + ":" + unorderedText($0.value, levels: levels - 1) }
      return "{" + texts.joined(separator: ",") + "}"
    default: return value.canonicalText
    }
  }
}
