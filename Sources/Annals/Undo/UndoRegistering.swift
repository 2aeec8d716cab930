#if canImport(ObjectiveC)
  public import Foundation
#endif

/// An object, such as Foundation's `UndoManager`, that keeps the stacks of actions behind the Undo and Redo menu items.
///
/// On a system without `UndoManager`, conform your own type to this protocol. The type must keep two stacks of actions.
/// An action that is registered while an undo runs belongs to the redo stack, and any other action belongs to the undo
/// stack.
@MainActor public protocol UndoRegistering: AnyObject {
  /// Adds an action to the redo stack if an undo is running, or otherwise to the undo stack.
  ///
  /// - Parameters:
  ///   - target: The bridge that registers the action. A screen can remove all actions of a target.
  ///   - title: The action's title in the menu, or `nil` for an action without a title.
  ///   - action: The closure to run when the user undoes or redoes the action.
  func registerUndo(
    withTarget target: UndoBridge, named title: String?, _ action: @escaping @MainActor @Sendable () -> Void)

  /// Removes all actions of a target from both stacks.
  ///
  /// - Parameter target: The bridge that registered the actions.
  func removeAllActions(withTarget target: Any)
}

/// A bridge that lets the user undo and redo the steps of an ``UndoHistory`` with the system's menu items, similar to
/// Core Data's `undoManager`.
///
///     let bridge = UndoBridge(history, to: window.undoManager) { error in show(error) }
///     try history.execute(.take(2, "Bob"), on: Hall["main"], named: "Take Seat")
///     try bridge.register()
///
/// When a screen disappears, call ``removeActions()`` to remove its steps from the menu. The history keeps them.
///
/// The history contains all steps of the author, but the menu contains only the steps that you register. If a step was
/// already undone by another window or device, or if its undo is refused, the step is removed from the menu, and the
/// bridge calls `onFailure`. The history's steps to undo and to redo don't change in this case.
@MainActor public final class UndoBridge {
  private let history: UndoHistory
  private weak var manager: (any UndoRegistering)?
  private let onFailure: @MainActor (any Error) -> Void
  private var registered: UndoHistory.Step.ID?

  /// Creates a bridge from a history to an undo manager.
  ///
  /// - Parameters:
  ///   - history: The history whose steps the user can undo and redo.
  ///   - manager: The object that keeps the menu's actions. The bridge keeps only a weak reference to this object.
  ///   - onFailure: A closure that the bridge calls when an undo or a redo fails. The error is usually an
  ///     ``UndoError``.
  public init(
    _ history: UndoHistory, to manager: any UndoRegistering, onFailure: @escaping @MainActor (any Error) -> Void
  ) {
    self.history = history
    self.manager = manager
    self.onFailure = onFailure
  }

  /// Adds the author's last step to the undo menu.
  ///
  /// Call this method after you have executed a step. If the step is already the last registered step, the call has no
  /// effect. For example, this happens after another command of the same group.
  ///
  /// - Throws: ``EventStoreError``.
  public func register() throws {
    guard let step = try history.stacks().undo.last, step.id != registered else { return }
    registered = step.id
    register(step, isRedo: false)
  }

  /// Removes all steps that this bridge registered from the undo menu and the redo menu.
  ///
  /// The history's steps to undo and to redo don't change.
  public func removeActions() { manager?.removeAllActions(withTarget: self) }

  private func register(_ step: UndoHistory.Step, isRedo: Bool) {
    // The menu retains the bridge as long as the menu has an action of the bridge.
    manager?.registerUndo(withTarget: self, named: step.title) { self.take(step, isRedo: isRedo) }
  }

  private func take(_ step: UndoHistory.Step, isRedo: Bool) {
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
    /// Adds an action of an ``UndoBridge`` to the manager's current undo group, and sets the action's title.
    public func registerUndo(
      withTarget target: UndoBridge, named title: String?, _ action: @escaping @MainActor @Sendable () -> Void
    ) {
      registerUndo(withTarget: target) { _ in MainActor.assumeIsolated { action() } }
      if let title { setActionName(title) }
    }
  }
#endif
