import AnnalsTesting
import Testing

@testable import Annals
@testable import AnnalsLog

@Suite struct RecentlyUsedTests {
  private enum Step {
    case set(Int, Int), use(Int), change(Int, Int), remove(Int), removeOldest
  }

  /// The same, as a list that is searched: the last element was used last.
  private struct Model {
    var list: [(key: Int, value: Int)] = []

    mutating func remove(_ key: Int) -> Int? {
      list.firstIndex { $0.key == key }.map { list.remove(at: $0).value }
    }

    mutating func set(_ value: Int, of key: Int) -> Int? {
      defer { list.append((key, value)) }
      return remove(key)
    }
  }

  private static let step = zip(Generator.int(in: 0...9), Generator.int(in: 0...6), Generator.int(in: 0...99)).map {
    kind, key, value -> Step in
    switch kind {
    case 0...3: .set(key, value)
    case 4...5: .use(key)
    case 6: .change(key, value)
    case 7: .remove(key)
    default: .removeOldest
    }
  }

  @Test func `what is removed first is what was not used for longest, whatever was set, used, changed and removed`()
    throws
  {
    try check(.array(of: Self.step, count: 0...60), settings: CheckSettings(examples: 200)) { steps in
      var (recent, model) = (RecentlyUsed<Int, Int>(), Model())
      for step in steps {
        switch step {
        case .set(let key, let value): #expect(recent.set(value, of: key) == model.set(value, of: key))
        case .use(let key):
          recent.use(key)
          if let value = model.remove(key) { model.list.append((key, value)) }
        case .change(let key, let value):
          recent.change(key) { $0 += value }
          if let place = model.list.firstIndex(where: { $0.key == key }) { model.list[place].value += value }
        case .remove(let key): #expect(recent.removeValue(of: key) == model.remove(key))
        case .removeOldest:
          #expect(recent.removeOldest() == (model.list.isEmpty ? nil : model.list.removeFirst().value))
        }
        #expect(recent.count == model.list.count && Set(recent.keys) == Set(model.list.map(\.key)))
        let found = Dictionary(uniqueKeysWithValues: recent.elements.map { ($0.key, $0.value) })
        #expect(found == Dictionary(uniqueKeysWithValues: model.list.map { ($0.key, $0.value) }))
        for key in 0...6 { #expect(recent[key] == found[key]) }
      }
      var rest: [Int] = []
      while let value = recent.removeOldest() { rest.append(value) }
      #expect(rest == model.list.map(\.value))
    }
  }
}
