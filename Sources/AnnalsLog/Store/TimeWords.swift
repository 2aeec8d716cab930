package import Foundation

/// A parser for times in words.
///
/// A day or a month without a time means its last microsecond. At the beginning of a range, it means its first moment.
package struct TimeWords {
  /// The forms that the parser reads, for an error message.
  package static let forms =
    "2026-11-01, 2026-11-01 10:00, 1 march, march 2026, 10:00, today, last friday, friday 18:00, last week, "
    + "2 days ago, 90m"

  private let now: Date
  private let calendar: Calendar
  private let isBeginning: Bool

  /// - Parameters:
  ///   - now: The time from which relative times are counted.
  ///   - zone: The time zone of times that contain no offset.
  ///   - isBeginning: True if the time begins a range.
  package init(now: Date, zone: TimeZone, isBeginning: Bool = false) {
    self.now = now
    self.isBeginning = isBeginning
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    calendar.locale = Locale(identifier: "en_US_POSIX")
    // A week begins on Monday, as in ISO 8601.
    calendar.firstWeekday = 2
    self.calendar = calendar
  }

  /// Returns the time that a string names, or `nil` if the string has none of the known forms.
  package func date(of text: String) -> Date? {
    let words = text.lowercased()
    if words == "now" { return now }
    if let exact = RFC3339.microseconds(of: text.uppercased()) { return Date(microseconds: exact) }
    return ago(words) ?? dayAndTime(words) ?? local(words) ?? month(words) ?? period(words)
  }

  /// Returns a sentence about a day that the calendar does not have, or `nil` if the string has another form.
  package static func missingDay(in text: String) -> String? {
    let parts = text.prefix(10).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.map(\.count) == [4, 2, 2], let year = Int(parts[0]), let month = Int(parts[1]),
      let day = Int(parts[2]), (1...12).contains(month),
      !DateComponents(calendar: Calendar(identifier: .gregorian), year: year, month: month, day: day).isValidDate
    else { return nil }
    return "there is no \(day) \(months[month - 1].capitalized) \(parts[0])"
  }

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
  ]

  /// `march 2026`, `mar`, `1 march`, `march 1 2026 10:00`.
  private func month(_ text: String) -> Date? {
    var words = text.split(separator: " ").map(String.init)
    let names = Self.months
    guard
      let place = words.prefix(2).firstIndex(where: { word in names.contains { $0 == word || $0.prefix(3) == word } }),
      let index = names.firstIndex(where: { $0.prefix(3) == words[place].prefix(3) })
    else { return nil }
    words.remove(at: place)
    var day: Int?
    if let word = words.first, word.count < 3, let number = Int(word) {
      day = number
      words.removeFirst()
    } else if place > 0 {
      return nil
    }
    let now = calendar.dateComponents([.year, .month, .day], from: now)
    guard var year = now.year, let thisMonth = now.month, let today = now.day else { return nil }
    if let word = words.first, word.count == 4, let given = Int(word) {
      year = given
      words.removeFirst()
    } else if (index + 1, day ?? 1) > (thisMonth, today) {
      // Without a year it is the last such day or month.
      year -= 1
    }
    var components = DateComponents(year: year, month: index + 1, day: day ?? 1)
    components.calendar = calendar
    guard components.isValidDate(in: calendar), let start = calendar.date(from: components) else { return nil }
    if let word = words.first {
      guard day != nil, words.count == 1 else { return nil }
      return clock(word).flatMap { moment($0, on: start) }
    }
    return end(of: day == nil ? .month : .day, from: start)
  }

  /// `last week`, `this month`.
  private func period(_ text: String) -> Date? {
    let words = text.split(separator: " ")
    let parts: [Substring: Calendar.Component] = ["week": .weekOfYear, "month": .month, "year": .year]
    guard words.count == 2, words[0] == "this" || words[0] == "last", let part = parts[words[1]],
      let moment = words[0] == "this" ? now : calendar.date(byAdding: part, value: -1, to: now),
      let interval = calendar.dateInterval(of: part, for: moment)
    else { return nil }
    return end(of: part, from: interval.start)
  }

  /// `2 days ago`, `90m`, `1h 30m ago`.
  private func ago(_ text: String) -> Date? {
    var words = text.split(separator: " ").map(String.init)
    if words.last == "ago" { words.removeLast() }
    if words.isEmpty { return nil }
    var moment = now
    var index = 0
    while index < words.count {
      let digits = words[index].prefix { $0.isASCII && $0.isNumber }
      guard let count = Int(digits), count <= 100_000_000 else { return nil }
      var unit = String(words[index].dropFirst(digits.count))
      if unit.isEmpty {
        index += 1
        guard index < words.count else { return nil }
        unit = words[index]
      }
      index += 1
      let component: Calendar.Component
      switch unit {
      case "s", "sec", "secs", "second", "seconds": component = .second
      case "m", "min", "mins", "minute", "minutes": component = .minute
      case "h", "hour", "hours": component = .hour
      case "d", "day", "days": component = .day
      case "w", "week", "weeks": component = .weekOfYear
      case "month", "months": component = .month
      case "y", "year", "years": component = .year
      default: return nil
      }
      guard let earlier = calendar.date(byAdding: component, value: -count, to: moment) else { return nil }
      moment = earlier
    }
    return moment
  }

  /// `today`, `yesterday 15:00`, `monday`, `10:00`.
  private func dayAndTime(_ text: String) -> Date? {
    var words = text.split(separator: " ").map(String.init)
    let isLast = words.first == "last" && words.count > 1
    if isLast { words.removeFirst() }
    guard let first = words.first, words.count <= 2 else { return nil }
    let today = calendar.startOfDay(for: now)
    let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    var day: Date?
    if first == "today", !isLast { day = today }
    if first == "yesterday", !isLast { day = calendar.date(byAdding: .day, value: -1, to: today) }
    if let number = days.firstIndex(of: first) {
      // The last such day before today.
      let back = (calendar.component(.weekday, from: today) - 1 - number + 6) % 7 + 1
      day = calendar.date(byAdding: .day, value: -back, to: today)
    }
    if let day {
      guard words.count == 2 else { return end(ofDay: day) }
      return clock(words[1]).flatMap { moment($0, on: day) }
    }
    guard !isLast, words.count == 1, let time = clock(first) else { return nil }
    return moment(time, on: today)
  }

  /// `2026-11-01`, `2026-11`, `2026-11-01 10:00`, `2026-11-01T10:00:30.5`.
  private func local(_ text: String) -> Date? {
    let parts = text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "t" || $0 == " " }).map(
      String.init)
    guard let first = parts.first, parts.count <= 2 else { return nil }
    let numbers = first.split(separator: "-", omittingEmptySubsequences: false)
    guard (2...3).contains(numbers.count), numbers[0].count == 4,
      numbers.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } })
    else { return nil }
    let values = numbers.compactMap { Int($0) }
    var components = DateComponents(year: values[0], month: values[1], day: values.count == 3 ? values[2] : 1)
    components.calendar = calendar
    guard components.isValidDate(in: calendar), let day = calendar.date(from: components) else { return nil }
    if parts.count == 2 {
      guard values.count == 3 else { return nil }
      return clock(parts[1]).flatMap { moment($0, on: day) }
    }
    if values.count == 3 { return end(ofDay: day) }
    return end(of: .month, from: day)
  }

  private func end(ofDay day: Date) -> Date? { end(of: .day, from: day) }

  private func end(of part: Calendar.Component, from start: Date) -> Date? {
    isBeginning ? start : calendar.date(byAdding: part, value: 1, to: start)?.addingTimeInterval(-0.000_001)
  }

  /// Hours, minutes and seconds of a time such as `10:00` or `10:00:30.5`, in microseconds of the last part.
  private func clock(_ text: String) -> (hour: Int, minute: Int, seconds: Double)? {
    if text == "noon" || text == "midnight" { return (text == "noon" ? 12 : 0, 0, 0) }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.allSatisfy({ $0.first?.isNumber ?? false }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
    else { return nil }
    guard parts.count == 3 else { return (hour, minute, 0) }
    guard parts[2].allSatisfy({ $0 == "." || $0.isASCII && $0.isNumber }), let seconds = Double(parts[2]), seconds < 60
    else { return nil }
    return (hour, minute, seconds)
  }

  private func moment(_ clock: (hour: Int, minute: Int, seconds: Double), on day: Date) -> Date? {
    calendar.date(bySettingHour: clock.hour, minute: clock.minute, second: 0, of: day)?
      .addingTimeInterval(clock.seconds)
  }
}
