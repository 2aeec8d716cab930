import Annals
import AnnalsLog
import Foundation
import Testing

@Suite struct EventCoderTests {
  @Test func `a case is the type's name and its values are the payload`() throws {
    let coder = try EventCoder<BookEvent>()
    let book = Book(id: "b1", title: "Annals / I", price: 50.5)
    let expected: [(BookEvent, String, String)] = [
      (.inserted(book), "BookInserted", #"{"id":"b1","price":50.5,"title":"Annals / I"}"#),
      (.repriced(id: "b1", to: 3), "BookRepriced", #"{"id":"b1","to":3}"#),
      (.deleted(id: "b1"), "BookDeleted", #"{"id":"b1"}"#),
      (.closed, "BookClosed", "{}"),
      (.noted("é"), "BookNoted", #""é""#),
      (.rated(nil), "BookRated", "null"),
      (.rated(4), "BookRated", "4"),
      (.placed(shelf: nil), "BookPlaced", "{}"),
      (.listed(["a", "b"]), "BookListed", #"["a","b"]"#),
      (.pinned(id: "b2"), "ShelfPinned", #"{"id":"b2"}"#),
    ]
    var decoding = coder
    for (event, type, payload) in expected {
      let stored = try coder.encode(event)
      #expect(stored.type == type)
      #expect(stored.payload == payload)
      #expect(try decoding.decode(type: type, payload: payload) == event)
    }
  }

  @Test func `a type reads what its prefix and its pinned names own, and nothing else`() throws {
    var coder = try EventCoder<BookEvent>()
    #expect(coder.known("BookInserted").meaning == .event(key: "inserted"))
    #expect(coder.known("ShelfPinned").meaning == .event(key: "ShelfPinned"))
    #expect(coder.known("BookAdded").meaning == .event(key: "inserted"))
    #expect(coder.known("BookBurnt").meaning == .unknown)
    #expect(coder.known("BookshopOpened").meaning == .foreign)
    #expect(coder.known("Book").meaning == .foreign)
    #expect(coder.known("PlayerInserted").meaning == .foreign)
    #expect(try coder.decode(type: "PlayerInserted", payload: "not even JSON") == nil)
  }

  @Test func `an unknown event and a payload that does not fit are named`() throws {
    var coder = try EventCoder<BookEvent>()
    let unknown = #expect(throws: EventCodingError.self) { try coder.decode(type: "BookBurnt", payload: "{}") }
    #expect(unknown?.code == .unknownEvent)
    #expect(unknown?.message.contains("BookBurnt") == true)
    let bad = #expect(throws: EventCodingError.self) { try coder.decode(type: "BookRepriced", payload: "{}") }
    #expect(bad?.code == .badPayload)
    #expect(bad?.message.contains("BookRepriced") == true)
  }

  @Test func `a value without a label beside others is refused`() throws {
    let coder = try EventCoder<MixedEvent>()
    let error = #expect(throws: EventCodingError.self) { try coder.encode(.renamed("a", to: "b")) }
    #expect(error?.code == .unsuitableType)
    #expect(error?.message.contains("renamed") == true)
    #expect(throws: EventCodingError.self) { try coder.encode(.moved("a", "b")) }
  }

  @Test func `a struct is no event`() throws {
    var refused = false
    do {
      _ = try EventCoder<StructEvent>().encode(StructEvent(name: "a"))
    } catch let error as EventCodingError {
      refused = error.code == .unsuitableType
    }
    #expect(refused)
  }

  @Test func `a value that JSON cannot hold is refused`() throws {
    let coder = try EventCoder<BookEvent>()
    let error = #expect(throws: EventCodingError.self) { try coder.encode(.repriced(id: "b1", to: .nan)) }
    #expect(error?.code == .unsuitableValue)
  }
}

struct Book: Codable, Hashable, Sendable {
  var id: String
  var title: String
  var price: Double
}

enum BookEvent: Event, Hashable {
  case inserted(Book)
  case repriced(id: String, to: Double)
  case deleted(id: String)
  case closed
  case noted(String)
  case rated(Int?)
  case placed(shelf: String?)
  case listed([String])
  case pinned(id: String)

  enum CodingKeys: String, CodingKey {
    case inserted
    case repriced
    case deleted
    case closed
    case noted
    case rated
    case placed
    case listed
    case pinned = "ShelfPinned"
  }

  static let formerNames = ["BookAdded": "BookInserted"]
}

private enum MixedEvent: Event {
  case renamed(String, to: String)
  case moved(String, String)
}

private struct StructEvent: Event {
  var name: String
}
