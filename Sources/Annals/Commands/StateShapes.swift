import Synchronization

/// What states ask for when they are decoded: it shows that a state was kept by other code.
///
/// It is found by decoding the text that was kept; no state is decoded that no event led to. The same type asks for the
/// same of all texts of one shape, so that one look at each shape is enough for a process.
enum StateShapes {
  private struct Key: Hashable {
    let type: ObjectIdentifier
    let shape: ExactString
  }

  private static let known = Mutex<Set<Key>>([])
  /// Between a fingerprint and the shape behind it.
  private static let mark = "; a state that asks for "

  static func fingerprint<S: SnapshotDecider>(of type: S.Type, shape: String) -> String {
    type.snapshotFingerprint + mark + shape
  }

  /// The shape of the state that was kept under a fingerprint; nil if it was kept by other code.
  static func shape<S: SnapshotDecider>(in fingerprint: String, of type: S.Type) -> String? {
    let own = type.snapshotFingerprint + mark
    guard fingerprint.utf8.starts(with: own.utf8) else { return nil }
    return String(decoding: fingerprint.utf8.dropFirst(own.utf8.count), as: UTF8.self)
  }

  /// What a type asks for of a text.
  static func shape<S: SnapshotDecider>(of type: S.Type, _ text: String) throws -> String {
    try StateText.state(RecordedShape<S>.self, from: text).shape
  }

  /// A state of a text; nil if its type asks for something else than it did when the text was written.
  static func state<S: SnapshotDecider>(_ type: S.Type, from text: String, shape: String) throws -> S? {
    let key = Key(type: ObjectIdentifier(type), shape: ExactString(shape))
    if known.withLock({ $0.contains(key) }) { return try StateText.state(type, from: text) }
    let found = try StateText.state(RecordedShape<S>.self, from: text)
    guard ExactString.exactlyEqual(found.shape, shape) else { return nil }
    known.withLock { known in
      // A type whose states have many shapes is looked at again now and then.
      if known.count >= 1_000 { known = [] }
      known.insert(key)
    }
    return found.value
  }
}
