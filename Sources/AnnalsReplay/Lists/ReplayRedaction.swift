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
  ///   - fields: The names of fields in payloads and rows, whose values are hidden.
  ///   - types: The stored types of events, whose payloads are hidden.
  public init(fields: Set<String>, types: Set<String> = []) { (self.fields, self.types) = (fields, types) }

  /// Adds the redaction to a tool's catalog.
  ///
  /// - Parameter catalog: The tool's catalog.
  public func register(in catalog: inout ReplayCatalog) {
    catalog.redactedFields.formUnion(fields)
    catalog.redactedTypes.formUnion(types)
  }
}
