/// The labels of transactions without their own label, which are labeled by their first events.
package struct TransactionLabels {
  private var transaction: Int?
  private var label = ""
  /// The label of the previous line.
  private var last: JSONValue?

  /// Creates labels for events in the order of their positions.
  package init() {}

  /// The label of the next event.
  package mutating func label(of event: StoredEvent) -> String {
    if transaction != event.transaction {
      transaction = event.transaction
      label = event.id.id
      // Events of two sources may have the same id, but their appends must stay separate.
      while last == .string(label) { label += "'" }
    }
    last = CloudEvent.ownLabel(of: event) ?? .string(label)
    return label
  }
}
