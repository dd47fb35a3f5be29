import Devices
import Platform
import PluginKit
import Synchronization

/// A projector in the network. Its commands are jobs for a ``ProjectorWorker``.
final class NetworkProjector: PluginDevice {
  private let jobs = TimedQueue<PendingJob>()
  private let worker: Mutex<Task<Void, Never>?>

  /// - Parameters:
  ///   - random: Returns random numbers, evenly distributed from 0 to 1, for the waits before new connections.
  ///   - nonce: Returns ``Authentication/nonceSize`` random bytes.
  init(
    _ context: DeviceContext, clock: any TheaterClock = SystemClock(),
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    nonce: @escaping @Sendable () -> [UInt8] = randomNonce
  ) throws(DeviceError) {
    let options = try ProjectorOptions(context.options)
    let link = ProjectorLink(
      host: options.host, port: options.port, authentication: options.authentication, clock: clock,
      nonce: nonce)
    let jobs = jobs
    let model = ProjectorModel(options: options, hostAndPort: link.hostAndPort)
    worker = Mutex(
      Task {
        var worker = ProjectorWorker(
          context: context, jobs: jobs, clock: clock, random: random, model: model, link: link)
        await worker.run()
      })
  }

  deinit { worker.withLock { $0?.cancel() } }

  func open() async throws(DeviceError) -> Capabilities {
    try await perform(.open)
    return Capabilities()
  }

  func perform(_ command: ProjectorCommand) async throws(DeviceError) {
    try await perform(.perform(command))
  }

  func close() async {
    let task = worker.withLock { worker in
      defer { worker = nil }
      return worker
    }
    task?.cancel()
    await task?.value
    while let job = jobs.popFirst() {
      job.result.finish(
        .failure(DeviceError(.cancelled, "the device was closed before this was done")))
    }
  }

  private func perform(_ job: ProjectorModel.Job) async throws(DeviceError) {
    let job = PendingJob(job)
    jobs.append(job)
    try await job.result.value()
  }

  /// Returns random bytes of the system, for the authentication with SHA-256.
  @Sendable
  private static func randomNonce() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<Authentication.nonceSize).map { _ in
      UInt8.random(in: .min ... .max, using: &generator)
    }
  }
}
