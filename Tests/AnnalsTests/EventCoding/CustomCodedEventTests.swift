import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

@Suite struct CustomCodedEventTests {
  @Test func `a coding of its own and Codable write the same and read each other`() throws {
    let text = Generator<String>.nasty
    let events: Generator<VolumeEvent> = .oneOf(
      zip(
        text, text, Generator<Double>.bordering.map { $0.isFinite ? $0 : 1 },
        Generator<Int?>.oneOf(.constant(nil), Generator<Int>.int().map { $0 })
      )
      .map { .inserted(Volume(id: $0, title: $1, price: $2, shelf: $3)) },
      zip(text, Generator<Bool>.bool).map { .lent(to: $0, back: $1 ? Date(timeIntervalSinceReferenceDate: 5) : nil) },
      text.map { .noted($0) }, .constant(.closed),
      zip(Generator<[String]>.array(of: text), Generator<[Int]>.array(of: .int())).map { .listed(names: $0, sizes: $1) }
    )
    try check(events, settings: CheckSettings(examples: 1_000)) { event in
      try event.ensureCodesEqually()
      var coder = try EventCoder<VolumeEvent>()
      let stored = try coder.encode(event)
      try ensure(try coder.decode(type: stored.type, payload: stored.payload) == event, "\(event) is read as another")
    }
  }

  @Test func `every kind of value that can be written by itself is written as Codable writes it`() throws {
    let double = Generator<Double>.bordering.map { $0.isFinite ? $0 : 1 }
    let flag = Generator<Bool?>.oneOf(.constant(nil), Generator<Bool>.bool.map { $0 })
    let events: Generator<GaugeEvent> = .oneOf(
      double.map { .measured($0) }, Generator<Bool>.bool.map { .switched($0) },
      double.map { .dated(Date(timeIntervalSinceReferenceDate: $0)) }, .constant(.emptied(nil)),
      zip(flag, Generator<[Double]>.array(of: double)).map { .flagged(isOn: $0, values: $1) })
    try check(events, settings: CheckSettings(examples: 200)) { event in
      try event.ensureCodesEqually()
      var coder = try EventCoder<GaugeEvent>()
      let stored = try coder.encode(event)
      try ensureEqual(try coder.decode(type: stored.type, payload: stored.payload), event)
    }
  }

  @Test func `the coding that a type brings is the one that is used`() throws {
    var coder = try EventCoder<LoudEvent>()
    let stored = try coder.encode(.said("a"))
    #expect(stored.type == "LoudSaid")
    #expect(stored.payload == #"{"own":"a"}"#)
    #expect(try coder.decode(type: "LoudSaid", payload: #"{"own":"b"}"#) == .said("b"))
    let error = #expect(throws: Unmet.self) { try LoudEvent.said("a").ensureCodesEqually() }
    #expect(error?.description.contains("own") == true)
  }

