/// A page that shows a timeline: one file, which loads nothing.
enum TimelinePage {
  /// The page with its data.
  ///
  /// - Parameters:
  ///   - title: The page's title.
  ///   - tool: The name and the version of the tool that makes it.
  ///   - data: The data, as ``TimelineData`` writes it.
  /// - Returns: The page's text.
  static func html(title: String, tool: String, data: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(policy)">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <meta name="generator" content="\(PageJSON.html(tool))">
    <title>\(PageJSON.html(title))</title>
    <style>\(style)</style>
    </head>
    \(body)
    <script type="application/json" id="data">\(PageJSON.inert(Text.safeJSON(data)))</script>
    <script>\(script)</script>
    </html>

    """
  }

  /// Nothing is loaded, and no script and style runs but the page's own.
  static var policy: String {
    "default-src 'none'; script-src 'sha256-\(scriptHash)'; style-src 'sha256-\(styleHash)'; base-uri 'none'; "
      + "form-action 'none'"
  }

  /// The page's program.
  static var script: String {
    [
      "\n(() => {\n\"use strict\";", valuesScript, modelScript, listScript, stripScript, paneScript, searchScript,
      runScript, "})();\n",
    ].joined(separator: "\n")
  }
}
