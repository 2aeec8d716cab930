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
      name: "team", summary: "The reds' players by age. The delegate reloads the table after every batch.",
      screen: shown,
      steps: [
        Step(
          title: "Pia signs with the reds, through another connection to the log.",
          remark:
            "Core Data's controller reports only its own context's changes. You must merge other contexts' changes "
            + "into this context.",
          isOnTour: true, screen: shown
        ) {
          try elsewhere.execute(.sign(Player("p4", "Pia", age: 20, team: "reds")), on: Team["reds"])
          reds.controller.refresh()
        },
        Step(
          title: "Quin signs with the blues: the reds' delegate isn't notified.",
          remark: "In Core Data, a controller raises an exception if its cache was created with another team's "
            + "predicate. Here, the teams share a cache name, but each team has its own saved list.", screen: shown
        ) {
          _ = blues.tap.takeNotes()
          try store.execute(.sign(Player("p5", "Quin", age: 20, team: "blues")), on: Team["blues"])
        },
        Step(title: "The blues' own list.", screen: AnyListScreen(blues)) {},
        Step(
          title: "Noor has two birthdays, and overtakes Pia.",
          remark: "Core Data defines no order for players of the same age. Here, such players are sorted by id.",
          screen: shown
        ) {
          try store.transaction { transaction in
            try transaction.execute(.celebrateBirthday(id: "p2"), on: Team["reds"])
            try transaction.execute(.celebrateBirthday(id: "p2"), on: Team["reds"])
          }
        },
      ])
  }
}
