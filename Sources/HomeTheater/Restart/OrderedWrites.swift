/// Carries out writes one after the other, so that no older value comes after a newer one.
@TheaterActor
final class OrderedWrites {
  private let log: @Sendable (String) -> Void
  private var last: Task<Bool, Never>?

  nonisolated init(log: @escaping @Sendable (String) -> Void) { self.log = log }

  /// Begins a write once the ones before it are over.
  ///
  /// - Parameter failure: What is logged, with the reason, if the write fails.
  /// - Returns: Whether it has succeeded.
  func write(
    _ failure: String, _ body: @escaping @Sendable () async throws -> Void
  ) -> Task<Bool, Never> {
    let (log, before) = (log, last)
    let write = Task {
      _ = await before?.value
      do {
        try await body()
        return true
      } catch {
        log("\(failure): \(error)")
        return false
      }
    }
    last = write
    return write
  }

  /// Waits until all writes so far are over.
  func wait() async { _ = await last?.value }
}
