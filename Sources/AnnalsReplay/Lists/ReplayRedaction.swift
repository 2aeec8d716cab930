/// What an app's log says that is not for every reader, for the subcommands that give away what a log says.
///
/// A page of `timeline` leaves it out; an export has it, unless you give `--redacted`.
///
///     ReplayRedaction(fields: ["cardNumber"], types: ["PaymentReceived"])
public struct ReplayRedaction: ReplayPart {
  private let fields: Set<String>
  private let types: Set<String>

  /// Creates the part; several in a tool add up.
  ///
  /// - Parameters:
  ///   - fields: The names of members, of payloads and of rows, whose values are left out.
  ///   - types: The stored types of events whose payloads are left out.
  public init(fields: Set<String>, types: Set<String> = []) { (self.fields, self.types) = (fields, types) }

  /// Adds the redaction to what a tool knows.
  ///
  /// - Parameter catalog: What the tool knows.
  public func register(in catalog: inout ReplayCatalog) {
    catalog.redactedFields.formUnion(fields)
    catalog.redactedTypes.formUnion(types)
  }
}
