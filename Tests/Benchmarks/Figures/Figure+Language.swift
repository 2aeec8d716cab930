import Annals
import Foundation

extension Figure {
  /// The cost of the order of a language.
  static var language: [Figure] { [sortLanguage(), sectionLanguage(), sortPlaces()] }

  /// Names as an address book has them, with accents, capitals and numbers.
  private static func names(_ rows: Int) -> Rows<Ware> {
    let (first, last) = (
      ["Émile", "Anna", "Ötzi", "Åsa", "zoé", "José", "Ben"], ["Zola", "de Vries", "Ångström", "Müller"]
    )
    var chance = Chance(seed: 5)
    var result = Rows<Ware>()
    for number in 0..<rows {
      let name =
        "\(last[chance.next(upTo: last.count)]) \(chance.next(upTo: rows)), \(first[chance.next(upTo: first.count)])"
      result.insert(Ware(id: ListWorkload.id(number), title: name, price: 0, shelf: 0))
    }
    return result
  }

  private static func made(_ rows: Rows<Ware>, _ sort: SortKey<Ware>, _ section: Sectioning<Ware>? = nil) -> Double {
    nanoseconds(per: 100_000) { keep(Results(ListRequest(sort: [sort], section: section), of: rows, at: 0).count) }
  }

  private static func sortLanguage(_ rows: Int = 100_000) -> Figure {
    Figure(
      "sort-language", rows: rows, "sorting by names in the order of a language", against: "sorting by scalars",
      .cost(atMost: 2)
    ) {
      let rows = names(rows)
      let german = Collation(locale: Locale(identifier: "de_DE"), isNumeric: true)
      return Contest {
        made(rows, .ascending(\.title, in: german))
      } baseline: {
        made(rows, .ascending(\.title))
      }
    }
  }

  private static func sectionLanguage(_ rows: Int = 100_000) -> Figure {
    Figure(
      "section-language", rows: rows, "the same with sections by first letters",
      against: "sorting by scalars, with sections by first characters", .cost(atMost: 2)
    ) {
      let rows = names(rows)
      let german = Collation(locale: Locale(identifier: "de_DE"), isNumeric: true)
      return Contest {
        made(rows, .ascending(\.title, in: german), .byInitial(\.title, in: german))
      } baseline: {
        made(rows, .ascending(\.title), .by("first") { String($0.title.prefix(1)) })
      }
    }
  }

  /// What platforms without sort keys have, for names that came before.
  private static func sortPlaces(_ rows: Int = 100_000) -> Figure {
    Figure(
      "sort-places", rows: rows, "sorting by names on platforms without sort keys",
      against: "sorting by scalars", .cost(atMost: 5)
    ) {
      let rows = names(rows)
      var german = Collation(locale: Locale(identifier: "de_DE"))
      german.comparison = .foundation
      let sort = SortKey<Ware>.ascending(\.title, in: german)
      _ = made(rows, sort)
      return Contest {
        made(rows, sort)
      } baseline: {
        made(rows, .ascending(\.title))
      }
    }
  }
}
