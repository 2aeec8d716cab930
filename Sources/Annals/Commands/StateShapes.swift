import AnnalsLog
import Synchronization

/// A check of the shapes of kept states, which detects states that other code kept.
///
/// A shape consists of the properties that a type decodes, and their types. It is found by decoding a kept string, so
/// only states that events produced are decoded. A type decodes the same properties from all strings of one shape, so a
/// process checks every shape once.
enum StateShapes {
  private struct Key: Hashable {
    let type: ObjectIdentifier
    let shape: ExactString
  }

  private static let known = Mutex<Set<Key>>([])
  /// The separator between a fingerprint's first part and its shape.
  private static let mark = "; a state that asks for "

  static func fingerprint<S: SnapshotDecider>(of type: S.Type, shape: String) -> String {
    type.snapshotFingerprint + mark + shape
  }

  /// Returns the shape in a kept state's fingerprint, or nil if other code kept the state.
  static func shape<S: SnapshotDecider>(in fingerprint: String, of type: S.Type) -> String? {
    let own = type.snapshotFingerprint + mark
    guard fingerprint.utf8.starts(with: own.utf8) else { return nil }
    return String(decoding: fingerprint.utf8.dropFirst(own.utf8.count), as: UTF8.self)
  }

  /// Returns the shape that a type requests when it decodes a string.
  static func shape<S: SnapshotDecider>(of type: S.Type, _ text: String) throws -> String {
    try StateText.state(RecordedShape<S>.self, from: text).shape
  }

  /// Returns the state that a string encodes, or nil if its type now requests a different shape than at the time of
  /// encoding.
  static func state<S: SnapshotDecider>(_ type: S.Type, from text: String, shape: String) throws -> S? {
    let key = Key(type: ObjectIdentifier(type), shape: ExactString(shape))
    if known.withLock({ $0.contains(key) }) { return try StateText.state(type, from: text) }
    let found = try StateText.state(RecordedShape<S>.self, from: text)
    guard ExactString.exactlyEqual(found.shape, shape) else { return nil }
    known.withLock { known in
      // Forget the known shapes. A type whose states have more shapes is checked repeatedly.
      if known.count >= 1_000 { known = [] }
      known.insert(key)
    }
    return found.value
  }
}
