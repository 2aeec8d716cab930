/// The receivers of a list's changes: its delegate, its observing closures and its change sequences.
final class ListAudience<Row: Annals.Row> {
  /// A closure that receives changes.
  ///
  /// It is an object, because code for every row type copies an array of structs at the cost of type lookups.
  private final class Observer {
    let number: Int
    /// The last list that the observer received.
    var known: Results<Row>
    let body: (Changes<Row>) -> Void
    /// True once the observer was removed, even in the middle of a notification.
    var isRemoved = false

    init(_ number: Int, knowing known: Results<Row>, _ body: @escaping (Changes<Row>) -> Void) {
      (self.number, self.known, self.body) = (number, known, body)
    }

    /// Calls the closure with the changes since the last list that the observer received.
    func receive(_ changes: Changes<Row>, to new: Results<Row>) {
      let known = known
      self.known = new
      body(changes.begins(at: known) ? changes : changes.beginning(at: known))
    }
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
  private var observers: [Observer] = [] {
    didSet {
      hasObservers = !observers.isEmpty
      onlyObserver = observers.count == 1 ? observers[0] : nil
    }
  }
  /// The only observer, which is notified without a look-up of the array's type, or `nil`.
  private var onlyObserver: Observer?
  private var lastNumber = 0
  private var subscriptions: [WeakSubscription] = [] { didSet { hasSubscriptions = !subscriptions.isEmpty } }
  private var watchers: [any ListWatcher<Row>] = [] { didSet { isWatched = !watchers.isEmpty } }
  /// True if watchers receive every shown list.
  private(set) var isWatched = false
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
    observers.append(Observer(lastNumber, knowing: list, body))
    return lastNumber
  }

  func removeObserver(_ number: Int) {
    observers.removeAll {
      if $0.number == number { $0.isRemoved = true }
      return $0.isRemoved
    }
  }

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
    if hasSubscriptions {
      for subscription in subscriptions { subscription.value?.add(changes) }
      subscriptions.removeAll { $0.value == nil }
    }
    if !hasObservers { return }
    let new = changes.new
    if let onlyObserver { return onlyObserver.receive(changes, to: new) }
    // Observers that are added by a closure don't receive these changes.
    for observer in observers where !observer.isRemoved { observer.receive(changes, to: new) }
  }

  func addWatcher(_ watcher: some ListWatcher<Row>) { watchers.append(watcher) }

  func removeWatcher(_ watcher: some ListWatcher<Row>) {
    if let index = watchers.firstIndex(where: { $0 === watcher }) { watchers.remove(at: index) }
  }

  @inline(never)
  func notifyWatchers(of list: Results<Row>, _ basis: WatchedBasis?, failure: (any Error)?) {
    for watcher in watchers { watcher.watch(list, of: basis, failure: failure) }
  }

  /// Replaces a list that observers know by an equal list, without a notification.
  func replace(_ list: Results<Row>, by equal: Results<Row>) {
    for observer in observers where observer.known.storage === list.storage { observer.known = equal }
    for subscription in subscriptions { subscription.value?.replace(list, by: equal) }
    for watcher in watchers { watcher.replace(list, by: equal) }
  }
}
