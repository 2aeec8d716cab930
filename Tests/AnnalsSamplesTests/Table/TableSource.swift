import Annals
import AnnalsSamples
import Foundation

/// Shows the sections that it gets.
final class TableSource: TableDataSource {
  var sections: [[String]]

  init(_ sections: [[String]]) { self.sections = sections }

  func numberOfSections(in table: StrictTable) -> Int { sections.count }
  func table(_ table: StrictTable, numberOfRowsInSection section: Int) -> Int { sections[section].count }
  func table(_ table: StrictTable, titleForHeaderInSection section: Int) -> String { "" }
  func table(_ table: StrictTable, textForRowAt indexPath: IndexPath) -> String {
    sections[indexPath.section][indexPath.row]
  }
}
