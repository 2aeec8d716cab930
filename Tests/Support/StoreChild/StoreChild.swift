import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsStoreTesting
import AnnalsTesting
import Foundation
import Synchronization

/// A process that works on a log until it is done or killed, for tests of several processes and of sudden ends.
///
/// It prints each action on its standard output, one per line, after the store has acknowledged it.
@main
struct StoreChild {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    do {
      if words.count >= 3, words[1] == "contract" { return try contract(words[2], Array(words.dropFirst(2))) }
      if words.count >= 3, words[1] == "language" {
        return try LanguageWork.run(words[2], words[3], Array(words.dropFirst(3)))
      }
      guard words.count >= 4, let threads = Int(words[3]), let count = Int(words[4]) else {
        throw Problem("usage: store-child WORK LOG THREADS COUNT; the works are the cases below")
      }
      switch words[1] {
      case "append": try append(words[2], threads: threads, count: count)
      case "shelve": try shelve(words[2], threads: threads, pause: count)
      case "draft": try draft(words[2], count: count)
      case "stop": try stop(words[2])
      case "idle": try idle(words[2], controllers: threads, milliseconds: count)
      case "wakes": try wakes(words[2], commits: count)
      case "hold": try LockWork.hold(words[2])
      case "seats": try seats(words[2], threads: threads, count: count)
      case "inline": try inline(words[2], threads: threads, count: count)
      case "lists": try lists(words[2], count: count)
      case "erasures": try erasures(words[2], count: count)
      case "compactions": try compactions(words[2], threads: threads, count: count)
      case "removals": try removals(words[2], threads: threads, count: count)
      case "heads": try heads(words[2], count: count)
      case "stranger": try readAsStranger(words[2], until: count)
      case "follow": try follow(words[2], until: count)
      case "mail": try ClaimWork.mail(words[2], holdingAt: count)
      case "moves": try PathWork.move(words[2])
      case "files": try PathWork.openTooMany(words[2])
      case "grows": try PathWork.grow(words[2])
      case "refused": try PathWork.beRefused(words[2])
      case "locks": try LockWork.look(words[2], times: count)
      case "opens": try opens(words[2], threads: threads, count: count)
      case "reclones": try RecloneWork.run(words[2], times: count)
      case "havoc": try HavocWork.run(words[2], threads: threads, seed: count)
      default: throw Problem("unknown work \(words[1])")
      }
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  /// Does what a rule of the contract asks of a store in another process.
  private static func contract(_ path: String, _ words: [String]) throws {
    for line in try StoreContract.answer(words, with: SQLiteEventStore(path: path)) { say(line) }
  }

  /// Executes commands on a draft that the log keeps, one after the other.
  private static func draft(_ path: String, count: Int) throws {
    let draft = try SQLiteEventStore(path: path).draft(named: "child", deciders: .of(ChildTill.self))
    for _ in 0..<count {
      let number = draft.commands.count + 1
      try draft.execute(number, on: ChildTill["1"])
      say("ack \(number)")
    }
  }

  /// Reads a log as a user who may write neither to it nor to its folder, until it reaches a position.
  private static func readAsStranger(_ path: String, until end: Int) throws {
    if getuid() == 0, setgid(65_534) != 0 || setuid(65_534) != 0 { throw Problem("cannot become another user") }
    // A reader without write access cannot complete the files that a writer is just creating beside the log. It tries
    // again a moment later.
    func patiently<T>(_ body: () throws -> T) throws -> T {
      for _ in 0..<1_000 {
        do { return try body() } catch is EventStoreError { Thread.sleep(forTimeInterval: 0.002) }
      }
      return try body()
    }
    let store = try patiently { try SQLiteEventStore(readingFrom: path) }
    say("\(try patiently { try store.head() })")
    for _ in 0..<5_000 {
      if try patiently({ try store.head() }).rawValue >= end { break }
      Thread.sleep(forTimeInterval: 0.002)
    }
    say("\(try patiently { try store.head() }) \(try patiently { try store.verify() }.isSound)")
  }

  struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  /// Prints with one write, so that the lines of several threads do not mix.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  static func working(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let failure = Mutex<String?>(nil)
    onThreads(count) { lane in
      do { try body(lane) } catch { failure.withLock { $0 = "\(error)" } }
    }
    if let failure = failure.withLock({ $0 }) { throw Problem(failure) }
  }

  /// Appends one to four events over several streams, some of them large; each event contains their number.
  private static func append(_ path: String, threads: Int, count: Int) throws {
    let store = try SQLiteEventStore(path: path)
    say("open")
    try working(threads) { lane in
      for number in 0..<count {
        let (name, size) = (UUID().uuidString, Int.random(in: 1...4))
        let padding = String(repeating: "x", count: Int.random(in: 0...9) == 0 ? Int.random(in: 0...60_000) : 50)
        let entries = (1...size).map { part in
          Append.Entry(
            stream: StreamName("s\((number + part) % 5)"),
            event: NewEvent(
              type: "Part\(part)",
              payload: #"{"append":"\#(name)","part":\#(part),"of":\#(size),"text":"\#(padding)"}"#,
              tags: ["part:\(part)"], id: EventID(source: "child", id: "\(name)-\(part)")))
        }
        let commandID = number % 3 == 0 ? name : nil
        let receipt = try store.append(Append(entries, commandID: commandID))
        say("ack \(name) \(size) \(receipt.position) \(commandID == nil ? 0 : 1)")
      }
    }
  }

  /// Opens a log, appends three events, and closes it, many times.
  private static func opens(_ path: String, threads: Int, count: Int) throws {
    try working(threads) { lane in
      for number in 0..<count {
        let store = try SQLiteEventStore(path: path, durability: .process)
        for _ in 0..<3 { try store.append(Append([NewEvent(type: "T", payload: "\(number)")], to: "child-\(lane)")) }
        store.close()
      }
    }
  }

  /// Puts volumes on shelves and takes them away, three at a time, until it is killed, with pauses of microseconds.
  ///
  /// It prints the position of each append and the system's time when it was acknowledged.
  private static func shelve(_ path: String, threads: Int, pause: Int) throws {
    let store = try SQLiteEventStore(path: path, durability: .process)
    let coder = Mutex(try EventCoder<VolumeEvent>())
    say("open")
    try working(threads) { lane in
      for round in 0... {
        let events = try coder.withLock { coder in
          try (0..<3).map { number in
            let id = "v\(Int.random(in: 0..<60))"
            return try coder.encode(
              number == 2 ? .removed(id: id) : .put(Volume(id: id, shelf: Int.random(in: 0..<4), place: round)))
          }
        }
        let receipt = try store.append(Append(events, to: StreamName("volumes-\(lane)")))
        say("ack \(receipt.position) \(DispatchTime.now().uptimeNanoseconds)")
        if pause > 0 { usleep(UInt32(Int.random(in: pause / 2...pause))) }
      }
    }
  }

