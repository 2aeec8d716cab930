import Annals
import AnnalsTesting
import Foundation
import Testing

/// Events that are appended as values of a type.
@Suite struct AppendEventsTests {
  @Test func `events are stored as a command's are, and lists hear of them before the append returns`() throws {
    try EveryStore.each { store in
      let list = try controller(store)
      let receipt = try store.append(
        [ItemEvent.put(Item("a", "x", 1)), .put(Item("b", "y", 2))], to: "items", metadata: ["actor": "ann"])
      #expect(receipt.count == 2 && receipt.position == 2 && receipt.versions == ["items": 2])
      #expect(list.fetchedObjects.map(\.id) == ["a", "b"])
      let stored = try store.events(.all, after: 0, through: nil, limit: 9)
      #expect(stored.map(\.type) == ["ItemPut", "ItemPut"] && Set(stored.map(\.transaction)).count == 1)
      #expect(stored.allSatisfy { $0.metadata == ["actor": "ann"] })
      #expect(try store.append([ItemEvent](), to: "items").count == 0)
    }
  }

  @Test func `an expectation that is not met, or an event that cannot be stored, leaves nothing`() throws {
    try EveryStore.each { store in
      try store.append([ItemEvent.removed(id: "a")], to: "items", expecting: .doesNotExist)
      let error = #expect(throws: EventStoreError.self) {
        try store.append([ItemEvent.removed(id: "b")], to: "items", expecting: .exact(3))
      }
      #expect(error?.code == .versionConflict && error?.version == 1)
      #expect(throws: EventStoreError.self) {
        try store.append([ItemEvent](), to: "items", expecting: .doesNotExist)
      }
      let coding = #expect(throws: EventCodingError.self) {
        try store.append(
          [ItemEvent.removed(id: "c"), .numbered(group: nil, number: .nan)], to: "items", commandID: "one")
      }
      #expect(coding?.code == .unsuitableValue)
      #expect(throws: EventCodingError.self) { try store.append([NoEnum()], to: "items") }
      #expect(throws: EventStoreError.self) { try store.append([ItemEvent.removed(id: "d")], to: "") }
      #expect(try store.head() == 1)
    }
  }

  @Test func `a repeated append adds nothing and returns the first receipt`() throws {
    let every = try EveryStore()
    for store in every.stores where !(store is CountingStore) {
      let first = try store.append([ItemEvent.removed(id: "a")], to: "items", commandID: "import 1")
      let again = try store.append(
        [ItemEvent.removed(id: "a")], to: "items", commandID: "import 1", metadata: ["try": "2"])
      #expect(first == again && again.isRepeated)
      for (id, stream) in [("b", "items"), ("a", "other")] {
        let error = #expect(throws: EventStoreError.self) {
          try store.append([ItemEvent.removed(id: id)], to: StreamName(stream), commandID: "import 1")
        }
        #expect(error?.code == .commandReused)
      }
      let head = try store.head()
      #expect(head == 1)
      let event = try #require(try store.events(of: ItemEvent.self).first)
      #expect(event.metadata.causation == "import 1" && event.metadata.correlation == "import 1")
      try store.append(
        [ItemEvent.removed(id: "c")], to: "items", commandID: "import 2", metadata: ["correlationid": "whole"])
      let last = try #require(try store.events(of: ItemEvent.self, order: .reverse, limit: 1).first)
      #expect(last.metadata.causation == "import 2" && last.metadata.correlation == "whole")
    }
  }

  @Test func `several streams and types, with times and identities of their own, are one transaction`() throws {
    let times = [30.0, 10, 20].map { Date(timeIntervalSince1970: $0) }
    try EveryStore.each { store in
      var append = Append(expectations: ["b": .doesNotExist])
      try append.add(ItemEvent.put(Item("a", nil, 0)), to: "a", time: times[0])
      try append.add(ShopEvent.sold(id: "s"), to: "b", id: EventID(source: "old", id: "1"), time: times[1])
      try append.add([ItemEvent.removed(id: "a"), .removed(id: "b")], to: "a", metadata: ["actor": "ann"])
      try append.add([ShopEvent](), to: "c")
      let entries = append.entries
      #expect(throws: EventCodingError.self) {
        try append.add([ItemEvent.removed(id: "x"), .numbered(group: nil, number: .infinity)], to: "a")
      }
      #expect(append.entries == entries)
      let receipt = try store.append(append)
      #expect(receipt.versions == ["a": 3, "b": 1] && receipt.count == 4)
      #expect(try store.position(of: EventID(source: "old", id: "1")) == 2)
      let stored = try store.events(.all, after: 0, through: nil, limit: 9)
      #expect(stored.prefix(2).map(\.time) == Array(times.prefix(2)) && Set(stored.map(\.transaction)).count == 1)
      #expect(try store.events(of: ItemEvent.self, .stream("a")).map(\.version) == [1, 2, 3])
      #expect(try store.events(of: ItemEvent.self, .stream("a")).map(\.author) == [nil, "ann", "ann"])
      // An identity that the log has is refused, with the whole append.
      var twice = Append()
      try twice.add(ShopEvent.sold(id: "t"), to: "b")
      try twice.add(ShopEvent.sold(id: "s"), to: "b", id: EventID(source: "old", id: "1"))
      #expect(throws: EventStoreError.self) { try store.append(twice) }
      #expect(try store.head() == 4)
    }
  }

  @Test func `an imported stream is a decider's, which decides on it`() throws {
    let store = MemoryEventStore()
    try store.append([ShopEvent.stocked(id: "a", title: "A", shelf: "s")], to: Shop.stream("main"))
    #expect(throws: Shop.Twice.self) { try store.execute("a", on: Shop["main"]) }
    #expect(try store.execute("b", on: Shop["main"]).versions == ["Shop-main": 2])
  }

  @Test func `a new event of a typed one has its type, schema and tags`() throws {
    let event = try NewEvent(
      TaggedItem.marked(id: "7"), metadata: ["actor": "ann"], time: Date(timeIntervalSince1970: 1))
    #expect(event.type == "TaggedItemMarked" && event.schema == 4 && event.payload == #"{"id":"7"}"#)
    #expect(event.tags == ["item:7"] && event.metadata.author == "ann" && event.id == nil)
    #expect(event.time == Date(timeIntervalSince1970: 1))
    #expect(throws: EventCodingError.self) { try NewEvent(NoEnum()) }
  }
}

private enum TaggedItem: Event {
  case marked(id: String)
  static let schema = 4
  var tags: Set<EventTag> {
    switch self {
    case .marked(let id): ["item:\(id)"]
    }
  }
}
