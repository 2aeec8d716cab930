/// A generator that labels transactions without their own label by the ids of their first events.
package struct TransactionLabels {
  private var transaction: Int?
  private var label = ""
  /// The label of the previous event.
  private var last: JSONValue?

  /// Creates a generator, which must receive the events in the order of their positions.
  package init() {}

  /// Returns the label of the next event's transaction.
  package mutating func label(of event: StoredEvent) -> String {
    if transaction != event.transaction {
      transaction = event.transaction
      label = event.id.id
      // Events of two sources can have the same id, but their appends must stay separate. So the label ends with an
      // apostrophe if it would otherwise equal the previous event's label.
      while last == .string(label) { label += "'" }
    }
    last = CloudEvent.ownLabel(of: event) ?? .string(label)
    return label
  }
}
