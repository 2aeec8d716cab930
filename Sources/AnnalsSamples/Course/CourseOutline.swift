package import Annals

/// The lessons of all courses as rows, and the names of one course's chapters as titles of sections.
///
/// A section of this list is known by its chapter's number alone, so the names of another course's chapters pass by.
package struct CourseOutline: Projection {
  private let course: Int

  package init(course: Int) {
    self.course = course
  }

  package func project(_ event: CourseEvent, into rows: inout Rows<Lesson>) {
    switch event {
    case .lessonAdded(let lesson):
      rows.insert(lesson)
      // Cut by topic, the sections stand in the order of the chapters, and not in that of the alphabet.
      if lesson.course == course { rows.numberSection(lesson.topic, of: \.topic, to: Double(lesson.chapter)) }
    case .lessonRetitled(let id, let title): rows[id]?.title = title
    case .lessonShifted(let id, let chapter, let number):
      rows.update(id) { ($0.chapter, $0.number) = (chapter, number) }
    case .lessonRemoved(let id): rows[id] = nil
    case .chapterNamed(course, let chapter, let name): rows.renameSection(chapter, of: \.chapter, to: name)
    case .chapterNamed: break
    }
  }
}
