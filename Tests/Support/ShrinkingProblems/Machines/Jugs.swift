import AnnalsTesting

/// Two jugs of three and of five litres: a program that "fails" measures four litres.
struct Litres: Hashable {
  var (small, big) = (0, 0)

  mutating func fillSmall() { small = 3 }
  mutating func fillBig() { big = 5 }
  mutating func emptySmall() { small = 0 }
  mutating func emptyBig() { big = 0 }

  mutating func pourSmallIntoBig() {
    let litres = min(small, 5 - big)
    (small, big) = (small - litres, big + litres)
  }

  mutating func pourBigIntoSmall() {
    let litres = min(big, 3 - small)
    (small, big) = (small + litres, big - litres)
  }
}

final class Jugs {
  var litres = Litres()
}

struct JugsMachine: Machine {
  func start() -> (model: Litres, system: Jugs) { (Litres(), Jugs()) }

  var commands: [Command<Litres, Jugs>] {
    Command("fillSmall()", model: { $0.fillSmall() }, run: { $0.litres.fillSmall() })
    Command("fillBig()", model: { $0.fillBig() }, run: { $0.litres.fillBig() })
    Command("emptySmall()", model: { $0.emptySmall() }, run: { $0.litres.emptySmall() })
    Command("emptyBig()", model: { $0.emptyBig() }, run: { $0.litres.emptyBig() })
    Command("pourSmallIntoBig()", model: { $0.pourSmallIntoBig() }, run: { $0.litres.pourSmallIntoBig() })
    Command("pourBigIntoSmall()", model: { $0.pourBigIntoSmall() }, run: { $0.litres.pourBigIntoSmall() })
  }

  func invariant(_ model: Litres, _ system: Jugs) throws { try ensure(system.litres.big != 4, "four litres") }
}
