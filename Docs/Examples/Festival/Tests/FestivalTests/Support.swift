import Annals
import AnnalsTesting
import FestivalApp
import FestivalDomain
import Foundation
import Synchronization

/// A folder for a test's files, which is deleted with the object.
final class Folder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "festival-\(UUID())")
  var log: String { url.appending(path: "festival.annals").path }
  var mails: URL { url.appending(path: "mails.txt") }

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }

  /// Returns the lines of the file of mails, without their keys.
  func mailTexts() throws -> [String] {
    guard FileManager.default.fileExists(atPath: mails.path) else { return [] }
    return try String(contentsOf: mails, encoding: .utf8).split(separator: "\n").map { line in
      String(line.prefix { $0 != "\t" })
    }
  }
}

/// A clock that a test sets.
final class Clock: Sendable {
  private let time = Mutex(friday)
  var environment: StoreEnvironment { StoreEnvironment(now: { self.time.withLock { $0 } }) }
  func set(_ date: Date) { time.withLock { $0 = date } }
}

/// Friday, 7 August 2026, 12:00 UTC.
let friday = Date(timeIntervalSince1970: 1_786_104_000)
let main = Stage(id: 1, name: "Meadow", number: 2)
let tent = Stage(id: 2, name: "Tent", number: 1)
let utc: Calendar = {
  var calendar = Calendar(identifier: .gregorian)
  calendar.timeZone = .gmt
  return calendar
}()

/// Returns a place that begins some hours after Friday noon.
func place(_ stage: Stage.ID?, _ hour: Double, hours: Double = 1) -> Place {
  Place(stage: stage, start: friday + hour * 3600, end: friday + (hour + hours) * 3600)
}

func slot(_ id: Slot.ID, _ act: String, _ place: Place, fee: Decimal = 100) -> Slot {
  Slot(id: id, act: act, place: place, fee: fee)
}

extension Festival {
  /// A festival with two stages and three slots, which the planner ann set up.
  static func sample(_ store: any EventStore = MemoryEventStore()) async throws -> (festival: Festival, ann: Planner) {
    let festival = Festival(store: store)
    let ann = Planner("ann", in: festival)
    let commands: [ProgrammeCommand] = [
      .openStage(main), .openStage(tent), .book(slot(1, "Äolus", place(1, 6), fee: 100.10)),
      .book(slot(2, "Zebra", place(2, 5), fee: 200.20)), .book(slot(3, "Apfel", place(1, 8), fee: 300.30)),
    ]
    for command in commands { try await ann.execute(command) }
    return (festival, ann)
  }

  /// The acts of the programme, by stage.
  func acts() async throws -> [String] {
    try await FestivalTests.acts(store.list(of: ProgrammeList(), .programme))
  }
}

/// Returns the titles of a list's sections, with the acts.
func acts(_ list: Results<ProgrammeRow>) -> [String] {
  list.map { "\($0.title): \($0.map(\.act).joined(separator: ", "))" }
}
