import Annals
import AnnalsSQLite
import Foundation

#if canImport(UIKit)
  import UIKit
#endif

#if !os(macOS) && !os(watchOS)
  enum PortedCourse {
    struct Lesson: Row {
      let id: String
      var course, chapter, number: Int
      var title: String
      var isDownloaded = false
    }

    enum CourseEvent: Event {
      case planned(Lesson)
      case chapterNamed(course: Int, chapter: Int, name: String)
      case downloaded(id: String)
      case moved(id: String, chapter: Int, number: Int)
    }

    struct Outline: Projection {
      let course: Int

      func project(_ event: CourseEvent, into rows: inout Rows<Lesson>) {
        switch event {
        case .planned(let lesson): rows.insert(lesson)
        case .downloaded(let id): rows[id]?.isDownloaded = true
        case .moved(let id, let chapter, let number):
          rows.update(id) { ($0.chapter, $0.number) = (chapter, number) }
        case .chapterNamed(course, let chapter, let name): rows.renameSection(chapter, of: \.chapter, to: name)
        case .chapterNamed: break
        }
      }
    }

    final class LessonsViewController: UITableViewController {
      let lessons: FetchedResultsController<Lesson>

      init(store: SQLiteEventStore, course: Int) {
        lessons = FetchedResultsController(
          store: store, projection: Outline(course: course),
          request: ListRequest(
            filter: .where { $0.course == course }, sort: [.ascending(\.chapter), .ascending(\.number)],
            section: .by(\.chapter)))
        super.init(style: .plain)
      }

      required init?(coder: NSCoder) { fatalError("the storyboard has no such screen") }

      override func viewDidLoad() {
        super.viewDidLoad()
        lessons.delegate = self
        do { try lessons.performFetch() } catch { print("the lessons cannot be read: \(error)") }
      }

      override func numberOfSections(in tableView: UITableView) -> Int { lessons.sections.count }

      override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        lessons.sections[section].numberOfObjects
      }

      override func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
        lessons.sections[section].name
      }

      override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: "lesson", for: indexPath)
        let lesson = lessons.object(at: indexPath)
        cell.textLabel?.text =
          "\(lesson.chapter).\(lesson.number) \(lesson.title)\(lesson.isDownloaded ? ", downloaded" : "")"
        return cell
      }
    }
  }

  extension PortedCourse.LessonsViewController: @MainActor FetchedResultsControllerDelegate {
    typealias Lesson = PortedCourse.Lesson

    func controllerWillChangeContent(_ controller: FetchedResultsController<Lesson>) { tableView.beginUpdates() }
    func controllerDidChangeContent(_ controller: FetchedResultsController<Lesson>) { tableView.endUpdates() }

    func controller(
      _ controller: FetchedResultsController<Lesson>, didChange section: ResultsSection<Lesson>,
      atSectionIndex index: Int, for type: FetchedResultsChangeType
    ) {
      switch type {
      case .insert: tableView.insertSections([index], with: .fade)
      case .delete: tableView.deleteSections([index], with: .fade)
      case .update: tableView.reloadSections([index], with: .fade)  // a new title; Core Data has no such change
      default: break
      }
    }

    func controller(
      _ controller: FetchedResultsController<Lesson>, didChange lesson: Lesson, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      switch (type, indexPath, newIndexPath) {
      case (.insert, _, let new?): tableView.insertRows(at: [new], with: .fade)
      case (.delete, let old?, _): tableView.deleteRows(at: [old], with: .fade)
      case (.update, let old?, _): tableView.reloadRows(at: [old], with: .automatic)
      case (.move, let old?, let new?):
        tableView.deleteRows(at: [old], with: .fade)
        tableView.insertRows(at: [new], with: .fade)
      default: break
      }
    }
  }
#endif

#if !canImport(UIKit) && !os(macOS)
  extension PortedCourse {
    @MainActor static func run(_ path: String) throws {
      let store = try SQLiteEventStore(path: path)
      let screen = LessonsViewController(store: store, course: 7)
      screen.viewDidLoad()
      screen.tableView.reloadData()
      func show() { for line in screen.tableView.lines { print(line) } }

      let plan: [CourseEvent] = [
        .planned(Lesson(id: "a", course: 7, chapter: 2, number: 1, title: "Tables")),
        .planned(Lesson(id: "b", course: 7, chapter: 1, number: 2, title: "Closures")),
        .planned(Lesson(id: "c", course: 7, chapter: 1, number: 1, title: "Types")),
        .planned(Lesson(id: "d", course: 8, chapter: 1, number: 1, title: "Ink")),
        .chapterNamed(course: 7, chapter: 1, name: "Swift"), .chapterNamed(course: 7, chapter: 2, name: "Kit"),
        .chapterNamed(course: 8, chapter: 1, name: "Drawing"),
      ]
      try store.append(plan, to: "courses")
      show()

      try screen.lessons.update { $0.sort = [.ascending(\.title)] }
      show()

      try store.append(
        [CourseEvent.downloaded(id: "c"), .moved(id: "b", chapter: 10, number: 1)], to: "courses")
      show()

      try store.append([CourseEvent.chapterNamed(course: 7, chapter: 10, name: "Appendix")], to: "courses")
      show()
      for problem in screen.tableView.problems { print(problem) }
    }
  }
#endif