  @Test(arguments: [
    ("VolumeInserted", "{}", "the member id is missing"), ("VolumeInserted", #"{"id":"a","title":5}"#, "number"),
    ("VolumeInserted", "[]", "array"),
    ("VolumeInserted", #"{"id":"a","title":"b","price":1e999}"#, "1e999"), ("VolumeInserted", #"{"id":null}"#, "null"),
    ("VolumeListed", #"{"names":["a",true],"sizes":[]}"#, "bool"), ("VolumeListed", #"{"names":{}}"#, "dictionary"),
    ("VolumeNoted", "nul", "not valid JSON"), ("VolumeLent", #"{"to":"a","back":"b"}"#, "expected a time such as"),
    ("VolumeInserted", #"{"id":"a","title":"b","price":1,"shelf":1.5}"#, "1.5"),
  ])
  func `a payload that does not fit is an error that names what is wrong`(type: String, payload: String, word: String)
    throws
  {
    var coder = try EventCoder<VolumeEvent>()
    let error = #expect(throws: EventCodingError.self) { try coder.decode(type: type, payload: payload) }
    #expect(error?.code == .badPayload)
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
    // Codable refuses the same payload.
    var codable = try EventCoder<VolumeEvent>(custom: false)
    #expect(throws: EventCodingError.self) { try codable.decode(type: type, payload: payload) }
  }

  @Test func `a number that JSON cannot hold is refused`() throws {
    let coder = try EventCoder<VolumeEvent>()
    let volume = Volume(id: "a", title: "b", price: .infinity, shelf: nil)
    let error = #expect(throws: EventCodingError.self) { try coder.encode(.inserted(volume)) }
    #expect(error?.code == .unsuitableValue)
    // After a failure, the coder works again.
    #expect(try coder.encode(.noted("x")).payload == "\"x\"")
  }

  @Test func `the error of a coding that names no case or reads none says what to do`() throws {
    var coder = try EventCoder<LoudEvent>()
    let wrong = #expect(throws: EventCodingError.self) { try coder.encode(.mumbled) }
    #expect(wrong?.message.contains("no case mumble,") == true)
    let unread = #expect(throws: EventCodingError.self) { try coder.decode(type: "LoudMumbled", payload: "{}") }
    #expect(unread?.message.contains("its custom decoding doesn't handle this case") == true)
  }

  @Test func `members are named in their order and nested values with their path`() throws {
    var coder = try EventCoder<ProbeEvent>()
    guard
      case .probed(let text)? = try coder.decode(type: "ProbeProbed", payload: #"{"b":{"c":[1,2.5]},"a":true,"b":0}"#)
    else {
      Issue.record("nothing was read")
      return
    }
    #expect(text == "b,a true 1 2.5 b.c.Index 1")
  }
}

struct Volume: Codable, Hashable, Sendable {
  var id: String
  var title: String
  var price: Double
  var shelf: Int?
}

enum VolumeEvent: Event, Hashable {
  case inserted(Volume)
  case lent(to: String, back: Date?)
  case noted(String)
  case closed
  case listed(names: [String], sizes: [Int])
}

extension VolumeEvent: CustomCodedEvent {
  func write(to payload: inout PayloadWriter) -> String {
    switch self {
    case .inserted(let volume):
      payload.writeObject {
        $0.write("id", volume.id)
        $0.write("price", volume.price)
        $0.write("shelf", volume.shelf)
        $0.write("title", volume.title)
      }
      return "inserted"
    case .lent(let reader, let back):
      payload.writeObject {
        $0.write("back", encoding: back)
        $0.write("to", reader)
      }
      return "lent"
    case .noted(let text):
      payload.write(text)
      return "noted"
    case .closed:
      payload.writeObject { _ in }
      return "closed"
    case .listed(let names, let sizes):
      payload.writeObject {
        $0.write("names") { $0.writeArray(of: names) { $1.write($0) } }
        $0.write("sizes") { $0.writeArray(of: sizes) { $1.write($0) } }
      }
      return "listed"
    }
  }

  init?(case name: String, payload: PayloadValue) throws {
    switch name {
    case "inserted":
      self = .inserted(
        Volume(
          id: try payload["id"].string(), title: try payload["title"].string(), price: try payload["price"].double(),
          shelf: try payload["shelf"].ifPresent?.int()))
    case "lent":
      self = .lent(to: try payload["to"].string(), back: try payload["back"].ifPresent?.decode(Date.self))
    case "noted": self = .noted(try payload.string())
    case "closed": self = .closed
    case "listed":
      self = .listed(
        names: try payload["names"].elements.map { try $0.string() },
        sizes: try payload["sizes"].elements.map { try $0.int() })
    default: return nil
    }
  }
}

/// Its coding differs from Codable, and one case is wrong.
private enum GaugeEvent: Event, Hashable {
  case measured(Double)
  case switched(Bool)
  case dated(Date)
  case emptied(Int?)
  case flagged(isOn: Bool?, values: [Double])
}

extension GaugeEvent: CustomCodedEvent {
  func write(to payload: inout PayloadWriter) -> String {
    switch self {
    case .measured(let value):
      payload.write(value)
      return "measured"
    case .switched(let value):
      payload.write(value)
      return "switched"
    case .dated(let date):
      payload.write(encoding: date)
      return "dated"
    case .emptied(let value):
      if let value { payload.write(value) } else { payload.writeNull() }
      return "emptied"
    case .flagged(let isOn, let values):
      payload.writeObject {
        $0.write("isOn", isOn)
        $0.write("values") { $0.writeArray(of: values) { $1.write($0) } }
      }
      return "flagged"
    }
  }

  init?(case name: String, payload: PayloadValue) throws {
    switch name {
    case "measured": self = .measured(try payload.double())
    case "switched": self = .switched(try payload.bool())
    case "dated": self = .dated(try payload.decode(Date.self))
    case "emptied": self = .emptied(try payload.ifPresent?.int())
    case "flagged":
      self = .flagged(
        isOn: try payload["isOn"].ifPresent?.bool(), values: try payload["values"].elements.map { try $0.double() })
    default: return nil
    }
  }
}

/// Writes otherwise than Codable, and one case wrongly.
private enum LoudEvent: CustomCodedEvent, Hashable {
  case said(String)
  case mumbled

  func write(to payload: inout PayloadWriter) -> String {
    payload.writeObject { if case .said(let text) = self { $0.write("own", text) } }
    return self == .mumbled ? "mumble" : "said"
  }

  init?(case name: String, payload: PayloadValue) throws {
    guard name == "said" else { return nil }
    self = .said(try payload["own"].ifPresent?.string() ?? payload.string())
  }
}

/// Reads a payload in every way.
private enum ProbeEvent: CustomCodedEvent {
  case probed(String)

  func write(to payload: inout PayloadWriter) -> String {
    payload.writeNull()
    return "probed"
  }

  init?(case name: String, payload: PayloadValue) throws {
    let names = try payload.members.map(\.name).joined(separator: ",")
    let numbers = try payload["b"]["c"].elements
    var place = ""
    do {
      _ = try numbers[1].int()
    } catch DecodingError.dataCorrupted(let context) {
      place = context.codingPath.map(\.stringValue).joined(separator: ".")
    }
    self = .probed("\(names) \(try payload["a"].bool()) \(try numbers[0].int()) \(try numbers[1].double()) \(place)")
  }
}
