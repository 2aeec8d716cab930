import Annals
import Foundation

/// Orders at schema 2, whose upcasters use the context of an event.
enum OrderEvent: Event, Equatable {
  case placed(id: String, currency: String, time: Int, author: String?)
  case paid(id: String, stream: String, author: String)
  case cancelled(id: String, currency: String, time: Int)

  static let schema = 2
  static let upcasters: [Upcaster] = [
    .changed("OrderPlaced", from: 1, to: 2) { order, event in
      guard let currency = event.currency else { throw NoCurrency(stream: event.stream) }
      order["currency"] = .string(currency)
      order["time"] = .number(JSONNumber(event.milliseconds))
      if let author = event.metadata.author { order["author"] = .string(author) }
    },
    .changed("OrderPaid", from: 1, to: 2, as: OldPayment.self) { old, event in
      Payment(id: old.id, stream: event.stream.text, author: event.metadata.author ?? "nobody")
    },
    .split("OrderBatch", from: 1, to: 2, into: ["OrderPlaced", "OrderCancelled"]) { batch, event in
      (batch["ids"]?.array ?? []).map { id in
        let currency = event.currency ?? "none"
        let time = JSONValue.number(JSONNumber(event.milliseconds))
        return event.metadata["void"] == nil
          ? Upcaster.Output("OrderPlaced", ["id": id, "currency": .string(currency), "time": time])
          : Upcaster.Output("OrderCancelled", ["id": id, "currency": .string(currency), "time": time])
      }
    },
  ]

  struct NoCurrency: Error {
    let stream: StreamName
  }

  struct OldPayment: Decodable {
    let id: String
  }

  struct Payment: Encodable {
    let id: String
    let stream: String
    let author: String
  }
}

extension Upcaster.Context {
  /// The currency in the name of an order's stream.
  fileprivate var currency: String? {
    stream.text.hasPrefix("Orders-") ? String(stream.text.dropFirst("Orders-".count)) : nil
  }

  fileprivate var milliseconds: Int { Int((time.timeIntervalSince1970 * 1_000).rounded()) }
}

/// An event as a row, with every value of the event.
struct OrderRow: Row {
  let id: String
  let text: String
}

struct OrderRows: Projection {
  func project(_ event: OrderEvent, into rows: inout Rows<OrderRow>) {}

  func project(_ recorded: Recorded<OrderEvent>, into rows: inout Rows<OrderRow>) {
    let count = rows.all.count
    rows.insert(OrderRow(id: String(10_000 + count), text: "\(recorded.position) \(recorded.event)"))
  }
}

/// The events of one currency, and an undo that cancels the placed order.
struct Orders: UndoableDecider, Equatable {
  enum Command: Sendable { case place(String), cancel(String, String, Int) }

  var events: [OrderEvent] = []

  func decide(_ command: Command) -> [OrderEvent] {
    switch command {
    case .place(let id): [.placed(id: id, currency: "today", time: 0, author: nil)]
    case .cancel(let id, let currency, let time): [.cancelled(id: id, currency: currency, time: time)]
    }
  }

  mutating func evolve(_ event: OrderEvent) { events.append(event) }

  func undoing(_ events: [OrderEvent]) -> [Command]? {
    events.reversed().compactMap {
      if case .placed(let id, let currency, let time, _) = $0 { .cancel(id, currency, time) } else { nil }
    }
  }
}

/// The payments of all streams, by today's name.
struct Payments: BoundaryDecider {
  var events: [OrderEvent] = []

  static func boundary(for command: String) -> EventQuery { .types("OrderPaid") }
  func decide(_ id: String) -> [OrderEvent] { events + [.paid(id: id, stream: "", author: "")] }
  mutating func evolve(_ event: OrderEvent) { events.append(event) }
}

/// Events of another type, for a union with orders.
enum ReceiptEvent: Event, Equatable {
  case printed(id: String)
}

/// The orders as members of a union.
struct UnionRows: Projection {
  func project(_ event: EventUnion2<OrderEvent, ReceiptEvent>, into rows: inout Rows<OrderRow>) {}

  func project(_ recorded: Recorded<EventUnion2<OrderEvent, ReceiptEvent>>, into rows: inout Rows<OrderRow>) {
    guard case .first(let order) = recorded.event else { return }
    OrderRows().project(recorded.with(order), into: &rows)
  }
}
