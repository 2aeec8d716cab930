import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

extension Subcommand {
  static let timeline = Subcommand(
    name: "timeline", operands: ["LOG"], rest: "[A..B] [CHOICE]",
    summary: "Write a page that shows the list through time, in a browser.",
    details: [
      "The page is a single file that needs no network. With --where or --limit, it",
      "contains neither the other rows nor any payloads.",
      "With a CHOICE of events, only the batches with such an event are steps. The",
      "changes of the other batches are in the list at the next step, and not marked.",
    ],
    options: [
      Option("--output", short: "-o", "FILE", "The file to write, by default LOG.html, or - to print the page."),
      Option("--yes", "Replace FILE if it is there."),
      Option(
        "--batch", "KIND", "transaction, event or a number; by default the smallest that fits."),
      redact,
    ]
      + list.map { option in
        option.name == "--list"
          ? Option("--list", "NAME", repeats: true, "A list to show, by default all lists.")
          : option
      },
    examples: [
      "annals timeline shop.annals -o shop.html --section-by shelf --sort price",
      "annals timeline shop.annals today.. -o today.html --redact email,name",
    ],
    output: .init(.object, "The page that was written.", [writtenForm.schema]),
    run: { try $0.runTimeline() })
}

extension Session {
  fileprivate func runTimeline() throws -> ReplayError.Status {
    let path = arguments.operands[0]
    let name = arguments.value("--output") ?? path + ".html"
    let file = name == "-" ? nil : try PageFile(name, replaces: arguments.has("--yes"), log: path)
    let limit = console.largestPage
    // Without a wish, batches are as small as the page's size allows.
    let wish = try arguments.value("--batch").map(Batching.init)
    let log = try LogExtent(openStore())
    let (range, choice) = try rangeAndChoice()
    let (from, to) = try states(of: range, in: log)
    if from > to { throw ReplayError.usage("A..B: \(from) is after \(to)") }

    let mask = try redaction(isForPage: true)
    let supposed = try supposition(log)
    let store = masked(supposed?.store ?? log.store, mask)
    let options = try listOptions()
    let isFiltered = !options.conditions.isEmpty || options.limit != nil
    let filter = try choice.isEmpty ? nil : EventFilter(choice, self, log)
    let hasPayloads = !isFiltered && !mask.isWithoutPayloads
    let commands = CommandNames(log.store)
    let logName = URL(fileURLWithPath: path).lastPathComponent
    let title = logName + (supposed.map { " \($0.words)" } ?? "")
    let progress = Progress(console)
    defer { progress.end() }

    func make(
      _ batching: Batching, mostNames: Int, eventSize: Int?
    ) throws -> (page: String, data: TimelineData, readers: [(any ListReader, any ListSource)]) {
      var data = TimelineData(
        mask, commands, isFiltered: isFiltered, isChosen: filter != nil, hasPayloads: hasPayloads, limit: limit)
      var readers: [(any ListReader, any ListSource)] = []
      for (source, options) in try timelineSources(options, in: log, through: to) {
        // Each list has events of its own that it cannot fold.
        var options = options
        options.supposition = try supposition(log)
        let reader = try source.open(store, options, through: to)
        let list = PageList(reader, mask, section: options.section, mostNames: mostNames)
        let renames = SectionRenames(source, store)
        try saying(through: from.rawValue) { try reader.move(to: from) }
        list.begin(reader.list)
        var last = from
        try batching.forEachBatch(self, log, after: from, through: to) { end, events in
          defer { last = end }
          progress.step(end.rawValue, of: to.rawValue, "events", doing: list.name)
          if let filter {
            let chosen = try filter.positions(after: last, through: end, events, in: log)
            if chosen.isEmpty { return }
            list.choose(chosen)
            // What the batches between changed, which aren't steps.
            list.pass(try reader.go(to: last))
          }
          let found = try reader.go(to: end)
          if found.isEmpty { return }
          let batch = try reader.attribute(found)
          list.add(batch, alsoBy: try renames.positions(in: batch, of: list.name))
          let share = Double(end.rawValue - from.rawValue) / Double(to.rawValue - from.rawValue)
          try data.checkSize(with: list, share: share, eventSize: eventSize)
        }
        try data.add(list)
        readers.append((reader, source))
      }
      try forEachEvent(of: store, after: from, through: to) { try data.take($0) }
      describe(&data, path, from, to, log)
      data.add("title", text: title)
      data.add("view", "[\(view(options, mask).map(PageJSON.quoted).joined(separator: ","))]")
      if case .events(let size) = batching, mostNames < .max { data.add("batch", "\(size)") }
      let page = TimelinePage.html(title: title, tool: "\(tool) \(version)", data: data.json)
      if page.utf8.count > limit { try data.checkSize(more: limit) }
      return (page, data, readers)
    }

    func eventSize() throws -> Int {
      var sample = PageEvents(mask, commands, hasPayloads: hasPayloads)
      let end = min(to.rawValue, from.rawValue + 200)
      try forEachEvent(of: store, after: from, through: Position(end)) { try sample.add($0) }
      return sample.size / max(1, sample.count)
    }

    var tries = [(wish ?? .transaction, Int.max)]
    if wish == nil {
      // Larger batches name only some of their events, because the payloads of all could be too large.
      let sizes = [100, 1_000, 10_000, 100_000].filter { $0 * 4 <= to.rawValue - from.rawValue }
      tries += sizes.map { (.events($0), 20) }
    }
    while true {
      let (batching, mostNames) = tries.removeFirst()
      do {
        let size = try tries.isEmpty ? nil : eventSize()
        let (page, data, readers) = try make(batching, mostNames: mostNames, eventSize: size)
        for (reader, source) in readers {
          try checkFields(reader, in: log)
          try tellOfSupposition(reader, in: log, through: to)
          try tellOfStrangers(source, in: log, through: to)
        }
        var leaks = try leaks(of: mask, in: log.store, after: 0, through: to, isForPage: true)
        leaks.search(page: data.json)
        progress.end()
        for sentence in leaks.sentences { say(Text.safe(sentence)) }
        if case .events(let size) = batching, wish == nil {
          say(
            "a batch has \(Text.counted(size, "event")), so that the page has at most \(PageSize.text(limit)); choose "
              + "another size with --batch")
        }
        guard let file else {
          try printData(String(page.dropLast()))
          return .done
        }
        try file.write(page)
        tellOfPage(name, page, data)
        return .done
      } catch let error as TimelineData.TooLarge {
        if tries.isEmpty { throw error.refusal }
      }
    }
  }

