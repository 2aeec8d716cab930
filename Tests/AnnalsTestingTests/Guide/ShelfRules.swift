import Annals
import AnnalsSwiftTesting
import Testing

// The example of the trait in Docs/TestingHowTos.md. GuideTests compares the two.

@Suite(.checks(CheckSettings(examples: 500))) struct ShelfRules {
  @Test func `no shelf has a negative number of books`() throws {
    try check(history) { history in
      for shelf in try MendedShelves().rows(after: history) { #expect(shelf.books >= 0) }
    }
  }
}
