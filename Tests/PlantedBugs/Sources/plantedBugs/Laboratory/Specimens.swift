import Annals
import Foundation

/// The tubes as rows.
struct Specimens: Projection {
  func project(_ event: SpecimenEvent, into rows: inout Rows<Specimen>) {
    switch event {
    case .received(let tube, let volume): add(tube, volume, to: &rows)
    case .divided(let tube, let child, let volume):
      rows.update(tube) { $0.volume -= volume }
      rows.update(tube) { $0.label = Self.label($0.id, $0.volume) }
      add(child, volume, to: &rows)
    case .topped(let tube, let volume):
      rows.update(tube) {
        $0.volume = volume
        $0.label = Self.label($0.id, volume)
      }
    case .racked(let tube, let rack): rows.update(tube) { $0.rack = rack }
    case .unracked(let tube): rows.update(tube) { $0.rack = nil }
    case .measured(let tube, let value): rows.update(tube) { $0.values.append(value) }
    case .released(let tube): rows.update(tube) { $0.isReleased = true }
    case .discarded(let tube): rows[tube] = nil
    }
  }

  private func add(_ tube: String, _ volume: Int, to rows: inout Rows<Specimen>) {
    rows.insert(Specimen(id: tube, volume: volume, label: Self.label(tube, volume)))
  }

  static func label(_ tube: String, _ volume: Int) -> String {
    let year = bug(39) ? " \(Calendar(identifier: .gregorian).component(.year, from: Date()))" : ""
    return "\(tube) \(Volume.text(volume))\(year)"
  }
}

extension ListRequest<Specimen> {
  /// The states of the work as sections.
  static var work: ListRequest { ListRequest(sort: [.descending(\.volume)], section: .by(\.state)) }
}

/// Volumes in tenths of a microlitre as text, such as `1.5`.
enum Volume {
  static func text(_ tenths: Int) -> String { "\(tenths / 10).\(tenths % 10)" }

  /// Reads a volume with one digit or two digits after the point, and rounds it up.
  static func tenths(_ text: String) -> Int? {
    let parts = text.split(separator: ".")
    guard parts.count == 2, let whole = Int(parts[0]), let rest = Int(parts[1]), rest >= 0 else { return nil }
    if parts[1].count == 1 { return whole * 10 + rest }
    guard parts[1].count == 2 else { return nil }
    return whole * 10 + (bug(38) ? rest / 10 + 1 : (rest + 9) / 10)
  }
}

/// The laboratory as a program uses it.
final class LaboratorySystem {
  let store: any EventStore

  init(_ store: any EventStore) { self.store = store }

  private func execute(_ command: SpecimenCommand) throws { try store.execute(command, on: Laboratory["main"]) }

  func receive(_ tube: String, _ volume: Int) throws { try execute(.receive(tube: tube, volume: volume)) }
  func divide(_ tube: String, into child: String, _ volume: Int) throws {
    try execute(.divide(tube: tube, into: child, volume: volume))
  }
  func rack(_ tube: String, in rack: Int) throws { try execute(.rack(tube: tube, rack: rack)) }
  func unrack(_ tube: String) throws { try execute(.unrack(tube: tube)) }
  func measure(_ tube: String, _ value: Int) throws { try execute(.measure(tube: tube, value: value)) }
  func release(_ tube: String) throws { try execute(.release(tube: tube)) }
  func discard(_ tube: String) throws { try execute(.discard(tube: tube)) }

  func top(_ tube: String, by more: Int) throws {
    guard bug(41), let old = try store.state(of: Laboratory["main"]).tubes[tube] else {
      return try execute(.top(tube: tube, by: more))
    }
    let event = SpecimenEvent.topped(tube: tube, volume: old.volume + more)
    try store.append([event], to: Laboratory.stream("main"))
  }

  func specimens() throws -> [Specimen] { Array(try store.list(of: Specimens(), .work).rows) }
}

/// An invoice for a released specimen, which a follower appends.
enum InvoiceEvent: Event, Equatable {
  case sent(tube: String)
}
