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
          title: "Chapter 1 gets another name: one change of a section.",
          remark:
            "Core Data's controller cannot say so: a section is its name, and with a new one all its rows leave one "
            + "section and come to another.", isOnTour: true, screen: shown
        ) {
          try execute(.nameChapter(1, "The language"))
        },
        Step(title: "A lesson goes to a chapter that is not there yet.", screen: shown) {
          try execute(.shift(id: "l2", chapter: 4, number: 1))
        },
        Step(
          title: "The last lesson of chapter 3 goes to the front of chapter 2.", screen: shown
        ) {
          try execute(.shift(id: "l5", chapter: 2, number: 0))
        },
        Step(
          title: "Chapters as sections, sorted by title; a lesson gets another title.",
          remark:
            "The tutorial's first chaos: Core Data's controller cuts where the key changes in the sorted rows, so a "
            + "sort that does not begin with the section's key repeats and mixes up sections.", isOnTour: true,
          screen: AnyListScreen(byTitle)
        ) {
          _ = byTitle.tap.takeNotes()
          try execute(.retitle(id: "l5", "Tasks and actors"))
        },
        Step(
          title: "Topics as sections, sorted by chapter; chapter 3 comes back with a topic of old.",
          remark:
            "The tutorial's second chaos: with another attribute as key Core Data's sections are right as long as "
            + "rows with one value happen to stand together.", screen: AnyListScreen(byTopic)
        ) {
          _ = byTopic.tap.takeNotes()
          try execute(.add(Lesson("l6", course: 7, chapter: 3, number: 1, "Layout", topic: "Kit")))
        },
      ])
  }
}
