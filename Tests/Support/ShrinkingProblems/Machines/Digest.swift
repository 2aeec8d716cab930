import AnnalsTesting

/// A sum over blocks of 16 bytes that gets its bytes in parts (Hypothesis issue 2523, five minutes without a result).
///
/// Its mistake: a part that fills a block that was begun, and goes beyond it, leaves a byte out.
final class Digest {
  private var block: [UInt8] = []
  private(set) var sum: UInt64 = 0
  private(set) var count = 0

  func add(_ bytes: [UInt8]) {
    let isLost = !block.isEmpty && block.count + bytes.count > 16
    for byte in isLost ? Array(bytes.dropLast()) : bytes {
      block.append(byte)
      count += 1
      if block.count == 16 {
        sum = block.reduce(sum) { $0 &* 31 &+ UInt64($1) }
        block = []
      }
    }
  }
}

struct DigestMachine: Machine {
  func start() -> (model: Int, system: Digest) { (0, Digest()) }

  var commands: [Command<Int, Digest>] {
    Command("add(_:)") { _ in
      Generator<[UInt8]>.array(of: .integer(in: 0...255))
    } model: { (model: inout Int, bytes: [UInt8]) in
      model += bytes.count
    } run: { (system: Digest, bytes: [UInt8]) in
      system.add(bytes)
    }
  }

  func invariant(_ model: Int, _ system: Digest) throws { try ensureEqual(system.count, model) }
}
