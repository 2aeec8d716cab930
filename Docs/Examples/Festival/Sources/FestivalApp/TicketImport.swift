import Annals
import FestivalDomain
import Foundation

/// An import of the tickets that a shop sold.
///
/// If the import is interrupted, repeat it from the beginning. Import a shop's table when it's complete. If an earlier
/// import contained only some of the tickets, the log refuses the import with an `EventStoreError`.
public struct TicketImport: Sendable {
  /// A line that doesn't contain a ticket.
  public struct InvalidLine: LocalizedError, Hashable {
    public let number: Int
    public var errorDescription: String? {
      "line \(number): expected id,kind,price,holder,time, such as 7,Day,49.90,Ann,2026-03-01T08:00:00Z"
    }
  }

  /// The maximum number of tickets in a transaction.
  ///
  /// If it changes, the log refuses to repeat older imports.
  private static let batchSize = 500
  private let shop: String
  private let tickets: [(ticket: Ticket, time: Date)]

  /// Reads the lines of a shop's table: `id,kind,price,holder,time`.
  public init(lines: some Sequence<Substring>, from shop: String) throws {
    self.shop = shop
    tickets = try lines.enumerated().map { index, line in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard cells.count == 5, let number = Int(cells[0]), let price = Decimal(string: cells[2]),
        let time = try? Date(cells[4], strategy: .iso8601)
      else { throw InvalidLine(number: index + 1) }
      return (Ticket(id: "\(shop)-\(number)", kind: cells[1], price: price, holder: cells[3]), time)
    }
  }

  /// Appends the tickets in batches.
  ///
  /// - Parameters:
  ///   - festival: The festival whose log gets the tickets.
  ///   - isolation: The caller's isolation, which the compiler fills in.
  ///   - progress: A closure that receives the finished part of the import, from 0 to 1.
  /// - Returns: The number of tickets that this run added, and the number that an earlier run added.
  /// - Throws: `EventStoreError`.
  public func run(
    in festival: Festival, isolation: isolated (any Actor)? = #isolation, progress: (Double) -> Void = { _ in }
  ) async throws -> (added: Int, repeated: Int) {
    var report = (added: 0, repeated: 0)
    for start in stride(from: 0, to: tickets.count, by: Self.batchSize) {
      let batch = tickets[start...].prefix(Self.batchSize)
      // The id makes a batch that the log already contains a repeated command, which has no effect.
      var append = Append(commandID: "tickets of \(shop) from line \(start + 1)")
      for (ticket, time) in batch {
        try append.add(
          TicketEvent.sold(ticket), to: "Tickets", id: EventID(source: shop, id: "ticket \(ticket.id)"), time: time,
          metadata: ["actor": shop])
      }
      if try await festival.store.append(append).isRepeated {
        report.repeated += batch.count
      } else {
        report.added += batch.count
      }
      progress(Double(batch.endIndex) / Double(tickets.count))
    }
    return report
  }
}
