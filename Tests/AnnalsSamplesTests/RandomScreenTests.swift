import Annals
import AnnalsSamples
import Foundation
import Testing

/// Screens that hear of random transactions: no table raises, and each shows the list.
@Suite struct RandomScreenTests {
  /// SplitMix64 (Steele, Lea and Flood 2014): a seed names a history.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }

    mutating func id() -> String { "r\(Int.random(in: 0..<12, using: &self))" }
    mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
  }

  private let store = MemoryEventStore()

  /// Commits transactions of one to four commands; a command that is refused is left out.
  private func run<D: Decider>(
    _ decider: D.Type, seed: UInt64, check: () throws -> Void, command: (inout Generator) -> D.Command
  ) throws {
    var generator = Generator(state: seed)
    for _ in 0..<60 {
      try store.transaction { transaction in
        for _ in 0...generator.number(4) {
          _ = try? transaction.execute(command(&generator), on: decider, id: "main")
        }
      }
      try check()
    }
    #expect(store.head() > 40)
  }

  private func check(_ screen: some ListScreen, titles: Bool = true) throws {
    try #require(screen.table.exception == nil)
    try #require(screen.table.sections.map(\.rows) == screen.list.map(\.rows))
    if titles { try #require(screen.table.sections == screen.list) }
  }

  @Test(arguments: 1...8) func `a course's tables stay right`(_ seed: UInt64) throws {
    let screens = try [nil, .byTitle(in: 7), .byTopic(in: 7)].map { try CourseScreen(store, course: 7, request: $0) }
    try run(Course.self, seed: seed, check: { for screen in screens { try check(screen, titles: false) } }) {
      let (id, chapter, number) = ($0.id(), $0.number(4), $0.number(5))
      switch $0.number(6) {
      case 0, 1:
        let (title, topic) = ("t\($0.number(9))", "topic \($0.number(3))")
        return .add(Lesson(id, course: 7, chapter: chapter, number: number, title, topic: topic))
      case 2: return .nameChapter(chapter, "chapter \(number)")
      case 3: return .retitle(id: id, "t\($0.number(9))")
      case 4: return .shift(id: id, chapter: chapter, number: number)
      default: return .remove(id: id)
      }
    }
  }

  @Test(arguments: 1...8) func `a staff's table stays right, headers too`(_ seed: UInt64) throws {
    let screen = try StaffScreen(store)
    try run(Staff.self, seed: seed, check: { try check(screen) }) {
      let (id, section) = ($0.id(), "s\($0.number(4))")
      let height = 1 + Double($0.number(100)) / 100
      switch $0.number(6) {
      case 0, 1:
        return .hire(Employee(id, "n\($0.number(9))", height: height, birthday: .distantPast, section: section))
      case 2: return .measure(id: id, height: height)
      case 3: return .transfer(id: id, section: section)
      case 4: return .renameSection(section, to: "title \($0.number(3))")
      default: return .dismiss(id: id)
      }
    }
  }

  @Test(arguments: 1...8) func `tables whose delegates know no moves stay right`(_ seed: UInt64) throws {
    let (books, shop) = (try LibraryScreen(store), try BookshopScreen(store))
    try run(Library.self, seed: seed, check: { try check(books) }) {
      let (id, name) = ($0.id(), "n\($0.number(9))")
      return [.add(NamedBook(id, name)), .rename(id: id, to: name), .remove(id: id)][$0.number(3)]
    }
    try run(Bookshop.self, seed: seed, check: { try check(shop) }) {
      let (id, price) = ($0.id(), Double($0.number(20)))
      return [.stock(Book(id, id, price)), .raise(id: id, by: price - 5), .withdraw(id: id)][$0.number(3)]
    }
  }
}
