@testable import AnnalsTesting
import Foundation
import Testing

private enum Plain { case one, two }

private enum Mixed {
  case empty
  case full(Int, String)
  indirect case nested(Mixed)
  case `default`
}

private enum Box<Value> {
  case some(Value)
  case none
}

private enum Single { case only }

private enum Never2 {}

@Suite struct EnumCasesTests {
  @Test func `the names of an enum's cases are known without a value`() {
    #expect(EnumCases.names(of: Plain.self) == ["one", "two"])
    #expect(Set(EnumCases.names(of: Mixed.self) ?? []) == ["empty", "full", "nested", "default"])
    #expect(EnumCases.names(of: Box<Int>.self).map(Set.init) == ["some", "none"])
    #expect(EnumCases.names(of: Single.self) == ["only"])
    #expect(Set(EnumCases.names(of: DecodingError.self) ?? []).contains("dataCorrupted"))
  }

  @Test func `a type without cases has no names`() {
    let types: [Any.Type] = [
      Int.self, String.self, (Int, Int).self, Never2.self, NSObject.self, (any Error).self, (() -> Void).self,
      Data.self,
      [Plain].self, Plain.Type.self, Never.self,
    ]
    for type in types { #expect(EnumCases.names(of: type) == nil, "\(type)") }
  }

  @Test func `a value has its case's name, whatever it holds`() {
    #expect(EnumCases.name(of: Plain.two) == "two")
    #expect(EnumCases.name(of: Mixed.full(1, "x")) == "full")
    #expect(EnumCases.name(of: Mixed.default) == "default")
    #expect(EnumCases.name(of: 7) == "Int")
  }
}
