import Annals
import AnnalsSQLite
import Foundation
import Observation

#if canImport(CoreData)
  import CoreData
#endif
#if canImport(SwiftUI)
  import SwiftUI
#endif
#if canImport(UIKit)
  import UIKit
#endif

func privateFolder() throws -> URL {
  let support = try FileManager.default.url(
    for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
  return support.appending(path: "Todo")
}

#if canImport(Darwin)
  func sharedFolder() throws -> URL {
    let group = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.example.todo")
    guard let group else { throw CocoaError(.fileNoSuchFile) }
    return group.appending(path: "Todo")
  }
#endif

@MainActor @Observable final class TodoFile {
  private(set) var store: SQLiteEventStore?
  private(set) var message: String?
  private let folder: () throws -> URL

  init(in folder: @escaping () throws -> URL = privateFolder) {
    self.folder = folder
    open()
  }

  func open() {
    guard store == nil else { return }
    do {
      let folder = try folder()
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true,
        attributes: [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication])
      store = try SQLiteEventStore(path: folder.appending(path: "todo.annals").path)
      message = nil
    } catch {
      message = error.localizedDescription
    }
  }

  func suspend() { store?.suspend() }

  func resume() {
    store?.resume()
    open()
  }
}

struct TodoRoot: View {
  @Environment(\.scenePhase) private var phase
  let file: TodoFile

  var body: some View {
    VStack {
      if let store = file.store { TodosScreen(store: store) }
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

#if !os(macOS) && !os(watchOS)
  @MainActor final class BackgroundWork {
    private var task = UIBackgroundTaskIdentifier.invalid

    /// Finishes work in the background, and then calls `suspend`.
    func finish(
      _ work: @escaping @MainActor () async throws -> Void, then suspend: @escaping @MainActor @Sendable () -> Void
    ) {
      task = UIApplication.shared.beginBackgroundTask { [self] in end(suspend) }
      Task {
        try? await work()
        end(suspend)
      }
    }

    /// Lets the work continue in the foreground, without a suspension at its end.
    func continueInForeground() { end {} }

    private func end(_ suspend: () -> Void) {
      guard task != .invalid else { return }
      suspend()
      UIApplication.shared.endBackgroundTask(task)
      task = .invalid
    }
  }
#endif

func excludeFromBackup(_ folder: URL) throws {
  var folder = folder
  var values = URLResourceValues()
  values.isExcludedFromBackup = true
  try folder.setResourceValues(values)
}

extension TodoList.Refusal: LocalizedError {
  var errorDescription: String? {
    switch self {
    case .alreadyThere: "This item is already in the list."
    case .notThere: "This item was removed."
    case .alreadyDone: "This item is already done."
    }
  }
}

struct TodosScreen: View {
  let store: any EventStore
  @State private var todos: FetchedResultsController<Todo>
  @State private var message = ""
  @State private var isMessageShown = false

  init(store: some EventStore) {
    self.store = store
    _todos = State(
      wrappedValue: FetchedResultsController(
        store: store, projection: Todos(), request: ListRequest(sort: [.ascending(\.title)])))
  }

  var body: some View {
    List {
      ForEach(todos.sections) { section in
        ForEach(section) { todo in
          Button(todo.title) { finish(todo) }
        }
      }
    }
    .task {
      do { try await todos.performFetch { _ in } } catch { show(error) }
    }
    .alert("That isn't possible", isPresented: $isMessageShown) {
      Button("OK") {}
    } message: {
      Text(message)
    }
  }

  private func finish(_ todo: Todo) {
    do { try store.execute(.finish(id: todo.id), on: TodoList["home"]) } catch { show(error) }
  }

  private func show(_ error: any Error) {
    message = error.localizedDescription
    isMessageShown = true
  }
}

struct TodosScreen_Previews: PreviewProvider {
  static var previews: some View {
    let store = MemoryEventStore()
    for (id, title) in ["1": "Buy milk", "2": "Answer Ann"] {
      _ = try? store.execute(.add(id: id, title: title), on: TodoList["home"])
    }
    return TodosScreen(store: store)
  }
}

#if canImport(CoreData)
  @MainActor func oldTasks(in container: NSPersistentContainer) throws -> [OldTask] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Task")
    request.sortDescriptors = [NSSortDescriptor(key: "made", ascending: true)]
    return try container.viewContext.fetch(request).map { task in
      OldTask(
        id: task.objectID.uriRepresentation().absoluteString,
        title: task.value(forKey: "title") as? String ?? "",
        made: task.value(forKey: "made") as? Date ?? .distantPast,
        finished: task.value(forKey: "finished") as? Date)
    }
  }
#endif

/// The program of `Docs/Guides/14-ShippingOnIOS.md`.
enum ShippingOnIOS {
  static func events(of tasks: [OldTask]) throws -> Append { try BringingDataIn.events(of: tasks) }

  @MainActor static func moveOver(_ tasks: () throws -> [OldTask], to store: SQLiteEventStore) async throws {
    guard try store.head() == 0 else { return print("the tasks were moved before") }
    let tasks = try tasks()
    try await store.append(events(of: tasks))
    let list = try await store.list(of: Todos())
    print("moved \(list.rows.count) of \(tasks.count) tasks")
  }

  @MainActor static func run(path: String) async throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().appending(path: "Todo")

    let file = TodoFile { folder }
    file.suspend()
    do {
      try await file.store?.execute(.add(id: "1", title: "Buy milk"), on: TodoList["home"])
    } catch let error as EventStoreError where error.code == .suspended {
      print("the command had no effect")
    }
    file.resume()

    guard let store = file.store else { return }
    let tasks = [
      OldTask(id: "1", title: "Buy milk", made: Date(timeIntervalSince1970: 0)),
      OldTask(id: "2", title: "Answer Ann", made: Date(timeIntervalSince1970: 60)),
    ]
    for _ in 0..<2 { try await moveOver({ tasks }, to: store) }
    try excludeFromBackup(folder)
  }
}