  /// Shows a list that stops at its first event, and says nothing of it itself.
  private static func stop(_ path: String) throws {
    let store = try SQLiteEventStore(path: path)
    try store.append(Append([NewEvent(type: "VolumeLost", payload: #"{"name":"SECRET"}"#)], to: "volumes"))
    let list = FetchedResultsController(store: store, projection: Volumes())
    for _ in 0..<3 {
      do { try list.performFetch() } catch is ProjectionError {}
    }
  }

  /// Shows lists while nothing happens, and prints the time of the processor that this takes in microseconds, and how
  /// often a thread of the process was woken.
  private static func idle(_ path: String, controllers: Int, milliseconds: Int) throws {
    let store = try SQLiteEventStore(path: path, durability: .process)
    let done = DispatchSemaphore(value: 0)
    let screens = Screens()
    let failure = Mutex<String?>(nil)
    Task {
      do { try await screens.show(store, count: controllers) } catch { failure.withLock { $0 = "\(error)" } }
      done.signal()
    }
    done.wait()
    if let failure = failure.withLock({ $0 }) { throw Problem(failure) }
    // What the first fetch and the beginning of the watch cost is not counted.
    Thread.sleep(forTimeInterval: 1)
    func used() -> (time: Int, wakes: Int) {
      var usage = rusage()
      // This process; the name of the number has another type on each system.
      getrusage(0, &usage)
      let time = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
      return (
        Int(time) * 1_000_000 + Int(usage.ru_utime.tv_usec) + Int(usage.ru_stime.tv_usec), Int(usage.ru_nvcsw)
      )
    }
    let before = used()
    Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
    let after = used()
    say("idle \(after.time - before.time) \(after.wakes - before.wakes)")
    withExtendedLifetime(screens) {}
  }

  /// Commits with pauses while commits of other processes are announced, and prints how often a thread was woken.
  private static func wakes(_ path: String, commits: Int) throws {
    let store = try SQLiteEventStore(path: path, durability: .process)
    let token = store.externalWriters?.announce()
    func commit() throws { try store.append(Append([NewEvent(type: "E", payload: nil)], to: "s")) }
    // The checks of the start end, and the first commit proves that the system reports writes.
    for _ in 0..<2 {
      Thread.sleep(forTimeInterval: 1)
      try commit()
    }
    func used() -> Int {
      var usage = rusage()
      // This process. The name of the number has another type on each system.
      getrusage(0, &usage)
      return Int(usage.ru_nvcsw)
    }
    let before = used()
    for _ in 0..<commits {
      try commit()
      Thread.sleep(forTimeInterval: 0.02)
    }
    say("wakes \(used() - before)")
    withExtendedLifetime(token) {}
  }

  /// Takes free seats, and counts in a stream by its version.
  private static func seats(_ path: String, threads: Int, count: Int) throws {
    let store = try SQLiteEventStore(path: path)
    let conflicts = Mutex(0)
    try working(threads) { lane in
      for _ in 0..<count {
        let seat = Int.random(in: 0..<60)
        let query = EventQuery([.init(types: ["Taken"], tags: [EventTag("seat:\(seat)")])])
        let head = try store.head()
        if try store.events(query, after: 0, through: nil, limit: 1).isEmpty {
          do {
            let event = NewEvent(type: "Taken", payload: "{\"seat\":\(seat)}", tags: [EventTag("seat:\(seat)")])
            let receipt = try store.append(
              Append([.init(stream: "hall", event: event)], conditions: [.init(noneMatching: query, after: head)]))
            say("taken \(seat) \(receipt.position)")
          } catch let error as EventStoreError where error.isConflict {
            conflicts.withLock { $0 += 1 }
          }
        }
        while true {
          let version = try store.version(of: "count")
          do {
            let event = NewEvent(type: "Counted", payload: "\(version + 1)")
            let receipt = try store.append(Append([event], to: "count", expecting: .exact(version)))
            say("counted \(version + 1) \(receipt.position)")
            break
          } catch let error as EventStoreError where error.isConflict {
            conflicts.withLock { $0 += 1 }
          }
        }
      }
    }
    say("conflicts \(conflicts.withLock { $0 })")
  }

  /// Appends, saves its list, begins again with the saved list, and compares it with the list of all events.
  private static func lists(_ path: String, count: Int) throws {
    let store = try SQLiteEventStore(path: path, durability: .process)
    let coder = try EventCoder<VolumeEvent>()
    for round in 0..<count {
      let list = try volumes(store, cacheName: "volumes")
      guard try list.results == volumes(store, cacheName: nil, at: list.results.position) else {
        throw Problem("the list is wrong; it was saved at \(list.cacheReport.saved.map { "\($0)" } ?? "no position")")
      }
      say("right \(list.cacheReport.restored?.rawValue ?? 0)")
      for step in 0..<3 {
        let events = try (0..<5).map { number in
          let id = Int.random(in: 0..<500)
          return try coder.encode(
            number == 4 ? .removed(id: "v\(id)") : .put(Volume(id: "v\(id)", shelf: step, place: round)))
        }
        try store.append(Append(events, to: "volumes"))
        list.refresh()
        try list.saveCache()
      }
    }
  }

  /// Appends with a list that is saved in every append, and first prints what it finds.
  private static func inline(_ path: String, threads: Int, count: Int) throws {
    let store = try SQLiteEventStore(path: path, durability: .process)
    let head = try store.head()
    let found = try volumes(store, cacheName: "kept")
    guard found.cacheReport.restored == (head == 0 ? nil : head) else {
      throw Problem("the log ends at \(head), the kept list at \(found.cacheReport)")
    }
    guard try found.results == volumes(store, cacheName: nil, at: head) else { throw Problem("the list is wrong") }
    say("right \(head)")
    let list = try store.keepList(of: Volumes(), request: request, cacheName: "kept")
    let coder = Mutex(try EventCoder<VolumeEvent>())
    try working(threads) { lane in
      for round in 0..<count {
        let events = try coder.withLock { coder in
          try (0..<Int.random(in: 1...9)).map { number in
            let id = Int.random(in: 0..<500)
            return try coder.encode(
              number == 4 ? .removed(id: "v\(id)") : .put(Volume(id: "v\(id)", shelf: lane, place: round)))
          }
        }
        let receipt = try store.append(Append(events, to: "volumes"))
        guard list.results.position >= receipt.position else {
          throw Problem("appended \(receipt.position), the list is at \(list.results.position)")
        }
      }
    }
    if let failure = list.failure { throw failure }
  }

  private static let request = ListRequest<Volume>(sort: [.ascending(\.place)], section: .by(\.shelf))

  /// Appends values of four subjects, saves a list of them, and sometimes erases a subject.
  private static func erasures(_ path: String, count: Int) throws {
    let store = try SQLiteEventStore(path: path, durability: .process)
    let coder = try EventCoder<GuestEvent>()
    let list = FetchedResultsController(
      store: store, projection: Guests(), request: ListRequest(), cacheName: "guests")
    try list.performFetch()
    say("open")
    for _ in 0..<count {
      let events = (0..<4).map { number in
        let text = "SECRET" + String(repeating: "-SECRET", count: Int.random(in: 0...9) == 0 ? 1_500 : 3)
        return GuestEvent.came(Guest(id: UUID().uuidString, name: Personal(text, of: "s\(number)")))
      }
      try store.append(Append(events.map { try coder.encode($0) }, to: "guests"))
      list.refresh()
      try list.saveCache()
      let subject = "s\(Int.random(in: 0..<4))"
      let receipt = try store.erase(subject: subject)
      list.refresh()
      say("erased \(receipt.fields)")
    }
  }

  /// Appends, sets values again, and sometimes compacts the log.
  ///
  /// Each thread prints what was acknowledged: its own volume is at the last printed position.
  private static func compactions(_ path: String, threads: Int, count: Int) throws {
    let store = try SQLiteEventStore(path: path, durability: .process)
    let name = UUID().uuidString
    say("open")
    try working(threads) { lane in
      let coder = try EventCoder<VolumeEvent>()
      for round in 1...count {
        let other = "v\(Int.random(in: 0..<50))"
        let events: [VolumeEvent] = [
          .put(Volume(id: "\(name)-\(lane)", shelf: lane, place: round)),
          round % 5 == 0 ? .removed(id: other) : .put(Volume(id: other, shelf: lane, place: round)),
        ]
        try store.append(
          Append(
            try events.map { .init(stream: StreamName("volumes-\(lane % 2)"), event: try coder.encode($0)) },
            commandID: "\(name)-\(lane)-\(round)"))
        say("put \(name)-\(lane) \(round)")
        if round % 7 == lane % 7 {
          let receipt = try store.compact(volumesCompaction)
          say("compacted \(receipt.cut)")
        }
      }
    }
  }

  /// Creates streams of three events, and removes them.
  ///
  /// Each thread prints what was acknowledged for its own stream.
  private static func removals(_ path: String, threads: Int, count: Int) throws {
    let store = try SQLiteEventStore(path: path, durability: .process)
    let name = UUID().uuidString
    say("open")
    try working(threads) { lane in
      let coder = try EventCoder<VolumeEvent>()
      let stream = StreamName("volumes-\(name)-\(lane)")
      for round in 1...count {
        let events = (0..<3).map { VolumeEvent.put(Volume(id: "\(name)-\(lane)", shelf: $0, place: round)) }
        try store.append(
          Append(
            try events.map { .init(stream: stream, event: try coder.encode($0)) },
            expectations: [stream: .doesNotExist], commandID: "\(name)-\(lane)"))
        say("created \(stream)")
        var removal = Compaction()
        removal.removeStream(stream, expecting: .exact(3), allowing: ["Volumes"])
        removal.prove(Volumes(), request: request)
        let receipt = try store.compact(removal)
        say("removed \(stream) \(receipt.cut)")
      }
    }
  }

  private static var volumesCompaction: Compaction {
    var compaction = Compaction()
    compaction.rewrite(VolumeEvent.self) { _, events in
      var last: [String: Compaction.Candidate<VolumeEvent>] = [:]
      for event in events {
        switch event.event {
        case .put(let volume): last[volume.id] = event
        // Another stream may have put it.
        case .removed(let id): last[id] = event
        }
      }
      return last.values.sorted { $0.recorded.position < $1.recorded.position }
    }
    compaction.prove(Volumes(), request: request)
    return compaction
  }

  private static func volumes(_ store: SQLiteEventStore, cacheName: String?) throws -> FetchedResultsController<Volume>
  {
    let list = FetchedResultsController(
      store: store, projection: Volumes(), request: request, cacheName: cacheName)
    try list.performFetch()
    return list
  }

  /// The list of all events up to a position.
  private static func volumes(
    _ store: SQLiteEventStore, cacheName: String?, at position: Position
  ) throws -> Results<Volume> {
    let list = try volumes(store, cacheName: cacheName)
    try list.seek(to: position)
    return list.results
  }

  /// Prints the position of each event as it comes.
  private static func follow(_ path: String, until last: Int) throws {
    let store = try SQLiteEventStore(path: path)
    var cursor = EventCursor(store, .all, after: 0, batchSize: 50)
    let waiter = CommitWaiter(store)
    while true {
      guard let page = try cursor.next() else {
        waiter.wait(.seconds(1))
        continue
      }
      for event in page.events {
        say("saw \(event.position)")
        if event.type == "End" { return }
      }
    }
  }
}

/// Controllers of an actor.
private actor Screens {
  private var controllers: [FetchedResultsController<Volume>] = []

  func show(_ store: SQLiteEventStore, count: Int) throws {
    for _ in 0..<count {
      let controller = FetchedResultsController(store: store, projection: Volumes())
      try controller.performFetch()
      controllers.append(controller)
    }
  }
}

private enum VolumeEvent: Event {
  case put(Volume)
  case removed(id: String)
}

private struct Volume: Row {
  let id: String
  let shelf: Int
  let place: Int
}

private struct Volumes: Projection {
  // The works put a volume several times, and remove volumes that aren't there.
  static let toleratedEvents: Set = ["VolumePut", "VolumeRemoved"]

  func project(_ event: VolumeEvent, into rows: inout Rows<Volume>) {
    switch event {
    case .put(let volume): rows.insert(volume)
    case .removed(let id): rows[id] = nil
    }
  }
}

private struct Guest: Row {
  let id: String
  let name: Personal<String>
}

private enum GuestEvent: Event {
  case came(Guest)
}

private struct Guests: Projection {
  func project(_ event: GuestEvent, into rows: inout Rows<Guest>) {
    if case .came(let guest) = event { rows.insert(guest) }
  }
}

/// Counts amounts, for drafts.
private struct ChildTill: Decider {
  enum ChildEvent: Annals.Event {
    case counted(Int)

    static var typePrefix: String { "ChildTill" }
  }

  typealias Event = ChildEvent

  func decide(_ amount: Int) -> [ChildEvent] { [.counted(amount)] }
  mutating func evolve(_ event: ChildEvent) {}
}
