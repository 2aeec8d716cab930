public import Annals
import AnnalsLog

extension CustomCodedEvent {
  /// Verifies that the event type's custom coding writes the same JSON as its `Codable` conformance, and reads this
  /// JSON as an equal event.
  ///
  ///     try check(.bookEvent) { event in try event.ensureCodesEqually() }
  ///
  /// - Parameters:
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the codings differ. Another error if the event can't be stored or read.
  public func ensureCodesEqually(fileID: String = #fileID, line: UInt = #line) throws {
    let run = LawRun("ensureCodesEqually", of: Self.self)
    defer { run.end() }
    var (own, codable) = (try EventCoder<Self>(), try EventCoder<Self>(custom: false))
    let expected = try codable.encode(self)
    let found = try own.encode(self)
    try ensure(
      found == expected,
      "Codable writes \(expected.type) \(expected.payload ?? ""), but the custom coding writes \(found.type) "
        + "\(found.payload ?? "")",
      fileID: fileID, line: line)
    let read = try own.decode(type: expected.type, payload: expected.payload)
    let again = try read.map { try codable.encode($0) }
    try ensure(
      again == expected,
      "the custom coding must read \(expected.type) \(expected.payload ?? "") as an equal event, but it reads "
        + "\(again.map { "\($0.type) \($0.payload ?? "")" } ?? "no event")",
      fileID: fileID, line: line)
  }
}
