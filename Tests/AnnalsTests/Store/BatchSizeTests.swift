#if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
  import Annals
  import AnnalsRemote
  import AnnalsTesting
  import Testing

  /// Sizes of batches that no batch can have, and numbers of partitions that there cannot be.
  @Suite struct BatchSizeTests {
    @Test func `a subscription of a remote log without room for an event ends the program when it is made`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = MemoryRemoteStore().subscription(after: 0, batchSize: 0)
      }
      let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(said.contains("`batchSize` must be at least 1 (was 0)"), "\(said)")
    }

    @Test func `a stream's partition of none ends the program`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = StreamName("a").partition(of: -1)
      }
      let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(said.contains("`count` must be at least 1 (was -1)"), "\(said)")
    }
  }
#endif
