import AnnalsLog
import Foundation

/// An error for a state that can't be encoded and decoded, or that changes when it is decoded.
package struct StateTextError: LocalizedError, CustomStringConvertible {
  /// A message with the attempt and its outcome.
  package let description: String

  package var errorDescription: String? { description }
}

/// The functions that convert a decider's state to the canonical string in which it is kept.
package enum StateText {
  /// Returns a state's string, which decodes to an equal state.
  ///
  /// - Throws: ``StateTextError``.
  package static func text<S: Codable>(of state: S) throws(StateTextError) -> String {
    let coder = PayloadCoder(isCanonical: true)
    let text: String
    do { text = try coder.encode(state) } catch {
      throw StateTextError(description: "the state cannot be encoded as JSON: \(described(error))")
    }
    let again: S
    do { again = try coder.decode(S.self, from: text) } catch {
      throw StateTextError(
        description:
          "the state was encoded as \(start(of: text)), but cannot be decoded: \(described(error))")
    }
    let second: String
    do { second = try coder.encode(again) } catch {
      throw StateTextError(
        description: "the state was decoded, but cannot be re-encoded: \(described(error))")
    }
    if !ExactString.exactlyEqual(text, second) {
      let offset = zip(text.utf8, second.utf8).prefix { $0 == $1 }.count
      throw StateTextError(
        description: "the state changes when it is decoded. Before decoding, it was encoded as "
          + "\(part(of: text, at: offset)). After decoding, it was encoded as \(part(of: second, at: offset))")
    }
    return text
  }

  /// Returns the state that a string encodes.
  package static func state<S: Decodable>(_ type: S.Type, from text: String) throws -> S {
    try PayloadCoder().decode(type, from: text)
  }

  /// Returns a state after encoding and decoding it.
  ///
  /// - Throws: ``StateTextError``.
  package static func again<S: Codable>(_ state: S) throws -> S { try self.state(S.self, from: text(of: state)) }

  private static func start(of text: String) -> String { part(of: text, at: 0) }

  /// Returns the part of a long string around a byte offset.
  static func part(of text: String, at offset: Int) -> String {
    let from = max(0, offset - 40)
    let part = String(decoding: text.utf8.dropFirst(from).prefix(80), as: UTF8.self)
    return (from > 0 ? "…" : "") + part + (text.utf8.count > from + 80 ? "…" : "")
  }
}
