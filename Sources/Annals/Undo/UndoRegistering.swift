#if canImport(ObjectiveC)
  public import Foundation
#endif

/// What a system has for a menu's Undo and Redo: Foundation's `UndoManager`, where there is one.
///
/// A type of yours conforms to it where there is none. It keeps the actions on two stacks: one that is registered while
/// an undo runs is for the redo.
@MainActor public protocol UndoRegistering: AnyObject {
  /// Keeps an action.
  ///
  /// - Parameters:
  ///   - title: What the action is called in the menu; nil for no name.
  ///   - action: What to do.
  func registerUndo(named title: String?, _ action: @escaping @MainActor @Sendable () -> Void)
}

/// Lets the system's menu undo the steps of a history: Core Data's `undoManager` has this place.
///
///     let bridge = UndoBridge(history, to: window.undoManager) { error in show(error) }
///     try history.execute(.take(2, "Bob"), on: Hall.self, id: "main", named: "Take Seat")
///     try bridge.register()
///
/// The history knows all steps of the actor, the menu only those that were registered. A step that was taken back
/// elsewhere meanwhile, or that is refused, goes from the menu, and you hear of it; what is on the history's stacks
/// stays there.
@MainActor public final class UndoBridge {
  private let history: UndoHistory
  private weak var manager: (any UndoRegistering)?
  private let onFailure: @MainActor (any Error) -> Void
  private var registered: UndoStep.ID?

  /// Creates a bridge.
  ///
  /// - Parameters:
  ///   - history: The history.
  ///   - manager: Who keeps the actions; the bridge does not keep it alive.
  ///   - onFailure: Hears of an undo or a redo that fails: an ``UndoError``, mostly.
  public init(
    _ history: UndoHistory, to manager: any UndoRegistering, onFailure: @escaping @MainActor (any Error) -> Void
  ) {
    (self.history, self.manager, self.onFailure) = (history, manager, onFailure)
  }

  /// Registers the actor's last step; call it when you have executed one.
  ///
  /// A step that the bridge has registered last is not registered again, such as a group that goes on.
  ///
  /// - Throws: ``EventStoreError``.
  public func register() throws {
    guard let step = try history.stacks().undo.last, step.id != registered else { return }
    registered = step.id
    register(step, isRedo: false)
  }

  private func register(_ step: UndoStep, isRedo: Bool) {
    // The menu keeps the bridge alive as long as it has an action of it.
    manager?.registerUndo(named: step.title) { self.take(step, isRedo: isRedo) }
  }

  private func take(_ step: UndoStep, isRedo: Bool) {
    do {
      _ = try isRedo ? history.redo(step) : history.undo(step)
      let stacks = try history.stacks()
      let opposite = (isRedo ? stacks.undo : stacks.redo).last { $0.target == step.id }
      registered = stacks.undo.last?.id
      if let opposite { register(opposite, isRedo: !isRedo) }
    } catch {
      onFailure(error)
    }
  }
}

#if canImport(ObjectiveC)
  extension UndoManager: @MainActor UndoRegistering {
    /// Keeps an action, as a group of its own if groups are not made by events.
    public func registerUndo(named title: String?, _ action: @escaping @MainActor @Sendable () -> Void) {
      registerUndo(withTarget: self) { _ in MainActor.assumeIsolated { action() } }
      if let title { setActionName(title) }
    }
  }
#endif
