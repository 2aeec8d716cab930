import AnnalsTesting
import Foundation
import Testing

@Suite struct SourceTextTests {
  private struct Point {
    let x: Int
    let y: Double
  }

  private enum Shape {
    case dot
    case circle(Point, radius: Double)
    case named(String)
  }

  @Test func `values are written as the code that makes them`() {
    #expect(swiftSource(of: [1, -2]) == "[1, -2]")
    #expect(swiftSource(of: ["b": [1], "a": []]) == "[\"a\": [], \"b\": [1]]")
    #expect(swiftSource(of: [String: Int]()) == "[:]")
    #expect(swiftSource(of: Set([3, 1, 2])) == "[1, 2, 3]")
    #expect(swiftSource(of: Optional(5) as Any) == "5")
    #expect(swiftSource(of: Int?.none as Any) == "nil")
    #expect(swiftSource(of: (1, name: "x")) == "(1, name: \"x\")")
    #expect(swiftSource(of: Point(x: 1, y: 0.5)) == "Point(x: 1, y: 0.5)")
    #expect(swiftSource(of: Shape.dot) == ".dot")
    #expect(swiftSource(of: Shape.named("a")) == ".named(\"a\")")
    #expect(swiftSource(of: Shape.circle(Point(x: 0, y: 0), radius: 2)) == ".circle(Point(x: 0, y: 0.0), radius: 2.0)")
    #expect(swiftSource(of: -Double.infinity) == "-Double.infinity")
    #expect(swiftSource(of: Date(timeIntervalSinceReferenceDate: 1)) == "Date(timeIntervalSinceReferenceDate: 1.0)")
  }

  @Test func `strings are written so that nothing hides`() {
    #expect("a\"\\\n\u{0}\u{202E}e\u{301}".swiftSource == "\"a\\\"\\\\\\n\\u{0}\\u{202E}e\\u{301}\"")
    #expect(("a" as Character).swiftSource == "\"a\"")
  }
}
