#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// Calls a closure, and then releases the temporary objects of Apple's frameworks.
///
/// On Apple's systems, Foundation's functions return temporary objects, which the thread releases only when its
/// outermost work ends. So a loop that runs for a long time must release these objects itself.
///
/// - Parameter body: The closure.
/// - Returns: The closure's result.
/// - Throws: The closure's error.
package func releasingObjects<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
  #if canImport(ObjectiveC)
    try autoreleasepool(invoking: body)
  #else
    try body()
  #endif
}
