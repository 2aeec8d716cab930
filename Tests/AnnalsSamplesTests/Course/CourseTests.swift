import Annals
import AnnalsSamples
import Testing

@Suite struct CourseTests {
  private let store = MemoryEventStore()

  init() throws {
    for lesson in [
      Lesson("l1", course: 7, chapter: 1, number: 1, "Types", topic: "Swift"),
      Lesson("l2", course: 7, chapter: 1, number: 2, "Closures", topic: "Swift"),
      Lesson("l3", course: 7, chapter: 2, number: 1, "Tables", topic: "Kit"),
      Lesson("l4", course: 7, chapter: 2, number: 2, "Cells", topic: "Kit"),
      Lesson("l5", course: 7, chapter: 3, number: 1, "Actors", topic: "Swift"),
      Lesson("x1", course: 8, chapter: 1, number: 1, "Atoms", topic: "Physics"),
    ] {
      try store.execute(.add(lesson), on: Course["\(lesson.course)"])
    }
  }

  private func execute(_ command: CourseCommand, course: Int = 7) throws {
    try store.execute(command, on: Course["\(course)"])
  }

  private func isRight(_ screen: CourseScreen) -> Bool {
    screen.table.exception == nil && screen.table.sections.map(\.rows) == screen.list.map(\.rows)
  }

  @Test func `a course is listed by chapter, then number`() throws {
    let screen = try CourseScreen(store, course: 7)
    #expect(
      screen.list == [
        .init("1", ["1.1 Types", "1.2 Closures"]), .init("2", ["2.1 Tables", "2.2 Cells"]), .init("3", ["3.1 Actors"]),
      ])
    #expect(screen.table.sections == screen.list)
  }

  @Test func `naming and renaming a chapter is one section change`() throws {
    let screen = try CourseScreen(store, course: 7)
    for name in ["Language", "The language"] {
      try execute(.nameChapter(1, name))
      #expect(screen.tap.takeNotes() == ["will change", "update section 0 \(name)", "did change"])
      #expect(screen.controller.sections.map(\.title) == [name, "2", "3"])
    }
    #expect(screen.table.sections[0].title == "1", "the delegate ignores new titles")
    screen.table.reloadData()
    #expect(screen.table.sections == screen.list)
  }

  @Test func `a chapter keeps its name when it empties and fills again`() throws {
    let screen = try CourseScreen(store, course: 7)
    try execute(.nameChapter(3, "Concurrency"))
    try execute(.remove(id: "l5"))
    #expect(
      screen.tap.takeNotes().suffix(4) == [
        "will change", "delete section 2 Concurrency", "delete [2, 0] 3.1 Actors", "did change",
      ])
    try execute(.add(Lesson("l6", course: 7, chapter: 3, number: 1, "Tasks")))
    #expect(
      screen.tap.takeNotes() == [
        "will change", "insert section 2 Concurrency", "insert [2, 0] 3.1 Tasks", "did change",
      ])
    #expect(screen.table.sections.last == .init("Concurrency", ["3.1 Tasks"]))
  }

  @Test func `a lesson that goes to a new chapter brings the section`() throws {
    let screen = try CourseScreen(store, course: 7)
    try execute(.shift(id: "l2", chapter: 0, number: 1))
    #expect(
      screen.tap.takeNotes() == [
        "will change", "insert section 0 0", "delete [0, 1] 1.2 Closures", "insert [0, 0] 0.1 Closures", "did change",
      ])
    #expect(isRight(screen))
    try execute(.shift(id: "l5", chapter: 2, number: 3))
    #expect(screen.tap.takeNotes().contains("delete section 3 3"))
    #expect(isRight(screen))
  }

  @Test func `a lesson that moves within its chapter is a move and an update`() throws {
    let screen = try CourseScreen(store, course: 7)
    try execute(.shift(id: "l1", chapter: 1, number: 3))
    #expect(
      screen.tap.takeNotes() == [
        "will change", "move [0, 0] → [0, 1] 1.3 Types", "did change", "will change", "update [0, 1] 1.3 Types",
        "did change",
      ])
    #expect(isRight(screen))
    try execute(.retitle(id: "l4", "Cells and headers"))
    #expect(screen.tap.takeNotes() == ["will change", "update [1, 1] 2.2 Cells and headers", "did change"])
    #expect(isRight(screen))
  }

  @Test func `another course's lessons and chapter names pass by`() throws {
    let screen = try CourseScreen(store, course: 7)
    try execute(.nameChapter(1, "Matter"), course: 8)
    try execute(.add(Lesson("x2", course: 8, chapter: 1, number: 2, "Molecules")), course: 8)
    #expect(screen.tap.notes == [])
    #expect(screen.controller.sections[0].title == "1")
  }

  @Test func `a sort that is not led by the section's key gives each chapter once`() throws {
    let screen = try CourseScreen(store, course: 7, request: .byTitle(in: 7))
    #expect(
      screen.list == [
        .init("1", ["1.2 Closures", "1.1 Types"]), .init("2", ["2.2 Cells", "2.1 Tables"]), .init("3", ["3.1 Actors"]),
      ])
    try execute(.retitle(id: "l1", "A word on types"))
    try execute(.shift(id: "l5", chapter: 1, number: 3))
    #expect(screen.list[0] == .init("1", ["1.1 A word on types", "1.3 Actors", "1.2 Closures"]))
    #expect(isRight(screen))
  }

  @Test func `a second attribute as section key gives each of its values once`() throws {
    let screen = try CourseScreen(store, course: 7, request: .byTopic(in: 7))
    #expect(
      screen.list == [
        .init("Kit", ["2.1 Tables", "2.2 Cells"]), .init("Swift", ["1.1 Types", "1.2 Closures", "3.1 Actors"]),
      ])
    try execute(.add(Lesson("l6", course: 7, chapter: 4, number: 1, "Tests", topic: "Craft")))
    try execute(.shift(id: "l5", chapter: 1, number: 0))
    #expect(screen.list[1] == .init("Swift", ["1.0 Actors", "1.1 Types", "1.2 Closures"]))
    #expect(screen.list[2] == .init("Craft", ["4.1 Tests"]))
    #expect(isRight(screen))
  }

  @Test func `what a teacher cannot have is refused`() throws {
    let refused: [(CourseCommand, Course.Refusal)] = [
      (.add(Lesson("l1", course: 7, chapter: 9, number: 1, "again")), .alreadyThere("l1")),
      (.add(Lesson("n", course: 8, chapter: 9, number: 1, "n")), .otherCourse(8)),
      (.add(Lesson("n", course: 7, chapter: 1, number: 1, "n")), .placeIsTaken(chapter: 1, number: 1)),
      (.nameChapter(9, "n"), .unknownChapter(9)), (.nameChapter(1, ""), .nameless),
      (.retitle(id: "n", "n"), .notThere("n")), (.retitle(id: "l1", ""), .nameless),
      (.shift(id: "n", chapter: 1, number: 9), .notThere("n")),
      (.shift(id: "l1", chapter: 2, number: 1), .placeIsTaken(chapter: 2, number: 1)),
      (.remove(id: "n"), .notThere("n")),
    ]
    for (command, refusal) in refused { #expect(throws: refusal) { try execute(command) } }
  }
}
