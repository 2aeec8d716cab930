import Annals
import AnnalsSamples
import AnnalsTesting
import Foundation
import Testing
import XCTest

/// The samples' events as they were stored, one per line of a file.
@Suite struct KeptEventTests {
  @Test func `all that the bookshop and the team ever stored can be read`() throws {
    try BookEvent.ensureKept(
      [
        .stocked(Book("b1", "《红楼梦》", 50.5)), .repriced(id: "b1", to: 60.5), .withdrawn(id: "b1"),
        .ordered(
          BookOrder(
            "o1", of: "b1", customer: Personal("Zoë", of: "c1"), email: Personal("zoë@example.org", of: "c1"))),
        .shipped(order: "o1"),
      ],
      in: "Fixtures/BookEvent.jsonl")
    try TeamEvent.ensureKept(
      [
        .playerSigned(Player("p1", "Zoë", age: 17, team: "red")), .birthdayCelebrated(id: "p1", age: 18),
        .playerReleased(id: "p1"),
      ], in: "Fixtures/TeamEvent.jsonl")
  }

  @Test func `all that the course ever stored can be read`() throws {
    try CourseEvent.ensureKept(
      [
        .lessonAdded(Lesson("l1", course: 1, chapter: 2, number: 3, "Limits", topic: "Analysis")),
        .chapterNamed(course: 1, chapter: 2, name: "Series"), .lessonRetitled(id: "l1", title: "Sums"),
        .lessonShifted(id: "l1", chapter: 3, number: 1), .lessonRemoved(id: "l1"),
      ], in: "Fixtures/CourseEvent.jsonl")
  }
}

/// The same with XCTest.
final class KeptEventXCTests: XCTestCase {
  func testAllThatTheStaffEverStoredCanBeRead() throws {
    let kept = try StaffEvent.ensureKept(
      [
        .hired(Employee("e1", "Émile", height: 1.75, birthday: Date(timeIntervalSince1970: 86_400), section: "East")),
        .measured(id: "e1", height: 1.76), .transferred(id: "e1", section: "West"),
        .sectionRenamed(section: "West", title: "The West"), .dismissed(id: "e1"),
      ], in: "Fixtures/StaffEvent.jsonl")
    // Two forms of a hiring: the birthday as a number, and as a string.
    XCTAssertEqual(kept.count, 6)
  }
}