  private func masked(_ store: any EventStore, _ mask: Redaction) -> any EventStore {
    mask.ofPersonalValues.map { AlteredStore(store, without: $0) } ?? store
  }

  private func describe(_ data: inout TimelineData, _ path: String, _ from: Position, _ to: Position, _ log: LogExtent)
  {
    data.add("log", text: URL(fileURLWithPath: path).lastPathComponent)
    data.add("tool", text: "\(tool) \(version)")
    data.add("made", "\(Int64((console.now().timeIntervalSince1970 * 1_000_000).rounded()))")
    data.add("from", "\(from)")
    data.add("to", "\(to)")
    data.add("horizon", "\(log.compacted.horizon)")
  }

  /// The options of order and sections, for the command that the page copies, if they name no hidden field.
  private func view(_ options: ListOptions, _ mask: Redaction) -> [String] {
    if options.orderFields.contains(where: { mask.hides($0) }) { return [] }
    return ["--section-by", "--sort"].compactMap { name in arguments.value(name).map { "\(name)=\($0)" } }
  }

  private func tellOfPage(_ name: String, _ page: String, _ data: TimelineData) {
    let bytes = page.utf8.count
    if isData {
      try? print((name, bytes, data.batchCount, data.eventCount), as: writtenForm)
    } else {
      say(
        Text.safe(
          "\(name): \(Text.counted(data.batchCount, "batch", "batches")) by "
            + "\(Text.counted(data.eventCount, "event")), \(PageSize.text(bytes))"))
    }
  }

  /// The lists of the page: those that are named, otherwise all that fold events of the log; each collection of records
  /// is one.
  private func timelineSources(
    _ options: ListOptions, in log: LogExtent, through end: Position
  ) throws -> [(any ListSource, ListOptions)] {
    var named: [(source: any ListSource, options: ListOptions)] = []
    for name in arguments.all("--list") {
      var options = options
      options.list = name
      if let source = try source(options, in: log) { named.append((source, options)) }
    }
    if named.isEmpty {
      named = try catalog.lists(forTypes: log.types()).map { ($0, options) }
      if named.isEmpty, let only = try source(options, in: log) { named = [(only, options)] }
    }
    return try named.flatMap { source, options in
      let isCollection = options.list.map { ExactString($0) != ExactString(source.name) } ?? false
      if isCollection || !(source is RecordSource) { return [(source, options)] }
      let collections = try RecordSource.collections(in: log.store, through: end)
      if collections.count < 2 { return [(source, options)] }
      return collections.map { collection in
        var options = options
        options.list = collection
        return (source, options)
      }
    }
  }
}

private let writtenForm = JSONForm<(file: String, bytes: Int, batches: Int, events: Int)>([
  "file": .of { $0.file }, "bytes": .of { $0.bytes }, "batches": .of { $0.batches }, "events": .of { $0.events },
])

/// Finds the events of a batch that gave sections new titles, which set no row.
private struct SectionRenames {
  private let store: any EventStore
  private let isOfRecords: Bool

  init(_ source: any ListSource, _ store: any EventStore) {
    self.store = store
    isOfRecords = source is RecordSource
  }

  func positions(in batch: ListBatch, of collection: String) throws -> [Position] {
    let keys = Set(batch.sections.compactMap { if case .update(_, _, let key, _) = $0 { key } else { nil } })
    if keys.isEmpty { return [] }
    // A batch of one event has no other that could have done it.
    if batch.events.count == 1, batch.eventCount == 1 { return batch.events.map(\.position) }
    guard isOfRecords else { return [] }
    var found: [Position] = []
    let query = EventQuery([.init(types: ["SectionRenamed"])])
    try store.forEachEvent(query, after: batch.from, through: batch.to) { event in
      let read = try? RecordEvent.read(type: event.type, payload: event.payload)
      guard let read, ExactString(read.collection) == ExactString(collection) else { return }
      if case .sectionRenamed(let section, _) = read.event, keys.contains(section.sectionKey) {
        found.append(event.position)
      }
    }
    return found
  }
}
