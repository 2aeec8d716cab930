import Annals

extension Scenario {
  static func team(_ store: some EventStore, elsewhere: some EventStore) throws -> Scenario {
    for player in [
      Player("p1", "Mia", age: 31, team: "reds"), Player("p2", "Noor", age: 19, team: "reds"),
      Player("p3", "Olu", age: 24, team: "blues"),
    ] {
      try store.execute(.sign(player), on: Team[player.team])
    }
    let (reds, blues) = (try TeamScreen(store, team: "reds"), try TeamScreen(store, team: "blues"))
    let shown = AnyListScreen(reds)
    return Scenario(
      name: "team", summary: "The reds by age. The delegate reloads everything at the end of a batch.", screen: shown,
      steps: [
        Step(
          title: "Pia signs with the reds, through another connection to the log.",
          remark:
            "Core Data's controller hears of its own context's changes; those of another have to be merged first.",
          isOnTour: true, screen: shown
        ) {
          try elsewhere.execute(.sign(Player("p4", "Pia", age: 20, team: "reds")), on: Team["reds"])
          reds.controller.refresh()
        },
        Step(
          title: "Quin signs with the blues: the reds' delegate hears nothing.",
          remark: "The tutorial has one cache, “Players”, for all teams: with another team's predicate Core Data's "
            + "controller raises an exception. Here they share the name too, and each has its own list.", screen: shown
        ) {
          _ = blues.tap.takeNotes()
          try store.execute(.sign(Player("p5", "Quin", age: 20, team: "blues")), on: Team["blues"])
        },
        Step(title: "The blues' own list.", screen: AnyListScreen(blues)) {},
        Step(
          title: "Noor has a birthday, twice, and overtakes Pia.",
          remark: "Between players of one age Core Data has no order; here the id decides.", screen: shown
        ) {
          try store.transaction { transaction in
            try transaction.execute(.celebrateBirthday(id: "p2"), on: Team["reds"])
            try transaction.execute(.celebrateBirthday(id: "p2"), on: Team["reds"])
          }
        },
      ])
  }
}
