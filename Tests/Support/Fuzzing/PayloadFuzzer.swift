// Gives random bytes to the payload coder and to Foundation's. `.ci/fuzz` compiles this file;
// the package's own build leaves it out.

import Foundation
@testable import Annals
@testable import AnnalsLog

/// A JSON value of any kind, as Codable reads it.
indirect enum AnyJSON: Codable, Equatable {
  case null
  case bool(Bool)
  case number(UInt64)
  case integer(Int)
  case string([UInt8])
  case array([AnyJSON])
  case object([Name: AnyJSON])

  /// A member's name, compared by its bytes.
  struct Name: CodingKey, Hashable {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }

    static func == (left: Name, right: Name) -> Bool { left.stringValue.utf8.elementsEqual(right.stringValue.utf8) }
    func hash(into hasher: inout Hasher) { hasher.combine(Array(stringValue.utf8)) }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(Array(value.utf8))
    } else if let members = try? decoder.container(keyedBy: Name.self) {
      var object: [Name: AnyJSON] = [:]
      for key in members.allKeys { object[key] = try members.decode(AnyJSON.self, forKey: key) }
      self = .object(object)
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [AnyJSON] = []
      while !elements.isAtEnd { array.append(try elements.decode(AnyJSON.self)) }
      self = .array(array)
    } else if let value = try? container.decode(Int.self), value != 0,
      let number = try? container.decode(Double.self), number.magnitude < 0x1p53
    {
      // Zero has a sign, which an integer loses. Foundation cuts 9007199254740991.5, which a Double rounds to 2^53.
      self = .integer(value)
    } else {
      self = .number(try container.decode(Double.self).bitPattern)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let bits): try container.encode(Double(bitPattern: bits))
    case .integer(let value): try container.encode(value)
    case .string(let bytes): try container.encode(String(decoding: bytes, as: UTF8.self))
    case .array(let values): try container.encode(values)
    case .object(let members):
      var container = encoder.container(keyedBy: Name.self)
      for (name, value) in members { try container.encode(value, forKey: name) }
    }
  }

  /// True if Foundation would confuse two names or two numbers.
  var isTakenOtherwise: Bool {
    switch self {
    case .array(let values): values.contains(where: \.isTakenOtherwise)
    case .object(let members):
      Set(members.keys.map(\.stringValue)).count < members.count || members.values.contains(where: \.isTakenOtherwise)
    default: false
    }
  }
}

// libFuzzer uses only one thread.
nonisolated(unsafe) private let coder = PayloadCoder()

/// Called by libFuzzer with bytes; ends the program if the coders differ.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  guard let text = String(validating: bytes, as: UTF8.self) else {
    // Bytes that are not UTF-8 are an error, unless they are in a part that is never read.
    _ = try? PayloadDecoder(coder.tape(of: UnsafeRawBufferPointer(bytes)), JSONTape.root).decode(AnyJSON.self)
    return 0
  }
  let data = Data(bytes)
  let ours = Result { try coder.decode(AnyJSON.self, from: text) }
  switch ours {
  case .success(let value):
    // Foundation refuses a text whose first bytes look like another encoding, and some zeros with an exponent.
    guard let theirs = try? JSONDecoder().decode(AnyJSON.self, from: data + Data(" ".utf8)) else {
      if !text.contains(where: { "eE".contains($0) }) { fatalError("Foundation refuses \(text.debugDescription)") }
      return 0
    }
    if !value.isTakenOtherwise, value != theirs {
      fatalError("\(text.debugDescription) is read as \(value), not \(theirs)")
    }
    // A value that was read is written and read again as the same, and is written as Foundation writes it.
    guard let written = try? coder.encode(value) else {
      fatalError("\(text.debugDescription) is read, and not written")
    }
    // No store checks again what an event's coder wrote.
    if (try? JSON.check(written)) == nil { fatalError("\(text.debugDescription) is written \(written), no JSON") }
    let again = try? coder.decode(AnyJSON.self, from: written)
    if again != value { fatalError("\(text.debugDescription) is written \(written)") }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if !value.isTakenOtherwise, let foundation = try? encoder.encode(value), foundation != Data(written.utf8) {
      fatalError("\(text.debugDescription) is written \(written), not \(String(decoding: foundation, as: UTF8.self))")
    }
  case .failure(let error):
    guard error is DecodingError else { fatalError("\(text.debugDescription) fails with \(error)") }
    // Foundation accepts more: commas before closing brackets, other encodings, a byte-order mark. The reader of whole
    // logs does not.
    let isRefused = (try? JSONDecoder().decode(AnyJSON.self, from: data)) == nil
    if !isRefused, (try? JSON.check(text)) != nil { fatalError("\(text.debugDescription) is refused: \(error)") }
  }
  return 0
}
