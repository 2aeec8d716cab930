/// A ``ReplayTool`` component that hides confidential data.
///
/// The subcommand `timeline` always hides this data in its pages. The subcommand `log` hides the data only if you
/// pass `--redact app`.
///
///     ReplayRedaction(fields: ["cardNumber"], types: ["PaymentReceived"])
public struct ReplayRedaction: ReplayPart {
  private let fields: Set<String>
  private let types: Set<String>

  /// Creates the component.
  ///
  /// If a ``ReplayTool`` has several `ReplayRedaction` components, the tool applies all of them.
  ///
  /// - Parameters:
  ///   - fields: The names of the hidden fields in payloads and rows.
  ///   - types: The stored type names of the events whose payloads are hidden, such as `PaymentReceived`.
  public init(fields: Set<String>, types: Set<String> = []) {
    self.fields = fields
    self.types = types
  }

  /// Adds the fields and types to a tool's catalog, so that the tool can hide their data.
  ///
  /// - Parameter catalog: The tool's catalog.
  public func register(in catalog: inout ReplayCatalog) {
    catalog.redactedFields.formUnion(fields)
    catalog.redactedTypes.formUnion(types)
  }
}
