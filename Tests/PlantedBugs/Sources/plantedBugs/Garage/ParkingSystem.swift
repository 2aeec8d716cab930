import Annals
import AnnalsTesting
import Foundation

/// The garage as an app uses it.
final class ParkingSystem {
  let store: any EventStore
  /// The numbers on the signs, until the next change.
  private var freeSpots: [String: Int] = [:]
  private var changes = 0

  init(_ store: any EventStore) { self.store = store }

  private func execute(_ command: ParkingCommand, id: String? = nil, keepsSigns: Bool = false) throws {
    if let id {
      try store.execute(command, on: .boundary(Garage.self), commandID: id)
    } else {
      try store.execute(command, on: .boundary(Garage.self))
    }
    changes += 1
    if !keepsSigns { freeSpots = [:] }
  }

  /// The spelling of a plate that the garage uses.
  private func normalized(_ plate: String) -> String { bug(17) ? plate : plate.precomposedStringWithCanonicalMapping }

  func open(_ level: String, spots: Int) throws { try execute(.open(level: level, spots: spots)) }

  func resize(_ level: String, by more: Int) throws {
    guard bug(13), let sign = try store.list(of: Signs()).row(forID: level) else {
      return try execute(.resize(level: level, by: more))
    }
    guard sign.free + more >= 0 else { throw Garage.Refusal.noSpots }
    try store.append(
      [ParkingEvent.resized(level: level, spots: sign.spots + more)], to: StreamName("Level-\(level)"))
    changes += 1
    freeSpots = [:]
  }

  func reserve(_ id: String, for plate: String, on level: String) throws {
    try execute(.reserve(id: id, plate: normalized(plate), level: level))
  }

  func cancel(_ id: String, on level: String) throws {
    try execute(.cancel(id: id, level: level), keepsSigns: bug(11))
  }

  func enter(_ plate: String, _ level: String, at time: Int, id: String? = nil) throws {
    try execute(.enter(plate: normalized(plate), level: level, at: time), id: bug(29) ? nil : id)
  }

  func leave(_ plate: String, _ level: String, at time: Int, id: String? = nil) throws {
    try execute(.leave(plate: normalized(plate), level: level, at: time), id: id)
  }

  func longest() throws -> String? { Cars.longest(of: try cars()) }

  /// The number of free spots, or nil if the level is unknown.
  func free(on level: String) throws -> Int? {
    if let free = freeSpots[level] { return free }
    let before = changes
    let free = try store.list(of: Signs()).row(forID: level)?.free
    if before == changes { freeSpots[level] = free }
    return free
  }

  func signs() throws -> [Sign] { Array(try store.list(of: Signs()).rows) }

  func cars() throws -> [Car] { Array(try store.list(of: Cars()).rows) }
}

/// A gate that lets in two cars.
actor Gate {
  struct Closed: Error {}

  private var inside = 0

  func letIn() async throws {
    if bug(15) {
      guard inside < 2 else { throw Closed() }
      await photograph()
      inside += 1
    } else {
      guard inside < 2 else { throw Closed() }
      inside += 1
      await photograph()
    }
  }

  func letOut() async throws {
    guard inside > 0 else { throw Closed() }
    inside -= 1
  }

  private func photograph() async { await Task.yield() }
}

/// The money that the garage has received, as the bank counts it.
actor Till {
  private(set) var payments: [String] = []
  private var ids: Set<EventID> = []

  func pay(_ text: String, id: EventID) {
    if ids.insert(id).inserted || bug(24) { payments.append(text) }
  }
}
