package import Annals

/// The lessons of all courses as rows, and the chapter names of one course as section titles.
///
/// A section of this list is identified only by its chapter's number. So the chapter names of other courses are
/// ignored.
package struct CourseOutline: Projection {
  private let course: Int

  package init(course: Int) {
    self.course = course
  }

  package func project(_ event: CourseEvent, into rows: inout Rows<Lesson>) {
    switch event {
    case .lessonAdded(let lesson):
      rows.insert(lesson)
      // Sections by topic are in the order of the chapters rather than in alphabetical order.
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
