@_exported public import AnnalsLists

// The names of AnnalsLog that an app needs. A package with a custom store imports AnnalsLog, which has all names.

@_exported public import struct AnnalsLog.Append
@_exported public import struct AnnalsLog.CacheReport
@_exported public import struct AnnalsLog.CompactionError
@_exported public import struct AnnalsLog.CompactionReceipt
@_exported public import enum AnnalsLog.CompactionStep
@_exported public import struct AnnalsLog.DraftSummary
@_exported public import enum AnnalsLog.Durability
@_exported public import struct AnnalsLog.ErasureReceipt
@_exported public import protocol AnnalsLog.Event
@_exported public import enum AnnalsLog.EventCatalog
@_exported public import struct AnnalsLog.EventCodingError
@_exported public import class AnnalsLog.EventFollower
@_exported public import struct AnnalsLog.EventID
@_exported public import protocol AnnalsLog.EventLog
@_exported public import struct AnnalsLog.EventMember
@_exported public import struct AnnalsLog.EventQuery
@_exported public import protocol AnnalsLog.EventStore
@_exported public import struct AnnalsLog.EventStoreError
@_exported public import struct AnnalsLog.EventSubscription
@_exported public import struct AnnalsLog.EventTag
@_exported public import protocol AnnalsLog.EventUnion
@_exported public import enum AnnalsLog.EventUnion2
@_exported public import enum AnnalsLog.ExpectedVersion
@_exported public import struct AnnalsLog.FailureReport
@_exported public import struct AnnalsLog.FollowerRetries
@_exported public import enum AnnalsLog.FollowerStart
@_exported public import struct AnnalsLog.JSONNumber
@_exported public import enum AnnalsLog.JSONValue
@_exported public import class AnnalsLog.MemoryEventStore
@_exported public import struct AnnalsLog.Metadata
@_exported public import struct AnnalsLog.NewEvent
@_exported public import enum AnnalsLog.NewerEventPolicy
@_exported public import struct AnnalsLog.Personal
@_exported public import struct AnnalsLog.Position
@_exported public import struct AnnalsLog.ProjectionError
@_exported public import struct AnnalsLog.Receipt
@_exported public import struct AnnalsLog.Recorded
@_exported public import struct AnnalsLog.StoreEnvironment
@_exported public import struct AnnalsLog.StoredEvent
@_exported public import struct AnnalsLog.StreamName
@_exported public import enum AnnalsLog.UnknownEventPolicy
@_exported public import struct AnnalsLog.Upcaster
