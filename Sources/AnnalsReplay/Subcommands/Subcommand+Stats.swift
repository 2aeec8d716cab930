import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

extension Subcommand {
  static let stats = Subcommand(
    name: "stats", operands: ["LOG"], summary: "Print counts, sizes and rates, by type and stream.",
    details: [
      "--format csv, and each other format but text and json, prints the counts by type and stream as one table.",
      "LOG may be the URL of a log in a server: all of its events are read and counted.",
    ],
    options: [Option("--streams", "N", "Name the N streams with the most events; by default 20.")] + formats,
    examples: [
      "annals stats shop.annals", "annals stats shop.annals --json --streams 1000",
      "annals stats shop.annals --format csv --fields name,events",
    ],
    run: { try $0.runStats() })
}

extension Session {
  fileprivate func runStats() throws -> ReplayError.Status {
    let limit = try arguments.number("--streams") ?? 20
    let statistics: LogCounts
    if let far = try farLog() {
      let progress = Progress(console)
      defer { progress.end() }
      statistics = try LogCounts(of: far, streamLimit: limit) { progress.step($0, of: $1, "events") }
    } else {
      statistics = LogCounts(try openLog().statistics(streamLimit: limit))
    }
    switch format {
    case .text:
      for line in text(statistics) {
        for part in console.columns.map({ Text.wrapped(line, to: $0, hanging: "  ") }) ?? [line] { try print(part) }
      }
      for (title, parts) in [("type", statistics.types), ("stream", statistics.largestStreams)] where !parts.isEmpty {
        try print("")
        let columns = [
          TableColumn("events", .right), TableColumn("payloadBytes", title: "payload", .right),
          TableColumn("name", title: title),
        ]
        try table(columns) { table in
          for part in parts { try table.row(cells(part)) }
        }
      }
    case .json where chosenFields.isEmpty: try printJSON(json(statistics))
    default:
      let columns = [
        TableColumn("by"), TableColumn("events", .right), TableColumn("payloadBytes", title: "payload", .right),
        TableColumn("name"),
      ]
      try table(columns) { table in
        for part in statistics.types { try table.row([.text("type")] + cells(part)) }
        for part in statistics.largestStreams { try table.row([.text("stream")] + cells(part)) }
      }
    }
    return .done
  }

  private func json(_ statistics: LogCounts) -> String {
    func parts(_ parts: [LogCounts.Part]) -> String {
      parts.map {
        "{\"name\":\(JSONValue.quoted($0.name)),\"events\":\($0.events),\"payloadBytes\":\($0.payloadBytes)}"
      }.joined(separator: ",")
    }
    func time(_ date: Date?) -> String {
      date.map { JSONValue.quoted(RFC3339.text(microseconds: $0.microseconds)) } ?? "null"
    }
    func number(_ number: Int?) -> String { number.map { "\($0)" } ?? "null" }
    return "{\"format\":\(number(statistics.file?.format)),\"fileBytes\":\(number(statistics.file?.bytes)),"
      + "\"commitBytes\":\(number(statistics.file?.commitBytes)),\"events\":\(statistics.events),"
      + "\"transactions\":\(statistics.transactions),\"streams\":\(statistics.streams),"
      + "\"types\":\(statistics.types.count),\"sources\":\(statistics.sources),\"tags\":\(statistics.tags),"
      + "\"commands\":\(number(statistics.file?.commands)),\"payloadBytes\":\(statistics.payloadBytes),"
      + "\"firstTime\":\(time(statistics.times?.lowerBound)),\"lastTime\":\(time(statistics.times?.upperBound)),"
      + "\"personalFields\":\(statistics.personalFields),\"subjects\":\(statistics.subjects),"
      + "\"erasures\":\(statistics.erasures),\"compactions\":\(statistics.compacted.count),"
      + "\"horizon\":\(statistics.compacted.horizon),\"remnants\":\(statistics.hasRemnants),"
      + "\"byType\":[\(parts(statistics.types))],\"byStream\":[\(parts(statistics.largestStreams))]}"
  }

  private func text(_ statistics: LogCounts) -> [String] {
    let (events, transactions) = (statistics.events, statistics.transactions)
    var lines = [
      statistics.file.map { file in
        "format \(file.format), \(Self.bytes(file.bytes)) and \(Self.bytes(file.commitBytes)) of commits beside it"
      } ?? "a log in a server, read up to position \(statistics.end)",
      "\(Text.counted(events, "event")) in \(Text.counted(transactions, "transaction"))"
        + (transactions > 0 ? ", \(Self.ratio(Double(events) / Double(transactions))) each" : ""),
      [
        Text.counted(statistics.streams, "stream"), Text.counted(statistics.types.count, "type"),
        Text.counted(statistics.sources, "source"), Text.counted(statistics.tags, "tag"),
        statistics.file.map { Text.counted($0.commands, "command") + " with an id" },
      ].compactMap { $0 }.joined(separator: ", "),
    ]
    if let times = statistics.times {
      let days = times.upperBound.timeIntervalSince(times.lowerBound) / 86_400
      lines += [
        "payloads of \(Self.bytes(statistics.payloadBytes)), "
          + "\(Self.bytes(statistics.payloadBytes / max(1, events))) an event",
        "from \(RFC3339.text(microseconds: times.lowerBound.microseconds)) to "
          + RFC3339.text(microseconds: times.upperBound.microseconds)
          // The rate of less than a day says nothing of a day.
          + (days >= 1 ? ", \(Self.ratio(Double(events) / days)) events a day" : ""),
      ]
    }
    if statistics.personalFields > 0 || statistics.erasures > 0 {
      lines.append(
        "\(Text.counted(statistics.personalFields, "personal value")) of "
          + "\(Text.counted(statistics.subjects, "subject")), \(Text.counted(statistics.erasures, "erasure"))"
          + (statistics.hasRemnants && statistics.erasures > 0
            ? "; bytes of what was erased may be left, erase the subject again" : ""))
    }
    if statistics.compacted.count > 0 {
      lines.append(
        "\(Text.counted(statistics.compacted.count, "compaction")), the history before position "
          + "\(statistics.compacted.horizon) cannot be shown"
          + (statistics.hasRemnants ? "; the file can be shorter, compact the log again" : ""))
    }
    return lines
  }

  private func cells(_ part: LogCounts.Part) -> [TableCell] {
    [
      .number(part.events), .shown(as: Self.bytes(part.payloadBytes), .number(part.payloadBytes)),
      .json(.string(part.name)),
    ]
  }

  /// A number of bytes in the unit that suits it.
  static func bytes(_ count: Int) -> String {
    var (value, unit) = (Double(count), 0)
    let units = ["bytes", "kB", "MB", "GB", "TB"]
    while value >= 1_000, unit < units.count - 1 { (value, unit) = (value / 1_000, unit + 1) }
    return unit == 0 ? Text.counted(count, "byte") : "\(ratio(value)) \(units[unit])"
  }

  /// A number with one decimal place.
  private static func ratio(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
