package import Annals

/// A lesson in a chapter of a course.
package struct Lesson: Row {
  package var id: String
  package var course, chapter, number: Int
  package var title: String
  /// A second name for the chapter, stored in the lesson.
  ///
  /// Lists can be grouped into sections by chapter or by topic.
  package var topic: String

  package init(_ id: String, course: Int, chapter: Int, number: Int, _ title: String, topic: String = "") {
    self.id = id
    self.course = course
    self.chapter = chapter
    self.number = number
    self.title = title
    self.topic = topic
  }
}

/// The commands of a teacher.
package enum CourseCommand {
  case add(Lesson)
  case nameChapter(Int, String)
  case retitle(id: Lesson.ID, String)
  case shift(id: Lesson.ID, chapter: Int, number: Int)
  case remove(id: Lesson.ID)
}

/// The events of a course.
package enum CourseEvent: Event {
  case lessonAdded(Lesson)
  case chapterNamed(course: Int, chapter: Int, name: String)
  case lessonRetitled(id: Lesson.ID, title: String)
  case lessonShifted(id: Lesson.ID, chapter: Int, number: Int)
  case lessonRemoved(id: Lesson.ID)
}

/// The decider that turns a teacher's commands into the events of one course.
package struct Course: Decider {
  /// The reasons for refusing a command.
  package enum Refusal: Error, Equatable {
    case alreadyThere(Lesson.ID)
    case notThere(Lesson.ID)
    case placeIsTaken(chapter: Int, number: Int)
    case otherCourse(Int)
    case unknownChapter(Int)
    case nameless
  }

  private struct Place: Hashable {
    let chapter, number: Int
  }

  private var course: Int?
  private var places: [Lesson.ID: Place] = [:]
  private var names: [Int: String] = [:]

  package init() {}

  package func decide(_ command: CourseCommand) throws(Refusal) -> [CourseEvent] {
    switch command {
    case .add(let lesson):
      if places[lesson.id] != nil { throw .alreadyThere(lesson.id) }
      if let course, course != lesson.course { throw .otherCourse(lesson.course) }
      try checkFree(Place(chapter: lesson.chapter, number: lesson.number))
      return [.lessonAdded(lesson)]
    case .nameChapter(let chapter, let name):
      guard let course, places.values.contains(where: { $0.chapter == chapter }) else { throw .unknownChapter(chapter) }
      if name.isEmpty { throw .nameless }
      return names[chapter] == name ? [] : [.chapterNamed(course: course, chapter: chapter, name: name)]
    case .retitle(let id, let title):
      if places[id] == nil { throw .notThere(id) }
      if title.isEmpty { throw .nameless }
      return [.lessonRetitled(id: id, title: title)]
    case .shift(let id, let chapter, let number):
      guard let old = places[id] else { throw .notThere(id) }
      let new = Place(chapter: chapter, number: number)
      if old == new { return [] }
      try checkFree(new)
      return [.lessonShifted(id: id, chapter: chapter, number: number)]
    case .remove(let id):
      if places[id] == nil { throw .notThere(id) }
      return [.lessonRemoved(id: id)]
    }
  }

  private func checkFree(_ place: Place) throws(Refusal) {
    if places.values.contains(place) { throw .placeIsTaken(chapter: place.chapter, number: place.number) }
  }

  package mutating func evolve(_ event: CourseEvent) {
    switch event {
    case .lessonAdded(let lesson):
      course = lesson.course
      places[lesson.id] = Place(chapter: lesson.chapter, number: lesson.number)
    case .lessonShifted(let id, let chapter, let number): places[id] = Place(chapter: chapter, number: number)
    case .lessonRemoved(let id): places[id] = nil
    case .chapterNamed(_, let chapter, let name): names[chapter] = name
    case .lessonRetitled: break
    }
  }
}

extension ListRequest where Row == Lesson {
  /// Returns a request for one course's lessons, by chapter and then by number.
  package static func outline(of course: Int) -> ListRequest {
    ListRequest(
      filter: .where { $0.course == course }, sort: [.ascending(\.chapter), .ascending(\.number)],
      section: .by(\.chapter))
  }

  /// Returns a request with sections by chapter, but without the chapter as the first sort key.
  ///
  /// For such a request, Core Data's sections would be wrong.
  package static func byTitle(in course: Int) -> ListRequest {
    ListRequest(filter: .where { $0.course == course }, sort: [.ascending(\.title)], section: .by(\.chapter))
  }

  /// Returns a request with sections by topic, but with the chapter as the first sort key.
  ///
  /// For such a request, Core Data's sections would sometimes be wrong.
  package static func byTopic(in course: Int) -> ListRequest {
    ListRequest(
      filter: .where { $0.course == course }, sort: [.ascending(\.chapter), .ascending(\.number)],
      section: .by(\.topic, order: .byNumber))
  }
}
