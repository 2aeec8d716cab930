#if Postgres
  import Annals
  import CAnnalsPQ

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// A nonblocking connection to the server, which makes progress whenever its socket is ready.
  ///
  /// It belongs to the thread of its ``SQLPool``.
  final class SQLConnection {
    enum Phase {
      case connecting(PostgresPollingStatusType)
      /// The connection is open, and waits for the identity of its server process.
      case identifying
      case idle
      case working(SQLWork)
      /// A statement failed inside a transaction. The transaction is rolled back before the next work.
      case recovering
      case dead(SQLFailure)
    }

    /// A server process.
    struct Backend: Equatable {
      /// The time at which the server started, which distinguishes the servers behind an address.
      let server: String
      let pid: Int

      /// The SQL of ``server``.
      static let serverColumn = "extract(epoch FROM pg_catalog.pg_postmaster_start_time())::text"
    }

    private let handle: OpaquePointer?
    private(set) var phase: Phase
    /// The connection's server process.
    ///
    /// It's `nil` behind a pooler that doesn't pass on the process ids of the server.
    private(set) var backend: Backend?
    /// The time at which the current statements were sent, or at which the last data arrived after that.
    private(set) var lastContact: UInt64 = 0
    /// The time at which the server process must be checked if no data arrives before.
    private var checkTime: UInt64 = .max
    /// The time at which connecting began.
    let began: UInt64
    /// The time after which the pool makes another attempt to connect.
    private let lastTime: UInt64
    /// True if connecting has taken so long that the pool makes another attempt.
    var isLate = false
    /// The time after which the current operation has timed out.
    private(set) var deadline: UInt64 = .max
    /// The maximum time without data from the server during a response.
    private var patience: UInt64 = .max
    /// True if the connection is closed as soon as it has no work.
    private(set) var isRetired = false
    /// The time without data after which the server process of a waiting connection is checked.
    static let silence: UInt64 = 1_000_000_000
    /// The index of the URL's host, or 0 if libpq chooses.
    let host: Int
    private var rows: [SQLRows] = []
    private var failure: SQLFailure?
    /// True if the socket hasn't accepted all bytes of a message yet.
    private var hasUnsent = false
    /// For each pending result, the name of the statement that is being prepared, or `nil` if the result contains rows.
    private var awaited: [String?] = []
    /// The names of the statements that the server has prepared for this connection.
    private var prepared: Set<String> = []
    /// True until the server doesn't recognize a prepared statement.
    ///
    /// A server doesn't recognize a prepared statement if a pooler assigns the server's connections to several clients
    /// in turn.
    private var prepares = true
    /// The number of transactions in the message that haven't ended.
    private var openTransactions = 0
    /// True if the message's first transaction was committed, and a statement in a separate transaction follows.
    private var hasCommitted = false
    /// True if the last result that libpq returned was the end of a statement's results.
    private var isBetweenResults = false
    private let secrets: SQLSecrets
    /// A closure that checks a server after connecting, and returns the reason why it can't be used, or `nil`.
    private let check: (OpaquePointer) -> SQLFailure?
    /// The environment whose monitor receives reports, or `nil` after the store was closed.
    private var environment: StoreEnvironment?

    /// Starts to connect.
    ///
    /// - Parameters:
    ///   - conninfo: A URL, or keywords in libpq's format.
    ///   - hosts: The URL's hosts, if they are tried one by one.
    ///   - host: The index of the host to connect to.
    ///   - began: The current time.
    ///   - attemptEnd: The time after which the pool makes another attempt to connect.
    ///   - deadline: The time after which connecting has timed out.
    ///   - environment: The environment whose monitor receives reports about the connection.
    ///   - check: A closure that checks a server after connecting, and returns the reason why it can't be used, or
    ///     `nil`.
    init(
      _ conninfo: String, _ hosts: SQLHosts, host: Int, began: UInt64, attemptEnd: UInt64, deadline: UInt64,
      _ environment: StoreEnvironment,
      check: @escaping (OpaquePointer) -> SQLFailure?
    ) {
      self.check = check
      self.environment = environment
      self.host = host
      self.began = began
      secrets = hosts.secrets
      lastTime = attemptEnd
      self.deadline = deadline
      // "dbname" can contain a whole URL. It overrides earlier parameters, and later parameters override it.
      let words =
        (hosts.keepsAlive ? Self.keepalives : [])
        + [("dbname", conninfo), ("client_encoding", "UTF8"), ("fallback_application_name", "Annals")]
        + (hosts.hosts.isEmpty ? [] : hosts.hosts[host].words)
      let (names, values) = (words.map(\.name), words.map(\.value))
      handle = Self.withCStrings(names) { names in
        Self.withCStrings(values) { values in PQconnectStartParams(names, values, 1) }
      }
      guard let handle else {
        phase = .dead(.unreachable("libpq couldn't allocate memory for a connection"))
        return
      }
      if PQstatus(handle) == CONNECTION_BAD {
        let text = SQLFailure.sentence(String(cString: PQerrorMessage(handle)))
        let (message, host) = (hosts.secrets.redacted(text), PQhost(handle).map { String(cString: $0) } ?? "")
        // libpq's message contains the host only if libpq tried to connect. Otherwise libpq refused the URL.
        let isTried = text.split { !$0.isLetter && !$0.isNumber && !host.contains($0) }
          .contains { $0 == host || $0.hasPrefix(host + "/") }
        phase = .dead(isTried ? .unreachable(message) : .rejected(message, remedy: "correct the URL"))
        report(.failed, isTried ? message : "libpq refused the URL: \(message)")
      } else {
        // libpq returns only a message for a failed connection. With this verbosity, it contains the SQLSTATE.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        phase = .connecting(PGRES_POLLING_WRITING)
      }
    }

    deinit { PQfinish(handle) }

    /// The parameters with which the system ends a connection whose network no longer works.
    ///
    /// An idle connection ends after ten seconds, and a connection with unacknowledged data after five seconds. By
    /// default, Linux first tests an idle connection after two hours. `tcp_user_timeout` is in milliseconds, and has no
    /// effect on other systems than Linux.
    private static let keepalives: [(name: String, value: String)] = [
      ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"), ("tcp_user_timeout", "5000"),
    ]

    var isIdle: Bool { if case .idle = phase { true } else { false } }
    var isDead: Bool { if case .dead = phase { true } else { false } }
    var isConnecting: Bool {
      switch phase {
      case .connecting, .identifying: true
      case .idle, .working, .recovering, .dead: false
      }
    }
    /// The time after which the pool makes another attempt to connect, unless the connection is established or late.
    var attemptEnd: UInt64 { isConnecting && !isLate ? lastTime : .max }
    /// True if the server owes the connection a response.
    var awaitsResponse: Bool {
      switch phase {
      case .working, .recovering: true
      case .connecting, .identifying, .idle, .dead: false
      }
    }
    /// The next time at which the server process must be checked.
    var nextCheck: UInt64 { awaitsResponse && backend != nil ? checkTime : .max }

    /// The socket, and whether the connection waits for it to become readable or writable.
    var interest: (socket: Int32, reads: Bool, writes: Bool) {
      let socket = handle.map { PQsocket($0) } ?? -1
      switch phase {
      case .connecting(let status): return (socket, status != PGRES_POLLING_WRITING, status == PGRES_POLLING_WRITING)
      case .identifying, .idle, .working, .recovering: return (socket, true, hasUnsent)
      case .dead: return (-1, false, false)
      }
    }

    /// Sends a work item's statements on an idle connection.
    ///
    /// - Parameters:
    ///   - work: The work item.
    ///   - now: The current time.
    ///   - patience: The maximum time without data from the server until the end of the response. The whole response
    ///     can take longer.
    func begin(_ work: SQLWork, _ now: UInt64, patience: UInt64) {
      guard let handle, isIdle else { return work.finish(.failure(.unreachable("the connection is in use"))) }
      deadline = now + patience
      self.patience = patience
      touch(now)
      send(work, handle)
    }

    private func touch(_ now: UInt64) {
      lastContact = now
      checkTime = now + Self.silence
    }

    /// Delays the next check of the server process, by the duration of the silence, but by at most ten seconds.
    func delayCheck(_ now: UInt64) {
      let silence = now > lastContact ? now - lastContact : 0
      checkTime = now + min(max(silence, Self.silence), 10 * Self.silence)
    }

    private func send(_ work: SQLWork, _ handle: OpaquePointer) {
      phase = .working(work)
      rows = []
      failure = nil
      awaited = []
      (openTransactions, hasCommitted) = (1, false)
      for statement in work.statements {
        if statement.isSeparate {
          openTransactions += 1
          if PQpipelineSync(handle) != 1 { return die(.lost(message(of: handle))) }
        }
        if !send(statement, handle) { return die(.lost(message(of: handle))) }
      }
      if PQpipelineSync(handle) != 1 { return die(.lost(message(of: handle))) }
      flush(handle)
    }

    /// Sends the second transaction of a message once more.
    private func resend(_ statements: ArraySlice<SQLStatement>, _ handle: OpaquePointer) {
      failure = nil
      (awaited, openTransactions) = ([], 1)
      for statement in statements where !send(statement, handle) { return die(.lost(message(of: handle))) }
      if PQpipelineSync(handle) != 1 { return die(.lost(message(of: handle))) }
      flush(handle)
    }

    /// Sends and receives as much as possible without blocking.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - hasInput: True if the server has sent data.
    func advance(_ now: UInt64, hasInput: Bool) {
      guard let handle else { return }
      switch phase {
      case .dead: return
      case .connecting: connect(handle)
      case .identifying, .idle, .working, .recovering:
        if PQconsumeInput(handle) != 1 { return die(.lost(message(of: handle))) }
        if hasUnsent {
          // The socket accepts more bytes because the network has delivered earlier bytes.
          if !hasInput { touch(now) }
          flush(handle)
        }
        // A server that is sending a long response is still alive.
        if hasInput {
          touch(now)
          if case .working = phase { deadline = now + patience }
        }
        while !isIdle, isAlive, PQisBusy(handle) == 0, read(handle) {}
      }
    }

    /// The number of sent bytes that the network hasn't delivered, or `nil` if the system doesn't know it.
    var undelivered: Int? {
      var count: Int32 = 0
      let socket = handle.map { PQsocket($0) } ?? -1
      #if canImport(Darwin)
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, SOL_SOCKET, SO_NWRITE, &count, &size) == 0 ? Int(count) : nil
      #else
        return ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : nil
      #endif
    }

    /// Closes the connection because its network no longer works.
    func lose() {
      let reason =
        isIdle
        ? "another connection to the server was dropped, and this connection has received no data since then"
        : "the server waits for statements, but no response to the last statements has arrived"
      die(.lost(reason), isSilent: true)
    }

    /// Closes the connection after a timeout.
    func expire() {
      if isConnecting { return die(.late(after: deadline > began ? deadline - began : 0)) }
      die(.lost("the server didn't respond in time (see PostgresOptions.answerTimeout)"), isSilent: true)
    }

    /// Ends an attempt to connect that another attempt replaces.
    func giveUp() { die(.unreachable("the attempt took too long, so the store made another attempt")) }

    /// Closes the connection because its store was closed.
    func close() {
      environment = nil
      expire()
    }

    /// Closes the connection after its current work, because its server is a standby.
    func retire() {
      isRetired = true
      report(.standby, "another connection has found out that the server is a standby")
    }

    /// The host and the port, or an empty string if libpq refused the URL.
    var place: String {
      let (host, port) = (PQhost(handle).map { String(cString: $0) } ?? "", PQport(handle).map { String(cString: $0) })
      return host.isEmpty ? "" : secrets.redacted("\(host):\(port ?? "")")
    }

    private func report(_ kind: ConnectionReport.Kind, _ reason: String) {
      let (place, address) = (place, PQhostaddr(handle).map { String(cString: $0) } ?? "")
      let server =
        "the PostgreSQL server\(place.isEmpty ? "" : " at \(place)")\(address.isEmpty ? "" : " (\(address))")"
      let message =
        switch kind {
        case .opened: "opened a connection to \(server)"
        case .failed: "couldn't open a connection to \(server): \(reason)"
        case .lost: "lost a connection to \(server): \(reason)"
        default: "closed a connection to \(server): \(reason)"
        }
      environment?.note(kind, host: place, message)
    }

    /// Returns the number of notifications that have arrived since the last call.
    func takeNotifications() -> Int {
      guard let handle, isAlive else { return 0 }
      var count = 0
      while let notification = PQnotifies(handle) {
        PQfreemem(notification)
        count += 1
      }
      return count
    }

    private var isAlive: Bool { if case .dead = phase { false } else { true } }

    private func connect(_ handle: OpaquePointer) {
      // A failure closes the socket, so read its state first.
      let step = Step(handle)
      let status = PQconnectPoll(handle)
      switch status {
      case PGRES_POLLING_FAILED:
        let message = message(of: handle)
        die(SQLFailure(toConnect: message) { step.failure(message, handle) })
      case PGRES_POLLING_OK:
        PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        if let problem = check(handle) { return die(problem) }
        // Server notices aren't errors, but libpq would print them to standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
          return die(.lost(message(of: handle)))
        }
        phase = .identifying
        openTransactions = 1
        if !send(Self.identity, handle) || PQpipelineSync(handle) != 1 {
          die(.lost(message(of: handle)))
        } else {
          flush(handle)
        }
      default: phase = .connecting(status)
      }
    }

    /// A step of an attempt to connect, before libpq takes it.
    private struct Step {
      private let status: ConnStatusType
      /// True if a server has accepted the connection.
      private let isAccepted: Bool
      /// The first byte that the server has sent and libpq hasn't read yet.
      private let firstByte: UInt8?
      private let isEncrypted: Bool

      init(_ handle: OpaquePointer) {
        status = PQstatus(handle)
        isAccepted = ![CONNECTION_BAD, CONNECTION_NEEDED, CONNECTION_STARTED].contains(status)
        isEncrypted = status != CONNECTION_SSL_STARTUP && PQsslInUse(handle) == 1
        var byte: UInt8 = 0
        // Before the connection is accepted, the call would take the socket's error, so that libpq wouldn't see it.
        firstByte = isAccepted && recv(PQsocket(handle), &byte, 1, Int32(MSG_PEEK)) == 1 ? byte : nil
      }

      /// Returns the failure if the step fails without an error of the server.
      ///
      /// - Parameters:
      ///   - message: libpq's message.
      ///   - handle: The connection.
      /// - Returns: The failure.
      func failure(_ message: String, _ handle: OpaquePointer) -> SQLFailure {
        if PQconnectionNeedsPassword(handle) == 1 { return .rejected(message, remedy: SQLFailure.access) }
        // The server responds to a request for TLS with one byte, which is "N" if the server doesn't support TLS.
        if status == CONNECTION_SSL_STARTUP, firstByte == UInt8(ascii: "N") {
          return .rejected(message, remedy: "enable TLS on the server, or choose another sslmode in the URL")
        }
        if !isAccepted { return .unreachable(message) }
        // libpq refuses data that the server has sent, for example a certificate. Another attempt would get the same
        // data. "E" is the beginning of an error, which has no SQLSTATE if the server couldn't start a process. On an
        // encrypted connection, the data can also be the end of the connection.
        if let firstByte, firstByte != UInt8(ascii: "E"), !isEncrypted { return .unreachable(message) }
        return .interrupted(message)
      }
    }

    /// The statement that returns the identity of the server process.
    private static let identity = SQLStatement(
      "SELECT \(Backend.serverColumn), pg_catalog.pg_backend_pid()")

    /// Stores the identity of the server process, and begins to accept work.
    private func identify(_ handle: OpaquePointer) {
      // A pooler gives its clients other process ids, and a client can have several server processes in turn.
      if failure == nil, let server = rows.first?.text(0, 0), let pid = rows.first?.int(0, 1),
        pid == Int(PQbackendPID(handle))
      {
        backend = Backend(server: server, pid: pid)
      }
      (rows, failure) = ([], nil)
      (phase, deadline) = (.idle, .max)
      report(.opened, "")
    }

    /// Reads one result, or returns false if none is available yet.
    private func read(_ handle: OpaquePointer) -> Bool {
      // A null result marks the end of one statement's results, before the results of the next statement.
      guard let result = PQgetResult(handle) else {
        defer { isBetweenResults = true }
        return !isBetweenResults
      }
      isBetweenResults = false
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
        if let name = nextAwaited() {
          prepared.insert(name)
          PQclear(result)
        } else {
          rows.append(SQLRows(result))
        }
      case PGRES_PIPELINE_SYNC:
        PQclear(result)
        openTransactions -= 1
        if openTransactions > 0 { hasCommitted = failure == nil } else { settle(handle) }
      case PGRES_PIPELINE_ABORTED:
        _ = nextAwaited()
        PQclear(result)
      default:
        _ = nextAwaited()
        let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
        let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
        failure = failure ?? .refused(state: state, message: message ?? self.message(of: handle))
        PQclear(result)
      }
      return true
    }

    private func nextAwaited() -> String? { awaited.isEmpty ? nil : awaited.removeFirst() }

    /// Completes the work after its last result.
    private func settle(_ handle: OpaquePointer) {
      if case .identifying = phase { return identify(handle) }
      let (outcome, work): (SQLWork.Outcome, SQLWork?) = (
        failure.map { .failure(unconfirmed($0)) } ?? .success(rows),
        { if case .working(let work) = phase { work } else { nil } }()
      )
      if let work, prepares, PQtransactionStatus(handle) == PQTRANS_IDLE, isUnprepared(work) {
        prepares = false
        // No statement of the transaction was executed. Resend it without prepared statements.
        return hasCommitted ? resend(work.statements.drop { !$0.isSeparate }, handle) : send(work, handle)
      }
      if !hasCommitted, let standby = standbyFailure(handle) {
        failure = nil
        return die(standby)
      }
      rows = []
      (failure, hasCommitted) = (nil, false)
      switch PQtransactionStatus(handle) {
      case PQTRANS_IDLE: (phase, deadline) = (.idle, .max)
      default:
        phase = .recovering
        if !send(SQLStatement("ROLLBACK"), handle) || PQpipelineSync(handle) != 1 {
          die(.lost(message(of: handle)))
        } else {
          openTransactions = 1
          flush(handle)
        }
      }
      work?.finish(outcome)
    }

    /// Returns the failure if the server refused to write because it is a standby.
    ///
    /// A server can also refuse to write because of the setting `default_transaction_read_only`. Since version 14, the
    /// server reports to its clients whether it is a standby. Older standbys refuse `BEGIN READ WRITE` with a separate
    /// code.
    private func standbyFailure(_ handle: OpaquePointer) -> SQLFailure? {
      guard case .refused(let state, let message)? = failure else { return nil }
      let report = PQparameterStatus(handle, "in_hot_standby").map { String(cString: $0) }
      let isStandby = report == "on" && ["25006", "0A000"].contains(state) || report == nil && state == "0A000"
      return isStandby ? .standby(message) : nil
    }

    /// Returns true if a work item failed because of a prepared statement that is missing or different on the server.
    ///
    /// The three codes (postgresql.org/docs, "PostgreSQL Error Codes") mean a missing statement, an existing statement,
    /// and a plan whose result changed.
    private func isUnprepared(_ work: SQLWork) -> Bool {
      guard case .refused(let state, _)? = failure else { return false }
      return ["26000", "42P05", "0A000"].contains(state) && work.statements.contains { $0.name != nil }
    }

    private func send(_ statement: SQLStatement, _ handle: OpaquePointer) -> Bool {
      let count = Int32(statement.values.count)
      let types = statement.values.map(\.type)
      let formats = [Int32](repeating: 1, count: statement.values.count)
      // One block of memory contains all values, each with its own terminator, so that an empty value isn't null.
      var (block, starts, lengths): ([UInt8], [Int?], [Int32]) = ([], [], [])
      for value in statement.values {
        let start = block.count
        let hasBytes = value.write(to: &block)
        starts.append(hasBytes ? start : nil)
        lengths.append(Int32(block.count - start))
        block.append(0)
      }
      let name = prepares ? statement.name : nil
      if let name, !prepared.contains(name) {
        if PQsendPrepare(handle, name, statement.text, count, types) != 1 { return false }
        awaited.append(name)
      }
      awaited.append(nil)
      return block.withUnsafeBytes { block in
        let start = block.assumingMemoryBound(to: CChar.self).baseAddress
        let pointers = starts.map { place in place.flatMap { place in start.map { $0 + place } } }
        if let name { return PQsendQueryPrepared(handle, name, count, pointers, lengths, formats, 0) == 1 }
        return PQsendQueryParams(handle, statement.text, count, types, pointers, lengths, formats, 0) == 1
      }
    }

    private func flush(_ handle: OpaquePointer) {
      switch PQflush(handle) {
      case 0: hasUnsent = false
      case 1: hasUnsent = true
      default: die(.lost(message(of: handle)))
      }
    }

    private func die(_ failure: SQLFailure, isSilent: Bool = false) {
      var failure = failure
      let kind = isConnecting ? ConnectionReport.Kind.failed : failure.isStandby ? .standby : isSilent ? .silent : .lost
      // No work was sent yet.
      if isConnecting, case .lost(let message) = failure { failure = .interrupted(message) }
      let work: SQLWork? = if case .working(let work) = phase { work } else { nil }
      // The server's own message about the end of the connection is more useful than the system's error.
      let said: SQLFailure =
        if case .refused(_, let message)? = self.failure { .lost(message) } else { failure }
      let reason = work == nil ? failure : said
      phase = .dead(reason)
      deadline = .max
      report(kind, reason.message ?? "")
      work?.finish(.failure(unconfirmed(said)))
    }

    /// Returns the failure of the message's second transaction, whose first transaction was committed.
    private func unconfirmed(_ failure: SQLFailure) -> SQLFailure {
      guard hasCommitted else { return failure }
      return switch failure {
      case .refused(_, let message), .lost(let message): .unconfirmed(message)
      default: failure
      }
    }

    private func message(of handle: OpaquePointer) -> String {
      secrets.redacted(SQLFailure.sentence(String(cString: PQerrorMessage(handle))))
    }

    private static func withCStrings<T>(
      _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> T
    ) -> T {
      let bytes = texts.map { Array($0.utf8CString) }
      var block: [CChar] = []
      var starts: [Int] = []
      for text in bytes {
        starts.append(block.count)
        block += text
      }
      return block.withUnsafeBufferPointer { block in
        let pointers = starts.map { start in block.baseAddress.map { $0 + start } } + [nil]
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
      }
    }
  }
#endif
