import Annals
import AnnalsLog
import AnnalsTesting
import Synchronization
import Testing

/// Enums that list their cases, as keys.
@Suite struct CaseOrderTests {
  enum Status: CaseIterable, Codable, OrderedValue { case open, blocked, done }

  /// Declared neither in the order of its raw values nor in that of its names.
  enum Size: Int, CaseIterable, Codable, OrderedValue {
    case small = 10
    case big = 3
    case medium = 7
  }

  struct Task: Row {
    var id: Int
    var status: Status?
    var size: Size
  }

  private let tasks: Rows<Task> = {
    var rows = Rows<Task>()
    for (id, status) in [Status.done, nil, .blocked, .open, .done].enumerated() {
      rows.insert(Task(id: id, status: status, size: Size.allCases[id % 3]))
    }
    return rows
  }()

  @Test func `An enum that lists its cases is ordered as they are declared, and known by their names`() {
    let list = Results(ListRequest<Task>(section: .by(\.status)), of: tasks, at: 0)
    #expect(list.map(\.key) == [.null, "open", "blocked", "done"])
    #expect(list.map(\.title) == ["", "open", "blocked", "done"])
    #expect(list[key: Status.done.sectionKey]?.map(\.id) == [0, 4])
    let sorted = Results(ListRequest<Task>(sort: [.descending(\.status)]), of: tasks, at: 0)
    #expect(sorted.rows.map(\.id) == [0, 4, 2, 3, 1])
  }

  @Test func `An enum with raw values that lists its cases is ordered as they are declared, and known by the values`() {
    let list = Results(ListRequest<Task>(section: .by(\.size)), of: tasks, at: 0)
    #expect(list.map(\.key) == [10, 3, 7])
    let descending = Results(ListRequest<Task>(section: .by(\.size, order: .byKey.descending)), of: tasks, at: 0)
    #expect(descending.map(\.key) == [7, 3, 10])
    let cases = Results(ListRequest<Task>(section: .by(\.size, order: .byCases(of: Size.self))), of: tasks, at: 0)
    #expect(cases.map(\.key) == [10, 3, 7])
  }

  /// An enum whose cases are those of one version of an app or of another.
  enum Stage: String, Codable, CaseIterable, OrderedValue {
    case first, between, last

    static let shown = Mutex<[Stage]>([.first, .last])
    static var allCases: [Stage] { shown.withLock { $0 } }
  }

  enum StepEvent: Event { case added(id: Int, stage: Stage) }

  struct Step: Row {
    var id: Int
    var stage: Stage
  }

  struct Steps: Projection {
    func project(_ event: StepEvent, into rows: inout Rows<Step>) {
      switch event {
      case .added(let id, let stage): rows.insert(Step(id: id, stage: stage))
      }
    }
  }

  @Test func `A saved list is made again if an enum has another case in the middle, and its sections stay`() throws {
    let store = MemoryEventStore()
    let coder = try EventCoder<StepEvent>()
    for id in 0..<40 {
      let event = try coder.encode(.added(id: id, stage: id % 3 == 0 ? .last : .first))
      try store.append(Append([event], to: "steps"))
    }
    func list(_ request: ListRequest<Step>) throws -> FetchedResultsController<Step> {
      let list = FetchedResultsController(store: store, projection: Steps(), request: request, cacheName: "steps")
      try list.performFetch()
      try list.saveCache()
      return list
    }
    // A request is made with the cases of its process.
    func requests() -> [ListRequest<Step>] {
      [
        ListRequest(section: .by(\.stage)), ListRequest(sort: [.ascending(\.stage)]),
        ListRequest(sort: [.descending { $0.stage }.named("stage")]),
      ]
    }
    for request in requests() {
      #expect(try list(request).cacheReport.restored == nil)
      #expect(try list(request).cacheReport.restored == 40)
    }
    let keys = try list(requests()[0]).sections.map(\.key)
    Stage.shown.withLock { $0 = [.first, .between, .last] }
    for request in requests() {
      #expect(try list(request).cacheReport.restored == nil)
      #expect(try list(request).cacheReport.restored == 40)
    }
    #expect(try list(requests()[0]).sections.map(\.key) == keys)
    #expect(keys == ["first", "last"])
  }

  @Test func `A value that is not listed comes after all that are`() {
    #expect(OrderKey(Stage.first) < OrderKey(Stage.last))
    struct Partial: CaseIterable, OrderedValue {
      var number: Int
      static let allCases = [Partial(number: 5), Partial(number: 1)]
      var sectionKey: SectionKey { .int(number) }
    }
    let keys = [5, 1, 2, 3].map { OrderKey(Partial(number: $0)) }
    #expect(keys == keys.sorted() && Set(keys).count == 4)
  }
}
