#if Postgres
  // The names that an app with a log on a server needs in addition to the module Annals. A package with a custom store
  // on a server imports AnnalsLog and AnnalsRemote, which contain all other names.

  @_exported public import struct AnnalsLog.ConnectionReport
  @_exported public import struct AnnalsLog.LogStatistics
  @_exported public import struct AnnalsLog.StoreMeasurement
  @_exported public import protocol AnnalsLog.StoreMonitor
  @_exported public import struct AnnalsLog.StoreOperation
  @_exported public import struct AnnalsRemote.FollowerLease
  @_exported public import struct AnnalsRemote.FollowerQuarantine
  @_exported public import struct AnnalsRemote.FollowerState
  @_exported public import struct AnnalsRemote.LogCompaction
  @_exported public import struct AnnalsRemote.LogErasure
  @_exported public import struct AnnalsRemote.QuarantinedStream
  @_exported public import protocol AnnalsRemote.RemoteEventStore
  @_exported public import class AnnalsRemote.RemoteFollower
  @_exported public import struct AnnalsRemote.RemoteSubscription
  @_exported public import class AnnalsRemote.Replica
#endif
