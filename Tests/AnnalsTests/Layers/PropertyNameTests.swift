import Testing

@testable import AnnalsLists

/// The names of key paths, which are stored with saved lists.
@Suite struct PropertyNameTests {
  private struct Inner { var first = 1, second = "" }
  private struct Empty {}
  private struct Wrapper<Value> { var (value, flag): (Value, Bool) }
  private final class Reference { var number = 1 }
  private struct Whole {
    var number = 1
    var text: String?
    let inner = Inner()
    var first = Empty()
    var second = Empty()
    var after = 2.5
    var watched = 0 { didSet {} }
    var pair = (1, "")
    let reference = Reference()
    var wrapper = Wrapper(value: 1, flag: true)
    lazy var late = 1
    var computed: Int { number }
    subscript(index: Int) -> Int { index }
  }

  @Test func `names are the descriptions of the key paths`() {
    struct Local { var `default` = 1 }
    let paths: [(path: AnyKeyPath, isStored: Bool)] = [
      (\Whole.number, true), (\Whole.text, true), (\Whole.inner, true), (\Whole.pair, true),
      (\Whole.reference, true), (\Whole.wrapper, true), (\Wrapper<Inner>.value, true), (\Wrapper<Int>.flag, true),
      (\Local.default, true), (\Whole.inner.first, false), (\Whole.after, true), (\Whole.first, false),
      (\Whole.second, false), (\Whole.inner.second, false),
      (\Whole.text?.count, false),
      (\Whole.reference.number, false), (\Reference.number, false), (\Whole.wrapper.value, false), (\Whole.self, false),
    ]
    for (path, isStored) in paths {
      let name = path.debugDescription
      #expect(propertyName(path) == (name.contains("<") ? nil : name))
      let stored = storedPropertyName(path)
      #expect(stored == nil || stored == name)
      #if os(Linux)
        #expect((stored != nil) == isStored, "\(name)")
      #endif
    }
    #expect(propertyName(\Whole.number) == "\\Whole.number" && propertyName(\Whole.text) == "\\Whole.text")
  }

  @Test func `a key path without a stable name has none`() {
    for path in [\Whole.computed, \Whole[3], \Whole.pair.0, \Whole.watched] as [AnyKeyPath] {
      let name = path.debugDescription
      #expect(propertyName(path) == (name.contains("<") ? nil : name))
    }
    #expect(propertyName(\Whole.computed) == nil)
  }
}
