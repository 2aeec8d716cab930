import Annals
import Foundation

/// A ticket that a shop sold.
public struct Ticket: Row, Hashable {
  /// The shop and the shop's number, such as `shop-7`.
  public let id: String
  public var kind: String
  public var price: Decimal
  public var holder: Personal<String>

  public init(id: String, kind: String, price: Decimal, holder: String) {
    self.id = id
    self.kind = kind
    self.price = price
    self.holder = Personal(holder, of: "ticket-\(id)")
  }

  /// The sum of the prices.
  public static let income = Aggregate<Ticket>.sum(\.price)
}

/// The facts about tickets.
public enum TicketEvent: Event, Hashable {
  case sold(Ticket)
}

/// The sold tickets.
public struct TicketList: Projection {
  public init() {}

  public func project(_ event: TicketEvent, into rows: inout Rows<Ticket>) throws {
    switch event {
    case .sold(let ticket): try rows.add(ticket)
    }
  }
}

extension ListRequest<Ticket> {
  /// The tickets by kind, with the income of every kind.
  public static var tickets: ListRequest {
    ListRequest(sort: [.ascending(\.id)], section: .by(\.kind), aggregates: [.count, Ticket.income])
  }
}
