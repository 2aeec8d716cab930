import AnnalsLog
import Foundation

/// A place in a log, as an operand or an option names it.
enum Place: Equatable {
  /// A position.
  case position(Int)
  /// A number of events before the end.
  case fromEnd(Int)
  /// The last event up to a time.
  case time(Date)
  /// The events of the transaction with a label.
  case transaction(String)
  /// An event, by its id.
  case event(String)
  /// The events of a command.
  case command(String)

  /// The forms of a place, for help and errors.
  static let forms =
    "a position (120), -N from the end, first, last, a time (\(TimeWords.forms)), tx:LABEL, id:EVENT or cmd:COMMAND"

  /// Reads a place.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - now: The moment that relative times count from.
  ///   - zone: The zone of times without an offset.
  ///   - name: The operand or the option, for the error.
  ///   - isBeginning: True if the place begins a range, where a day means its first moment and not its last.
  /// - Throws: ``ReplayError``, if the text has none of the forms.
  init(_ text: String, now: Date, zone: TimeZone, of name: String, isBeginning: Bool = false) throws {
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
    } else if let time = TimeWords(now: now, zone: zone, isBeginning: isBeginning).date(of: word) {
      // A range includes the events of its first moment.
      self = .time(isBeginning ? time.addingTimeInterval(-0.000_001) : time)
    } else if let sentence = TimeWords.missingDay(in: text) {
      throw ReplayError.usage("\(name): \(sentence)")
    } else {
      throw ReplayError.usage("\(name): expected \(Place.forms), found \"\(text)\"")
    }
  }
}

/// A range of places in the form A..B.
///
/// Without A the range begins with the first event, and without B it ends with the last. A place alone is a range from
/// that place to the end.
struct PlaceRange: Equatable {
  var from: String?
  var to: String?
  /// True if the text was a place without "..".
  var isSingle = false
  /// The name of the first place in messages.
  var nameOfFrom: String { isSingle ? "PLACE" : "A" }

  /// The forms of a range, for help and errors.
  static let forms = "PLACE or A..B, where a place is \(Place.forms)"

  /// Splits a text at its dots, or returns nil if the text is neither a place nor a range.
  ///
  /// - Parameters:
  ///   - text: The text, for example `10..20`.
  ///   - isPlace: A closure that returns whether a text has the form of a place.
  init?(_ text: String, isPlace: (String) -> Bool) {
    if let dots = text.firstRange(of: "..") {
      let (from, to) = (String(text[..<dots.lowerBound]), String(text[dots.upperBound...]))
      guard from.isEmpty || isPlace(from), to.isEmpty || isPlace(to) else { return nil }
      (self.from, self.to) = (from.isEmpty ? nil : from, to.isEmpty ? nil : to)
    } else {
      guard isPlace(text) else { return nil }
      (from, isSingle) = (text, true)
    }
  }
}
