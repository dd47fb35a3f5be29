import Devices
import PJLink
import Platform
import PluginKit
import Synchronization

/// A projector in the network. Its commands are jobs for a ``ProjectorWorker``.
final class NetworkProjector: PluginDevice {
  private let jobs = TimedQueue<PendingJob>()
  private let worker: Mutex<Task<Void, Never>?>

  /// - Parameter random: Returns random numbers, evenly distributed from 0 to 1, for the waits
  ///   before new connections.
  init(
    _ context: DeviceContext, clock: any TheaterClock = SystemClock(),
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) throws(DeviceError) {
    let options = try ProjectorOptions(context.options)
    let link = ProjectorLink(
      host: options.host, port: options.port, authentication: options.authentication, clock: clock)
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
}
