import Annals

extension Scenario {
  static func course(_ store: some EventStore) throws -> Scenario {
    let execute = { (command: CourseCommand) in _ = try store.execute(command, on: Course["7"]) }
    for lesson in [
      Lesson("l1", course: 7, chapter: 1, number: 1, "Types", topic: "Swift"),
      Lesson("l2", course: 7, chapter: 1, number: 2, "Closures", topic: "Swift"),
      Lesson("l3", course: 7, chapter: 2, number: 1, "Tables", topic: "Kit"),
      Lesson("l4", course: 7, chapter: 2, number: 2, "Cells", topic: "Kit"),
      Lesson("l5", course: 7, chapter: 3, number: 1, "Actors", topic: "Swift"),
    ] {
      try execute(.add(lesson))
    }
    let screen = try CourseScreen(store, course: 7)
    let byTitle = try CourseScreen(store, course: 7, request: .byTitle(in: 7))
    let byTopic = try CourseScreen(store, course: 7, request: .byTopic(in: 7))
    let shown = AnyListScreen(screen)
    return Scenario(
      name: "course", summary: "A course's lessons by chapter and number.", screen: shown,
      steps: [
        Step(title: "Chapter 1 gets a name.", screen: shown) { try execute(.nameChapter(1, "Language")) },
        Step(
          title: "Rename chapter 1: the controller reports one section change.",
          remark:
            "Core Data's controller can't report a renamed section, because it identifies sections by their names. "
            + "It reports that all rows move to a new section.", isOnTour: true, screen: shown
        ) {
          try execute(.nameChapter(1, "The language"))
        },
        Step(title: "Move a lesson to a chapter that doesn't exist yet.", screen: shown) {
          try execute(.shift(id: "l2", chapter: 4, number: 1))
        },
        Step(
          title: "Move chapter 3's last lesson to the beginning of chapter 2.", screen: shown
        ) {
          try execute(.shift(id: "l5", chapter: 2, number: 0))
        },
        Step(
          title: "Rename a lesson in a list that is sorted by title, with chapters as sections.",
          remark:
            "In Core Data, a section ends where the section key changes in the sorted rows. If the sort order doesn't "
            + "begin with this key, sections are repeated and mixed up.", isOnTour: true,
          screen: AnyListScreen(byTitle)
        ) {
          _ = byTitle.tap.takeNotes()
          try execute(.retitle(id: "l5", "Tasks and actors"))
        },
        Step(
          title: "Add a lesson of an existing topic to a list that is sorted by chapter, with topics as sections.",
          remark:
            "In Core Data, if the section key isn't the first sort key, the sections are correct only if rows with "
            + "equal section keys happen to be adjacent.", screen: AnyListScreen(byTopic)
        ) {
          _ = byTopic.tap.takeNotes()
          try execute(.add(Lesson("l6", course: 7, chapter: 3, number: 1, "Layout", topic: "Kit")))
        },
      ])
  }
}
