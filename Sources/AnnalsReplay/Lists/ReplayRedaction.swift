/// A tool part that names data which not every reader may see.
///
/// Pages of the subcommand `timeline` always hide this data. Exports contain it unless you pass `--redacted`.
///
///     ReplayRedaction(fields: ["cardNumber"], types: ["PaymentReceived"])
public struct ReplayRedaction: ReplayPart {
  private let fields: Set<String>
  private let types: Set<String>

  /// Creates the part.
  ///
  /// If a tool has several redactions, it applies all of them.
  ///
  /// - Parameters:
  ///   - fields: The names of the hidden fields in payloads and rows.
  ///   - types: The stored types of the events with hidden payloads.
  public init(fields: Set<String>, types: Set<String> = []) { (self.fields, self.types) = (fields, types) }

  /// Adds the redaction to a tool's catalog.
  ///
  /// - Parameter catalog: The tool's catalog.
  public func register(in catalog: inout ReplayCatalog) {
    catalog.redactedFields.formUnion(fields)
    catalog.redactedTypes.formUnion(types)
  }
}
