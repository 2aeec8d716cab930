import Annals
import Testing

/// The code of `Docs/Erasure.md`.
@Suite struct ErasurePage {
  struct Address: Codable, Hashable, Sendable { var city: String }

  struct Customer: Row { var id: String; var name: Personal<String>; var city: String }

  enum CustomerEvent: Event {
    case joined(Customer)
    case moved(id: String, to: Personal<Address>)
  }

  @Test func `an event of the page is stored as the page says, and keeps no name after the erasure`() throws {
    let store = MemoryEventStore()
    let ann = Customer(id: "7", name: Personal("Ann Smith", of: "customer-7"), city: "Bern")
    // CustomerJoined {"id":"7","name":{"$personal":"customer-7","value":"Ann Smith"},"city":"Bern"}

    let payload = try #require(try NewEvent(CustomerEvent.joined(ann)).payload)
    #expect(payload.contains(#""name":{"$personal":"customer-7","value":"Ann Smith"}"#))
    try store.append([CustomerEvent.joined(ann)], to: "customers")

    try store.erase(subject: "customer-7")

    let names = try store.events(of: CustomerEvent.self).map { recorded in
      if case .joined(let customer) = recorded.event { customer.name.value } else { "another" }
    }
    #expect(names == [nil])
  }
}
