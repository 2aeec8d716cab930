#if Postgres
  import Annals
  import AnnalsRemote

  extension GroupWriter {
    private func unknownOutcome(_ failure: SQLFailure) -> EventStoreError {
      .unknownOutcome(EventStoreError(failure, options).message)
    }

    /// Retries an append of a failed group until its outcome is known.
    ///
    /// If the connection was lost, the append might be committed, or its message might still be on its way. So the
    /// append is resent with the same identities. The server locks the frontier, and then checks whether the append
    /// already exists.
    func settle(
      _ append: AppendSQL, _ deadline: UInt64, _ count: Int, _ failure: SQLFailure, _ away: inout SQLFailure?
    ) async throws -> Receipt {
      var (failure, wasLost) = (failure, false)
      var tries = 0
      if let away {
        // The previous append already waited for the server for the maximum time. Don't wait a second time.
        switch failure {
        case .lost, .unconfirmed: throw unknownOutcome(away)
        default: throw EventStoreError(away, options)
        }
      }
      while true {
        switch failure {
        case .unconfirmed where nowInNanoseconds() >= deadline:
          away = failure
          throw unknownOutcome(failure)
        case .lost(let message), .unconfirmed(let message):
          wasLost = true
          guard append.canBeSettled else {
            throw EventStoreError(
              .unknownOutcome,
              "it's unknown whether an append was committed, because the connection was lost during the commit "
                + "(\(message)). The append has no command id, and the caller chose the first event's identity. So the "
                + "store can't distinguish this append from another append of the same events. Check whether the log "
                + "contains the first event, and give later appends a command id")
          }
        case _ where failure.isLockTimeout:
          if nowInNanoseconds() < deadline { break }
          let locked = await pool.lockFailure(in: text, for: .write)
          away = locked
          throw wasLost ? unknownOutcome(locked) : EventStoreError(locked, options)
        case .refused(let state, _):
          // The append is retried if the server is stopping or starting, if the server aborted this transaction to end
          // a deadlock, or if another append of the group failed.
          guard tries == 0 && count > 1 || state.hasPrefix("57P") || state.hasPrefix("40") else {
            // If this attempt is refused, it's still unknown whether the lost attempt is committed.
            throw wasLost ? unknownOutcome(failure) : EventStoreError(failure, options)
          }
        default:
          away = failure
          throw wasLost ? unknownOutcome(failure) : EventStoreError(failure, options)
        }
        tries += failure.isLockTimeout ? 0 : 1
        if tries > 20 { throw wasLost ? unknownOutcome(failure) : EventStoreError(failure, options) }
        do {
          return try append.receipt(try await rows(of: [append], isAgain: wasLost, until: deadline), 0)
        } catch let error as SQLFailure { failure = error }
      }
    }
  }
#endif
