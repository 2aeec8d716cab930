package import Foundation

/// Says what a table shows, as UITableViewDataSource does.
package protocol TableDataSource: AnyObject {
  /// The number of sections now.
  func numberOfSections(in table: StrictTable) -> Int

  /// The number of rows of a section now.
  func table(_ table: StrictTable, numberOfRowsInSection section: Int) -> Int

  /// The text above a section.
  func table(_ table: StrictTable, titleForHeaderInSection section: Int) -> String

  /// The text of a row.
  func table(_ table: StrictTable, textForRowAt indexPath: IndexPath) -> String
}
