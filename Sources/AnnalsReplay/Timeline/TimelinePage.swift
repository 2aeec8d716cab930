import CAnnalsPage
import Foundation

/// A page that shows a timeline: one file, which loads nothing.
enum TimelinePage {
  /// The page's program, whose parts are the files of `CAnnalsPage`.
  static var script: String { String(cString: annals_page_script()) }
  /// The page's look: light and dark, wide and narrow, on paper.
  static var style: String { String(cString: annals_page_style()) }
  /// The page with a name between `%%` for every value.
  static var template: String { String(cString: annals_page_html()) }

  /// The page with its data.
  ///
  /// The page's policy lets only the page's own script and style run. They have a random number that no log can know.
  ///
  /// - Parameters:
  ///   - title: The page's title.
  ///   - tool: The name and the version of the tool that makes it.
  ///   - data: The data, as ``TimelineData`` writes it.
  /// - Returns: The page's text.
  static func html(title: String, tool: String, data: String) -> String {
    let values = [
      "nonce": UUID().uuidString, "title": PageJSON.html(title), "tool": PageJSON.html(tool), "style": style,
      "script": script, "data": PageJSON.inert(Text.safeJSON(data)),
    ]
    return template.components(separatedBy: "%%").enumerated()
      .map { index, text in index % 2 == 0 ? text : values[text] ?? "" }.joined()
  }
}
