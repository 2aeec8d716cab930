import Annals
import Synchronization

/// A car as it is shown on the garage's screen.
struct Car: Row, Hashable {
  let id: String
  /// The place in the order in which the cars were first seen.
  var number: Int
  var level = "~"
  var since = 0
  var reservations = 0
  var visits = 0
  var minutes = 0
  var average = 0.0
  var cents = 0
  /// The levels that the car has been on.
  var route = ""
}

/// The cars as rows.
struct Cars: Projection {
  static let remembered = Mutex(0)

  func project(_ event: ParkingEvent, into rows: inout Rows<Car>) {
    switch event {
    case .opened, .resized: break
    case .reserved(_, let plate, _):
      change(plate, in: &rows) { $0.reservations += 1 }
    case .cancelled(_, let plate, _):
      if !bug(5) { rows.update(plate) { $0.reservations -= 1 } }
    case .entered(let plate, let level, _, let time):
      change(plate, in: &rows) {
        ($0.level, $0.since) = (level, time)
        let levels = Set($0.route.split(separator: " ").map(String.init) + [level])
        $0.route = (bug(9) ? Array(levels) : levels.sorted()).joined(separator: " ")
      }
    case .left(let plate, _, let time, let cents):
      rows.update(plate) {
        if !bug(6) { $0.level = "~" }
        $0.visits += 1
        $0.minutes += time - $0.since
        $0.average = Double($0.minutes) / Double($0.visits)
        $0.cents = bug(27) ? Int((Double($0.cents) / 100 + Double(cents) / 100) * 100) : $0.cents + cents
      }
    }
  }

  private func change(_ plate: String, in rows: inout Rows<Car>, _ change: (inout Car) -> Void) {
    if rows[plate] == nil {
      let number =
        bug(23)
        ? Self.remembered.withLock {
          $0 += 1; return $0
        } : rows.count + 1
      var car = Car(id: plate, number: number)
      if bug(16) { car.average = Double(car.minutes) / Double(car.visits) }
      rows.insert(car)
    }
    rows.update(plate, change)
  }

  /// The car that has parked for the longest time.
  ///
  /// Of two such cars, the first in the alphabet.
  static func longest(of cars: [Car]) -> String? {
    let parked = cars.filter { $0.level != "~" }.sorted {
      if $0.since != $1.since { return $0.since < $1.since }
      return bug(31) ? $0.id > $1.id : $0.id < $1.id
    }
    return bug(19) ? parked[0].id : parked.first?.id
  }
}

extension ListRequest<Car> {
  /// The levels as sections, in which the cars are sorted by the time of their arrival.
  static var levels: ListRequest { ListRequest(sort: [.ascending(\.since)], section: .by(\.level)) }
}

/// A level's numbers, as the sign at the entrance shows them.
struct Sign: Row, Hashable {
  let id: String
  var spots: Int
  var taken = 0

  var free: Int { spots - taken }
}

/// The signs as rows.
struct Signs: Projection {
  func project(_ event: ParkingEvent, into rows: inout Rows<Sign>) {
    switch event {
    case .opened(let level, let spots): rows.insert(Sign(id: level, spots: spots))
    case .resized(let level, let spots): rows.update(level) { $0.spots = spots }
    case .reserved(_, _, let level), .entered(_, let level, _, _): rows.update(level) { $0.taken += 1 }
    case .cancelled(_, _, let level), .left(_, let level, _, _): rows.update(level) { $0.taken -= 1 }
    }
  }
}
