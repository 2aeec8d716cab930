/// The labels of transactions that have none of their own: each is called by its first event.
package struct TransactionLabels {
  private var transaction: Int?
  private var label = ""
  /// The label of the line before.
  private var last: JSONValue?

  /// Creates labels for events that come in the order of their positions.
  package init() {}

  /// The label of the next event.
  package mutating func label(of event: StoredEvent) -> String {
    if transaction != event.transaction {
      transaction = event.transaction
      label = event.id.id
      // Events of two sources may have one id; two appends are not to become one.
      while last == .string(label) { label += "'" }
    }
    last = CloudEvent.ownLabel(of: event) ?? .string(label)
    return label
  }
}
