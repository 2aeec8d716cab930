import AnnalsLog
import Testing

/// The names of types, which don't search a program for conformances as Swift's own functions do.
@Suite struct StableNameTests {
  private struct Hidden { struct Inner {} }
  private enum Wrapper<Value> { struct Inside {} }
  struct Open<Value> {}

  @Test func `names are the same as Swift's own, without addresses`() {
    struct Local {}
    let types: [any Any.Type] = [
      Int.self, String?.self, [String: [Int]].self, (Int, Hidden).self, ((Hidden) -> Void).self, Hidden.self,
      Hidden.Inner.self, Wrapper<Int>.self, Wrapper<Hidden>.Inside.self, Open<Hidden.Inner>.self, Local.self,
      Open<Local>.self, (any Sequence<Int>).self, Hidden.Type.self, (any Error).self, Outside.self,
      Open<(Outside, Wrapper<Outside>)>.self,
    ]
    for type in types {
      let plain = String(reflecting: type)
      #expect(stableName(of: type) == plain.replacing(/\(unknown context at [^)]*\)\./, with: ""), "\(plain)")
      #expect(shortName(of: type) == String(describing: type), "\(plain)")
    }
    #expect(stableName(of: Hidden.Inner.self) == "AnnalsTests.StableNameTests.Hidden.Inner")
  }
}

private struct Outside {}
