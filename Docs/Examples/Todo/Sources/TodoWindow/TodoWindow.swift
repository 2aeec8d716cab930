#if canImport(SwiftUI)
  import SwiftUI
#endif
import TodoApple

@main struct TodoWindow: App {
  @State private var file = TodoFile()

  var body: some Scene {
    WindowGroup { TodoRoot(file: file) }
  }
}
