#if !canImport(SwiftUI)
  public import Observation

  /// The few names of SwiftUI that the list's view uses, with SwiftUI's signatures, for systems without SwiftUI.
  ///
  /// A view of these can be drawn as lines of text, which SwiftUI's cannot.
  @MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
    /// Adds what the view shows.
    func draw(on canvas: inout Canvas)
  }

  /// The content of a drawn view, and the actions that a user can take.
  public struct Canvas {
    public var lines: [String] = []
    public var buttons: [String: @MainActor () -> Void] = [:]
    public var fields: [String: Binding<String>] = [:]
    public var tasks: [@MainActor () async -> Void] = []
    public var changes: [@MainActor () -> Void] = []
    public init() {}
  }

  extension View {
    public func draw(on canvas: inout Canvas) { body.draw(on: &canvas) }

    public func task(_ action: @escaping @MainActor () async -> Void) -> TaskView<Self> {
      TaskView(content: self, action: action)
    }

    public func onChange<Value: Equatable>(
      of value: Value, _ action: @escaping @MainActor (Value, Value) -> Void
    ) -> ChangeView<Self> {
      ChangeView(content: self) { action(value, value) }
    }

    public func environment(_ object: some AnyObject & Observable) -> EnvironmentView<Self> {
      EnvironmentView(content: self, object: object)
    }

    public func alert<Actions: View, Message: View>(
      _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions,
      @ViewBuilder message: () -> Message
    ) -> AlertView<Self, Actions, Message> {
      AlertView(content: self, title: String(title), isPresented: isPresented, actions: actions(), message: message())
    }

    /// SwiftUI restarts the task when the id changes.
    public func task(id: some Equatable, _ action: @escaping @MainActor () async -> Void) -> TaskView<Self> {
      TaskView(content: self, action: action)
    }
  }

  extension Never: View {
    public var body: Never { return fatalError("there is no such view") }
  }

  /// A view that draws itself.
  public protocol LineView: View where Body == Never {}

  extension LineView {
    public var body: Never { return fatalError("a view that draws itself has no body") }
  }

  @MainActor @resultBuilder public enum ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<repeat each Content>
    {
      TupleView(content: (repeat each content))
    }

    public static func buildIf<Content: View>(_ content: Content?) -> OptionalView<Content> {
      OptionalView(content: content)
    }
  }

  public struct TupleView<each Content: View>: LineView {
    let content: (repeat each Content)

    public func draw(on canvas: inout Canvas) { for view in repeat each content { view.draw(on: &canvas) } }
  }

  public struct OptionalView<Content: View>: LineView {
    let content: Content?
    public func draw(on canvas: inout Canvas) { content?.draw(on: &canvas) }
  }

  public struct TaskView<Content: View>: LineView {
    let content: Content
    let action: @MainActor () async -> Void

    public func draw(on canvas: inout Canvas) {
      content.draw(on: &canvas)
      canvas.tasks.append(action)
    }
  }

  public struct ChangeView<Content: View>: LineView {
    let content: Content
    let action: @MainActor () -> Void

    public func draw(on canvas: inout Canvas) {
      content.draw(on: &canvas)
      canvas.changes.append(action)
    }
  }

  public struct AlertView<Content: View, Actions: View, Message: View>: LineView {
    let content: Content
    let title: String
    let isPresented: Binding<Bool>
    let actions: Actions
    let message: Message

    /// Every button of an alert closes it.
    public func draw(on canvas: inout Canvas) {
      content.draw(on: &canvas)
      guard isPresented.wrappedValue else { return }
      var alert = Canvas()
      message.draw(on: &alert)
      actions.draw(on: &alert)
      canvas.lines += ["! \(title)"] + alert.lines
      for (title, action) in alert.buttons {
        canvas.buttons[title] = {
          isPresented.wrappedValue = false
          action()
        }
      }
    }
  }

  public struct EnvironmentView<Content: View>: LineView {
    let content: Content
    let object: AnyObject

    public func draw(on canvas: inout Canvas) {
      let outer = EnvironmentValues.current
      EnvironmentValues.current.objects[ObjectIdentifier(type(of: object))] = object
      content.draw(on: &canvas)
      EnvironmentValues.current = outer
    }
  }

  public struct Text: LineView {
    let text: String
    public init(_ text: some StringProtocol) { self.text = String(text) }
    public func draw(on canvas: inout Canvas) { canvas.lines.append(text) }
  }

  public struct TextField: LineView {
    let title: String
    let text: Binding<String>

    public init(_ title: some StringProtocol, text: Binding<String>) { (self.title, self.text) = (String(title), text) }

    public func draw(on canvas: inout Canvas) {
      canvas.lines.append("\(title): \(text.wrappedValue)")
      canvas.fields[title] = text
    }
  }

  public struct Button: LineView {
    let title: String
    let action: @MainActor () -> Void

    public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {
      (self.title, self.action) = (String(title), action)
    }

    public func draw(on canvas: inout Canvas) {
      canvas.lines.append("[\(title)]")
      canvas.buttons[title] = action
    }
  }

  public struct VStack<Content: View>: LineView {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public func draw(on canvas: inout Canvas) { content.draw(on: &canvas) }
  }

  public struct List<Content: View>: LineView {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public func draw(on canvas: inout Canvas) { content.draw(on: &canvas) }
  }

  public struct Section<Content: View>: LineView {
    let title: String
    let content: Content

    public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {
      (self.title, self.content) = (String(title), content())
    }

    public func draw(on canvas: inout Canvas) {
      canvas.lines.append("# \(title)")
      content.draw(on: &canvas)
    }
  }

  public struct ForEach<Data: RandomAccessCollection, Content: View>: LineView where Data.Element: Identifiable {
    let data: Data
    let content: (Data.Element) -> Content

    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
      (self.data, self.content) = (data, content)
    }

    public func draw(on canvas: inout Canvas) { for element in data { content(element).draw(on: &canvas) } }
  }

  /// A way to a value that a view keeps.
  public struct Binding<Value> {
    let get: () -> Value
    let set: (Value) -> Void

    public var wrappedValue: Value {
      get { get() }
      nonmutating set { set(newValue) }
    }
  }

  /// Keeps the value that it was first given; SwiftUI keeps it for as long as the view is on the screen.
  @propertyWrapper public struct State<Value> {
    private final class Box {
      var value: Value
      init(_ value: Value) { self.value = value }
    }

    private let box: Box
    public init(wrappedValue: Value) { box = Box(wrappedValue) }

    public var wrappedValue: Value {
      get { box.value }
      nonmutating set { box.value = newValue }
    }

    public var projectedValue: Binding<Value> { Binding(get: { box.value }, set: { box.value = $0 }) }
  }

  public enum ScenePhase { case background, inactive, active }

  public struct EnvironmentValues {
    /// The values for the view that is drawn.
    @MainActor public static var current = EnvironmentValues()
    public var scenePhase = ScenePhase.active
    var objects: [ObjectIdentifier: AnyObject] = [:]
  }

  /// Keeps the value of the environment in which the view's body was drawn, for the actions of buttons.
  @MainActor @propertyWrapper public struct Environment<Value> {
    private final class Box {
      var value: Value?
    }

    private let box = Box()
    private let read: (EnvironmentValues) -> Value?

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { read = { $0[keyPath: keyPath] } }
    public init(_ type: Value.Type) where Value: AnyObject & Observable {
      read = { $0.objects[ObjectIdentifier(type)] as? Value }
    }

    public var wrappedValue: Value {
      if let value = read(.current) { box.value = value }
      guard let value = box.value else { fatalError("the view is outside `.environment` with a \(Value.self)") }
      return value
    }
  }

  @MainActor public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
  }

  @MainActor public protocol Scene {
    var content: any View { get }
  }

  public struct WindowGroup<Content: View>: Scene {
    public let content: any View
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
  }

  @MainActor public protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
  }

  extension App {
    /// Prints the window's lines after the first tasks of its views.
    public static func main() async {
      let view = Self().body.content
      var canvas = Canvas()
      view.draw(on: &canvas)
      for task in canvas.tasks { await task() }
      canvas = Canvas()
      view.draw(on: &canvas)
      for line in canvas.lines { print(line) }
    }
  }
#endif
