/// The receivers of a list's changes: its delegate, its observing closures and its change sequences.
final class ListAudience<Row: Annals.Row> {
  private struct Observer {
    let number: Int
    /// The last list that the observer received.
    var known: Results<Row>
    let body: (Changes<Row>) -> Void
  }

  private struct WeakSubscription {
    weak var value: ChangeSubscription<Row>?
  }

  weak var delegate: (any FetchedResultsControllerDelegate<Row>)? {
    willSet { if newValue !== delegate { delegateNumber += 1 } }
  }
  /// The number of delegate replacements until now.
  ///
  /// A batch compares this number instead of the delegates. Reading a weak reference for every changed row took 3 % of
  /// the time of a change of 100,000 rows.
  private(set) var delegateNumber = 0
  var moves: MoveReporting = .rows
  /// True while delivery is suspended.
  ///
  /// This flag is independent of the phase, because the first list is shown even during a suspension.
  var isSuspended = false
  private var observers: [Observer] = [] { didSet { hasObservers = !observers.isEmpty } }
  private var lastNumber = 0
  private var subscriptions: [WeakSubscription] = [] { didSet { hasSubscriptions = !subscriptions.isEmpty } }
  /// Flags that a delivery reads several times instead of the arrays.
  ///
  /// Reading the arrays looks up their types every time, which took 2 % of a delivery's time.
  private var (hasObservers, hasSubscriptions) = (false, false)

  deinit {
    for subscription in subscriptions { subscription.value?.finish() }
  }

  /// True if observers other than the delegate receive changes.
  var isObserved: Bool { hasObservers || hasSubscriptions && hasSubscribers }

  // Not inlined, because an inlined copy would look up the type metadata at the beginning of `isObserved`.
  @inline(never)
  private var hasSubscribers: Bool { subscriptions.contains { $0.value != nil } }

  /// Adds a closure that is called with every batch of changes.
  ///
  /// - Returns: The number by which ``removeObserver(_:)`` removes the closure.
  func addObserver(knowing list: Results<Row>, _ body: @escaping (Changes<Row>) -> Void) -> Int {
    lastNumber += 1
    observers.append(Observer(number: lastNumber, known: list, body: body))
    return lastNumber
  }

  func removeObserver(_ number: Int) { observers.removeAll { $0.number == number } }

  /// Adds a subscription that receives all later changes of a list.
  func subscribe(knowing list: Results<Row>) -> ChangeSubscription<Row> {
    let subscription = ChangeSubscription(knowing: list)
    subscriptions.append(WeakSubscription(value: subscription))
    return subscription
  }

  /// Notifies the observers other than the delegate.
  ///
  /// An observer's batch begins with the last list that this observer received.
  func notify(_ changes: Changes<Row>) {
    if hasObservers || hasSubscriptions { notifyAll(changes) }
  }

  @inline(never)
  private func notifyAll(_ changes: Changes<Row>) {
    for subscription in subscriptions { subscription.value?.add(changes) }
    subscriptions.removeAll { $0.value == nil }
    for number in observers.map({ $0.number }) {
      guard let index = observers.firstIndex(where: { $0.number == number }) else { continue }
      let observer = observers[index]
      observers[index].known = changes.new
      observer.body(changes.beginning(at: observer.known))
    }
  }

  /// Replaces a list that observers know by an equal list, without a notification.
  func replace(_ list: Results<Row>, by equal: Results<Row>) {
    for index in observers.indices where observers[index].known.storage === list.storage {
      observers[index].known = equal
    }
    for subscription in subscriptions { subscription.value?.replace(list, by: equal) }
  }
}
