#if Postgres
  package import AnnalsTesting
  import Foundation
  import Synchronization

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// A network between a store and its server, over a socket in a folder of its own: it cuts, delays and halves what is
  /// sent.
  package final class FaultyProxy: Sendable {
    /// How often, of a thousand pieces, something is done to one.
    package struct Faults: Sendable {
      package var delays: Int
      /// The range of a delay, in microseconds.
      package var delay: ClosedRange<UInt32>
      /// A part of a piece is sent, and the rest a moment later.
      package var halves: Int
      /// A part of a piece is sent, and the connection is cut.
      package var cuts: Int
      /// Nothing more is sent, and the connection stays open.
      package var silences: Int

      package init(
        delays: Int = 0, delay: ClosedRange<UInt32> = 0...30_000, halves: Int = 0, cuts: Int = 0, silences: Int = 0
      ) {
        (self.delays, self.delay, self.halves, self.cuts, self.silences) = (delays, delay, halves, cuts, silences)
      }
    }

    package struct Failed: Error, CustomStringConvertible {
      package let description: String
    }

    private struct State {
      var faults = Faults()
      var random: SplitMix64
      var counts = Faults()
      var open: Set<Int32> = []
      /// The open sockets to the server.
      var servers: Set<Int32> = []
      var isOver = false
      /// What is cut whenever it is asked, and how often it still is.
      var cut: [UInt8] = []
      var cutsLeft = 0
      var holds: [Hold] = []
      /// The holds that no message has reached yet.
      var waiting: [Hold] = []
      /// The error that the next connections get instead of a server, and their number.
      var refusal: [UInt8] = []
      var refusalsLeft = 0
      /// True if clients get other process ids than the server's, as from a pooler.
      var hidesProcesses = false
      /// The sockets whose data is discarded.
      var hung: Set<Int32> = []
      var target: String
    }

    /// The folder to be used as `host` in a URL.
    package let folder: String
    private let listener: Int32
    private let state: Mutex<State>

    /// - Parameters:
    ///   - url: The server's URL, with its socket's folder as `host`.
    ///   - random: Chooses the faults.
    /// - Throws: ``Failed`` if no socket can be had.
    package init(to url: String, _ random: SplitMix64) throws {
      let target = try Self.target(url)
      folder = "/tmp/annals-net-\(UInt32.random(in: 0 ... .max))"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      state = Mutex(State(random: random, target: target))
      listener = Self.makeSocket()
      let isBound = Self.withAddress(folder + "/.s.PGSQL.5432") { bind(listener, $0, $1) } == 0
      guard isBound, listen(listener, 64) == 0 else {
        throw Failed(description: "no socket could be had in \(folder)")
      }
      Thread.detachNewThread { [self] in accept() }
    }

    package var url: String { "postgresql://annals@/annals?host=\(folder)" }
    /// How often each fault happened.
    package var counts: Faults { state.withLock { $0.counts } }
    package var faults: Faults {
      get { state.withLock { $0.faults } }
      set { state.withLock { $0.faults = newValue } }
    }

    /// Cuts the connection of each piece that holds some words, instead of passing it on.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - times: How often.
    package func cut(at words: String, times: Int) {
      state.withLock { ($0.cut, $0.cutsLeft) = (Array(words.utf8), times) }
    }
    /// How often what was named is still cut.
    package var cutsLeft: Int { state.withLock { $0.cutsLeft } }

    /// Holds the next words of a client until a closure is called, and the bytes after them.
    ///
    /// The server gets the bytes before the words.
    ///
    /// - Parameter words: The words.
    /// - Returns: The hold. Calling it passes the message on.
    package func hold(at words: String) -> Hold {
      let hold = Hold(words: Array(words.utf8))
      state.withLock {
        $0.waiting.append(hold)
        $0.holds.append(hold)
      }
      return hold
    }
    /// True if every hold has held a message.
    package var hasHeld: Bool { state.withLock { !$0.holds.isEmpty && $0.waiting.isEmpty } }

    package final class Hold: Sendable {
      fileprivate let words: [UInt8]
      fileprivate let release = DispatchSemaphore(value: 0)
      private let reached = Mutex(false)
      fileprivate init(words: [UInt8]) { self.words = words }

      /// True if a message is held now, or was held.
      package fileprivate(set) var hasHeld: Bool {
        get { reached.withLock { $0 } }
        set { reached.withLock { $0 = newValue } }
      }
      package func callAsFunction() { release.signal() }
    }

    /// Discards the data of all open connections, which stay open, as after the loss of a machine.
    package func hangExisting() { state.withLock { $0.hung = $0.open } }

    /// Discards the server's responses on all open connections, which stay open.
    ///
    /// Requests still reach the server.
    package func hangResponses() { state.withLock { $0.hung = $0.servers } }

    /// Cuts all open connections.
    package func cutExisting() {
      // Under the lock, no socket is closed, so no number belongs to another file by now.
      state.withLock { for end in $0.open { shutdown(end, Int32(SHUT_RDWR)) } }
    }

    /// Gives later connections other process ids than the server's, as a pooler does.
    package func hideProcesses() { state.withLock { $0.hidesProcesses = true } }

    /// Replaces the process id in a piece that contains one (postgresql.org/docs, "Message Formats", BackendKeyData).
    private func hideProcess(in piece: inout [UInt8], _ count: Int) {
      guard state.withLock({ $0.hidesProcesses }),
        let start = piece[..<count].firstRange(of: [UInt8(ascii: "K"), 0, 0, 0, 12])?.upperBound, start < count
      else { return }
      piece[start] ^= 0x40
    }

    /// Connects later connections to another server.
    package func redirect(to url: String) throws {
      let target = try Self.target(url)
      state.withLock { $0.target = target }
    }

    /// Responds to the next connections with an error, as a server that starts.
    ///
    /// - Parameters:
    ///   - code: The SQLSTATE.
    ///   - message: The message, in the server's language.
    ///   - times: The number of connections.
    package func refuse(_ code: String, _ message: String, times: Int) {
      let fields = ["SFATAL", "VFATAL", "C" + code, "M" + message, "Fpostmaster.c", "L2415", "RProcessStartupPacket"]
      let body: [UInt8] = fields.flatMap { Array($0.utf8) + [0] } + [0]
      let length = withUnsafeBytes(of: UInt32(body.count + 4).bigEndian) { Array($0) }
      state.withLock { ($0.refusal, $0.refusalsLeft) = ([UInt8(ascii: "E")] + length + body, times) }
    }
    /// The number of connections that still get the error.
    package var refusalsLeft: Int { state.withLock { $0.refusalsLeft } }

    private static func target(_ url: String) throws -> String {
      guard let host = url.split(separator: "=").last else {
        throw Failed(description: "expected a URL that ends with a folder, found \(url)")
      }
      return "\(host)/.s.PGSQL.5432"
    }

    /// Ends all connections and takes no more.
    package func close() {
      let (open, holds) = state.withLock { state in
        state.isOver = true
        return (state.open, state.holds)
      }
      for hold in holds { hold.release.signal() }
      for end in open { shutdown(end, Int32(SHUT_RDWR)) }
      // Wakes the thread, which closes the listener. Otherwise the thread could accept a connection of another test,
      // whose listener got the same number.
      let waker = Self.makeSocket()
      _ = Self.withAddress(folder + "/.s.PGSQL.5432") { connect(waker, $0, $1) }
      _ = Self.end(waker)
      try? FileManager.default.removeItem(atPath: folder)
    }

    private func accept() {
      defer { _ = Self.end(listener) }
      while true {
        let client = Self.take(listener)
        if client < 0 { return }
        if state.withLock({ $0.isOver }) {
          _ = Self.end(client)
          return
        }
        let (refusal, target) = state.withLock { state in
          defer { state.refusalsLeft -= state.refusalsLeft > 0 ? 1 : 0 }
          return (state.refusalsLeft > 0 ? state.refusal : nil, state.target)
        }
        if let refusal {
          // The first message is short, and arrives in one piece.
          var bytes = [UInt8](repeating: 0, count: 1 << 14)
          if recv(client, &bytes, bytes.count, 0) > 0 { _ = Self.send(refusal[...], to: client) }
          _ = Self.end(client)
          continue
        }
        let server = Self.makeSocket()
        if Self.withAddress(target, { connect(server, $0, $1) }) != 0 {
          _ = (Self.end(client), Self.end(server))
          continue
        }
        state.withLock { state in
          state.open.formUnion([client, server])
          state.servers.insert(server)
        }
        // Both directions end together; the one that ends last closes the sockets.
        let last = Ended(left: 2)
        for (source, sink) in [(client, server), (server, client)] {
          Thread.detachNewThread { [self] in
            pump(source, sink)
            shutdown(source, Int32(SHUT_RDWR))
            shutdown(sink, Int32(SHUT_RDWR))
            guard last.isLast() else { return }
            state.withLock { state in
              state.open.subtract([client, server])
              state.servers.remove(server)
              state.hung.subtract([client, server])
            }
            _ = (Self.end(client), Self.end(server))
          }
        }
      }
    }

    private final class Ended: Sendable {
      private let left: Mutex<Int>
      init(left: Int) { self.left = Mutex(left) }

      func isLast() -> Bool {
        left.withLock { left in
          left -= 1
          return left == 0
        }
      }
    }

    private enum Fate { case pass, delay(UInt32), halve(Int, UInt32), cut(Int), silence, hold(Int, DispatchSemaphore) }

    private func fate(of piece: ArraySlice<UInt8>, from source: Int32) -> Fate {
      let count = piece.count
      return state.withLock { state in
        if state.hung.contains(source) { return .silence }
        for (index, hold) in state.waiting.enumerated() {
          guard let place = piece.firstRange(of: hold.words)?.lowerBound else { continue }
          state.waiting.remove(at: index)
          hold.hasHeld = true
          return .hold(place, hold.release)
        }
        if state.cutsLeft > 0, piece.contains(state.cut) {
          state.cutsLeft -= 1
          return .cut(0)
        }
        func happens(_ share: Int, _ counter: WritableKeyPath<Faults, Int>) -> Bool {
          guard Int.random(in: 0..<1_000, using: &state.random) < share else { return false }
          state.counts[keyPath: counter] += 1
          return true
        }
        if happens(state.faults.cuts, \.cuts) { return .cut(Int.random(in: 0...count, using: &state.random)) }
        if happens(state.faults.silences, \.silences) { return .silence }
        if happens(state.faults.halves, \.halves) {
          return .halve(
            Int.random(in: 0...count, using: &state.random), UInt32.random(in: 0...20_000, using: &state.random))
        }
        if happens(state.faults.delays, \.delays) {
          return .delay(.random(in: state.faults.delay, using: &state.random))
        }
        return .pass
      }
    }

    private func pump(_ source: Int32, _ sink: Int32) {
      var bytes = [UInt8](repeating: 0, count: 1 << 14)
      while true {
        let count = recv(source, &bytes, bytes.count, 0)
        if count <= 0 { return }
        hideProcess(in: &bytes, count)
        switch fate(of: bytes[..<count], from: source) {
        case .pass: if !Self.send(bytes[..<count], to: sink) { return }
        case .delay(let time):
          usleep(time)
          if !Self.send(bytes[..<count], to: sink) { return }
        case .halve(let part, let time):
          if !Self.send(bytes[..<part], to: sink) { return }
          usleep(time)
          if !Self.send(bytes[part..<count], to: sink) { return }
        case .hold(let part, let release):
          if !Self.send(bytes[..<part], to: sink) { return }
          release.wait()
          if !Self.send(bytes[part..<count], to: sink) { return }
        case .cut(let part):
          _ = Self.send(bytes[..<part], to: sink)
          return
        // What comes is taken and not passed on, until the other side has enough.
        case .silence: while recv(source, &bytes, bytes.count, 0) > 0 {}
        }
      }
    }

    private static func send(_ bytes: ArraySlice<UInt8>, to sink: Int32) -> Bool {
      var rest = bytes
      while !rest.isEmpty {
        #if canImport(Darwin)
          let flags: Int32 = 0
        #else
          let flags = Int32(MSG_NOSIGNAL)
        #endif
        let count = rest.withUnsafeBytes { write(sink, $0.baseAddress, $0.count, flags) }
        if count <= 0 { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }

    private static func write(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
      #if canImport(Darwin)
        Darwin.send(socket, bytes, count, flags)
      #elseif canImport(Glibc)
        Glibc.send(socket, bytes, count, flags)
      #else
        Musl.send(socket, bytes, count, flags)
      #endif
    }

    private static func take(_ listener: Int32) -> Int32 {
      #if canImport(Darwin)
        Darwin.accept(listener, nil, nil)
      #elseif canImport(Glibc)
        Glibc.accept(listener, nil, nil)
      #else
        Musl.accept(listener, nil, nil)
      #endif
    }

    private static func end(_ socket: Int32) -> Int32 {
      #if canImport(Darwin)
        Darwin.close(socket)
      #elseif canImport(Glibc)
        Glibc.close(socket)
      #else
        Musl.close(socket)
      #endif
    }

    private static func makeSocket() -> Int32 {
      #if canImport(Glibc)
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      #else
        socket(AF_UNIX, SOCK_STREAM, 0)
      #endif
    }

    private static func withAddress<T>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { place in
        place.copyBytes(from: path.utf8.prefix(place.count - 1))
      }
      let size = socklen_t(MemoryLayout<sockaddr_un>.size)
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
      }
    }
  }
#endif
