#if canImport(SwiftUI)
  import SwiftUI
#endif

/// The content of the app's window: the list, or the reason why its file couldn't be opened.
public struct TodoRoot: View {
  @Environment(\.scenePhase) private var phase
  @State private var file: TodoFile

  /// Shows a file.
  ///
  /// - Parameter file: The file.
  public init(file: TodoFile) { _file = State(wrappedValue: file) }

  public var body: some View {
    VStack {
      if let model = file.model { TodoListView().environment(model) }
      if let message = file.message {
        Text(message)
        Button("Retry") { file.open() }
      }
    }
    .onChange(of: phase) { _, phase in
      switch phase {
      case .background: file.suspend()
      case .active: file.resume()
      default: break
      }
    }
  }
}
