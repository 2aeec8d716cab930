import Annals

/// A typical row of an app: a short string, a long one, a number to sort by, and a number to cut by.
struct Ware: Row {
  var id: String
  var title: String
  var price: Double
  var shelf: Int

  /// The order of a shelf.
  static func stands(_ left: Ware, before right: Ware) -> Bool {
    if left.price != right.price { return left.price < right.price }
    if left.title != right.title { return left.title < right.title }
    return left.id < right.id
  }
}

/// A small generator of numbers that follow from their seed (Steele, Lea, Flood 2014).
struct Chance {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func next(upTo bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func price() -> Double { Double(next(upTo: 10_000_000)) / 100 }
}

/// Wares on shelves, and changes of their prices; each change moves a ware.
enum ListWorkload {
  static func wares(_ count: Int, shelves: Int) -> [Ware] {
    var chance = Chance(seed: 7)
    return (0..<count).map { number in
      Ware(
        id: id(number), title: "The title of ware number \(number * 7_919 % count)", price: chance.price(),
        shelf: number % shelves)
    }
  }

  static func id(_ number: Int) -> String { "ware-\(number)" }

  static var request: ListRequest<Ware> {
    ListRequest(sort: [.ascending(\.price), .ascending(\.title)], section: .by(\.shelf))
  }
}

/// The list engine at work: rows, the list, and the changes of each batch.
final class ListEngine {
  private var rows = Rows<Ware>()
  private var list: Results<Ware>
  private var chance = Chance(seed: 11)
  private let count: Int
  private let prepared: PreparedRequest

  init(_ wares: [Ware], _ request: ListRequest<Ware> = ListWorkload.request) {
    prepared = PreparedRequest(request)
    count = wares.count
    for ware in wares { rows.insert(ware) }
    list = Results(prepared, of: &rows, at: 0, knowing: nil)
  }

  /// Changes the prices of some wares in one batch, and returns the changes.
  @inline(never) @discardableResult
  func change(_ size: Int = 1) -> Changes<Ware> {
    for _ in 0..<size {
      rows.update(ListWorkload.id(chance.next(upTo: count))) { $0.price = chance.price() }
    }
    let next = Results(prepared, of: &rows, at: list.position, knowing: list)
    let changes = Changes(from: list, to: next)
    list = next
    return changes
  }

  var results: Results<Ware> { list }
}

/// A sorted array per section and a dictionary of the rows: code as you would write it by hand, without snapshots.
final class ArrayEngine {
  enum Change {
    case moved(from: (Int, Int), to: (Int, Int))
    case updated(at: (Int, Int))
  }

  private var rows: [String: Ware] = [:]
  private var shelves: [[Ware]]
  private var chance = Chance(seed: 11)
  private let count: Int

  init(_ wares: [Ware], shelves: Int) {
    count = wares.count
    self.shelves = Array(repeating: [], count: shelves)
    for ware in wares {
      rows[ware.id] = ware
      self.shelves[ware.shelf].append(ware)
    }
    for shelf in self.shelves.indices { self.shelves[shelf].sort(by: Ware.stands) }
  }

  /// Changes the price of a ware, and returns the change.
  func change() -> Change? {
    let id = ListWorkload.id(chance.next(upTo: count))
    return reprice(id, to: chance.price())
  }

  /// Gives a ware a price, and returns the change.
  func reprice(_ id: String, to price: Double) -> Change? {
    guard let old = rows[id] else { return nil }
    var new = old
    new.price = price
    rows[id] = new
    let from = place(of: old)
    shelves[old.shelf].remove(at: from)
    let to = place(of: new)
    shelves[old.shelf].insert(new, at: to)
    return from == to ? .updated(at: (old.shelf, from)) : .moved(from: (old.shelf, from), to: (old.shelf, to))
  }

  private func place(of ware: Ware) -> Int {
    var (low, high) = (0, shelves[ware.shelf].count)
    while low < high {
      let middle = (low + high) / 2
      if Ware.stands(shelves[ware.shelf][middle], before: ware) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
