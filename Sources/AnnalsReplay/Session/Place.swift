import AnnalsLog
import Foundation

/// A place in a log, as an option names it.
enum Place: Equatable {
  /// A position.
  case position(Int)
  /// So many events before the end.
  case fromEnd(Int)
  /// What was known at a moment.
  case time(Date)
  /// The end of the transaction with a label.
  case transaction(String)
  /// An event, by its id.
  case event(String)
  /// The end of what a command appended.
  case command(String)

  /// What a place may be, as help and errors list it.
  static let forms =
    "a position (120), -N from the end, first, last, a time (2026-11-01T10:00, 10:00, 'yesterday 15:00', '2 days ago', "
    + "90m), tx:LABEL, id:EVENT or cmd:COMMAND"

  /// The options that name where something begins.
  private static let beginnings: Set = ["--since", "--before"]

  /// Reads a place.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - now: The moment that relative times count from.
  ///   - zone: The zone of times that say none.
  ///   - name: The option, for the error.
  /// - Throws: ``ReplayError``, if the text names none.
  init(_ text: String, now: Date, zone: TimeZone, of name: String) throws {
    let word = text
    func rest(_ prefix: String) -> String? {
      word.hasPrefix(prefix) && word.count > prefix.count ? String(word.dropFirst(prefix.count)) : nil
    }
    if let label = rest("tx:") {
      self = .transaction(label)
    } else if let id = rest("id:") {
      self = .event(id)
    } else if let id = rest("cmd:") {
      self = .command(id)
    } else if word == "first" {
      self = .position(1)
    } else if word == "last" {
      self = .fromEnd(0)
    } else if !word.isEmpty, word.allSatisfy({ $0.isASCII && $0.isNumber }) {
      guard let number = Int(word) else {
        throw ReplayError.usage("\(name): expected a whole number from 0 to \(Int.max), found \"\(text)\"")
      }
      self = .position(number)
    } else if word.hasPrefix("-"), let count = Arguments.wholeNumber(String(word.dropFirst())) {
      self = .fromEnd(count)
    } else if let time = TimeWords(now: now, zone: zone, isBeginning: Self.beginnings.contains(name)).date(of: word) {
      self = .time(time)
    } else {
      throw ReplayError.usage("\(name): expected \(Place.forms), found \"\(text)\"")
    }
  }
}
