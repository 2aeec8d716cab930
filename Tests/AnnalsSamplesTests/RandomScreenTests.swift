import Annals
import AnnalsSamples
import AnnalsTesting
import Foundation
import Testing

/// Screens with random transactions: no table raises, and each shows the list.
@Suite struct RandomScreenTests {
  private let settings = CheckSettings(examples: 8)

  /// Commits transactions; ignores commands that are refused.
  private func run<D: Decider>(
    _ decider: D.Type, on store: some EventStore, _ transactions: [[D.Command]], check: () throws -> Void
  ) throws {
    for commands in transactions {
      try store.transaction { transaction in
        for command in commands { _ = try? transaction.execute(command, on: decider["main"]) }
      }
      try check()
    }
    sometimes(try store.head() > 40, "a history of more than forty events")
  }

  /// Fifty to seventy transactions of one to four commands.
  private func transactions<Command>(_ command: Generator<Command>) -> Generator<[[Command]]> {
    .array(of: .array(of: command, count: 1...4), count: 50...70)
  }

  private func check(_ screen: some ListScreen, titles: Bool = true) throws {
    let (found, list) = (screen.table.sections, screen.list)
    try ensure(screen.table.exception == nil, screen.table.exception ?? "")
    try ensureEqual(found.map(\.rows), list.map(\.rows))
    if titles { try ensure(found == list, "the table shows \(found), the list is \(list)") }
  }

  private static let ids = Generator<Int>.int(in: 0...11).map { "r\($0)" }
  private static let names = Generator<Int>.int(in: 0...8).map { "n\($0)" }

  @Test func `a course's tables stay right`() throws {
    let (chapter, number) = (Generator<Int>.int(in: 0...3), Generator<Int>.int(in: 0...4))
    let lesson = zip(Self.ids, chapter, number, Self.names, .int(in: 0...2)).map { id, chapter, number, title, topic in
      Lesson(id, course: 7, chapter: chapter, number: number, title, topic: "topic \(topic)")
    }
    let command = Generator<Course.Command>.frequency(
      (2, lesson.map { .add($0) }), (1, zip(chapter, number).map { .nameChapter($0, "chapter \($1)") }),
      (1, zip(Self.ids, Self.names).map { .retitle(id: $0, $1) }),
      (1, zip(Self.ids, chapter, number).map { .shift(id: $0, chapter: $1, number: $2) }),
      (1, Self.ids.map { .remove(id: $0) }))
    try AnnalsTesting.check(transactions(command), settings: settings) { transactions in
      let store = MemoryEventStore()
      let screens = try [nil, .byTitle(in: 7), .byTopic(in: 7)].map { try CourseScreen(store, course: 7, request: $0) }
      try run(Course.self, on: store, transactions) { for screen in screens { try check(screen, titles: false) } }
    }
  }

  @Test func `a staff's table stays right, headers too`() throws {
    let section = Generator<Int>.int(in: 0...3).map { "s\($0)" }
    let height = Generator<Int>.int(in: 0...99).map { 1 + Double($0) / 100 }
    let employee = zip(Self.ids, Self.names, height, section).map { id, name, height, section in
      Employee(id, name, height: height, birthday: .distantPast, section: section)
    }
    let command = Generator<Staff.Command>.frequency(
      (2, employee.map { .hire($0) }), (1, zip(Self.ids, height).map { .measure(id: $0, height: $1) }),
      (1, zip(Self.ids, section).map { .transfer(id: $0, section: $1) }),
      (1, zip(section, .int(in: 0...2)).map { .renameSection($0, to: "title \($1)") }),
      (1, Self.ids.map { .dismiss(id: $0) }))
    try AnnalsTesting.check(transactions(command), settings: settings) { transactions in
      let store = MemoryEventStore()
      let screen = try StaffScreen(store)
      try run(Staff.self, on: store, transactions) { try check(screen) }
    }
  }

  @Test func `a bookshop's table stays right, although its delegate knows no moves`() throws {
    let price = Generator<Int>.int(in: 0...19).map { Double($0) }
    let shop = Generator<Bookshop.Command>.oneOf(
      zip(Self.ids, price).map { .stock(Book($0, $0, $1)) }, zip(Self.ids, price).map { .raise(id: $0, by: $1 - 5) },
      Self.ids.map { .withdraw(id: $0) })
    try AnnalsTesting.check(transactions(shop), settings: settings) { transactions in
      let store = MemoryEventStore()
      let screen = try BookshopScreen(store)
      try run(Bookshop.self, on: store, transactions) { try check(screen) }
    }
  }
}
