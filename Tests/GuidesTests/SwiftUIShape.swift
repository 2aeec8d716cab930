#if !canImport(SwiftUI)
  /// The few names of SwiftUI that the page's view uses, with SwiftUI's signatures, for systems without SwiftUI.
  ///
  /// A view of these can be drawn as lines of text, which SwiftUI's cannot.
  @MainActor protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
    /// Adds what the view shows.
    func draw(on canvas: inout Canvas)
  }

  /// What a view shows and can do.
  struct Canvas {
    var lines: [String] = []
    var buttons: [String: @MainActor () -> Void] = [:]
    var tasks: [@MainActor () async -> Void] = []
  }

  extension View {
    func draw(on canvas: inout Canvas) { body.draw(on: &canvas) }

    func task(_ action: @escaping @MainActor () async -> Void) -> TaskView<Self> {
      TaskView(content: self, action: action)
    }
  }

  extension Never: View {
    var body: Never { return fatalError("there is no such view") }
  }

  /// A view that draws itself.
  protocol LineView: View where Body == Never {}

  extension LineView {
    var body: Never { return fatalError("a view that draws itself has no body") }
  }

  @MainActor @resultBuilder enum ViewBuilder {
    static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<repeat each Content> {
      TupleView(content: (repeat each content))
    }

    static func buildIf<Content: View>(_ content: Content?) -> OptionalView<Content> { OptionalView(content: content) }
  }

  struct TupleView<each Content: View>: LineView {
    let content: (repeat each Content)

    func draw(on canvas: inout Canvas) { for view in repeat each content { view.draw(on: &canvas) } }
  }

  struct OptionalView<Content: View>: LineView {
    let content: Content?
    func draw(on canvas: inout Canvas) { content?.draw(on: &canvas) }
  }

  struct TaskView<Content: View>: LineView {
    let content: Content
    let action: @MainActor () async -> Void

    func draw(on canvas: inout Canvas) {
      content.draw(on: &canvas)
      canvas.tasks.append(action)
    }
  }

  struct Text: LineView {
    let text: String
    init(_ text: some StringProtocol) { self.text = String(text) }
    func draw(on canvas: inout Canvas) { canvas.lines.append(text) }
  }

  struct Button: LineView {
    let title: String
    let action: @MainActor () -> Void

    init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {
      (self.title, self.action) = (String(title), action)
    }

    func draw(on canvas: inout Canvas) {
      canvas.lines.append("[\(title)]")
      canvas.buttons[title] = action
    }
  }

  struct List<Content: View>: LineView {
    let content: Content
    init(@ViewBuilder content: () -> Content) { self.content = content() }
    func draw(on canvas: inout Canvas) { content.draw(on: &canvas) }
  }

  struct Section<Content: View>: LineView {
    let title: String
    let content: Content

    init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {
      (self.title, self.content) = (String(title), content())
    }

    func draw(on canvas: inout Canvas) {
      canvas.lines.append("# \(title)")
      content.draw(on: &canvas)
    }
  }

  struct ForEach<Data: RandomAccessCollection, Content: View>: LineView where Data.Element: Identifiable {
    let data: Data
    let content: (Data.Element) -> Content

    init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
      (self.data, self.content) = (data, content)
    }

    func draw(on canvas: inout Canvas) { for element in data { content(element).draw(on: &canvas) } }
  }

  /// Keeps the value that it was first given; SwiftUI keeps it for as long as the view is on the screen.
  @propertyWrapper struct State<Value> {
    private final class Box {
      var value: Value
      init(_ value: Value) { self.value = value }
    }

    private let box: Box
    init(wrappedValue: Value) { box = Box(wrappedValue) }

    var wrappedValue: Value {
      get { box.value }
      nonmutating set { box.value = newValue }
    }
  }
#endif
