import Devices
import Foundation
import JSON
import Logging
import Platform
import PluginHost

/// A command to a real plugin's process and its reply, through the host's proxy.
enum RoundTrip {
  /// Prints how long a `dim` to the simulated lights takes, from the call to its return.
  ///
  /// - Parameters:
  ///   - folder: Where the plugins lie.
  ///   - core: The processor that the plugin and the floor's child are bound to; `nil` leaves them to
  ///     the kernel.
  static func measure(plugins folder: String, core: String?) async {
    var template = Array("/tmp/th-bench-XXXXXX\0".utf8CString)
    guard let runtime = mkdtemp(&template).map({ String(cString: $0) }) else { exit(1) }
    var logger = Logger(label: "bench")
    logger.logLevel = .error
    let host = PluginHost(
      catalogue: PluginCatalogue(folders: [folder]),
      devices: [
        HostedDevice(
          id: "lights", role: .lights, plugin: "Simulated", options: ["speed": 0], process: nil)
      ], runtimeDirectory: runtime,
      launcher: ProcessLauncher(
        environment: ProcessInfo.processInfo.environment, logger: logger), logger: logger)
    let running = Task { await host.run() }
    await host.waitUntilSettled()
    guard let lights = host.devices.first else { exit(1) }
    do {
      let plugin = await host.statuses().compactMap(\.pid)
      if let core { try plugin.forEach { try bind($0, to: core) } }
      // As a scene does it.
      try await Task(executorPreference: ArrivalExecutor.shared) {
        try await compare(lights, core: core)
      }.value
    } catch {
      writeError("\(error)")
    }
    host.stop()
    await running.value
    rmdir(runtime)
  }

  /// Binds all threads of a process to a processor.
  private static func bind(_ process: Int32, to core: String) throws {
    let arguments = ["--all-tasks", "--pid", "--cpu-list", core, "\(process)"]
    guard try ChildProcess(ProgramStart("taskset", arguments)).wait() == .exited(0) else {
      throw SystemError(EINVAL)
    }
  }

  /// Takes turns with the floor, so that both see the same machine.
  private static func compare(_ lights: any Device, core: String?) async throws {
    let floor = try Floor()
    if let core { try bind(floor.process, to: core) }
    defer { floor.end() }
    _ = floor.times(1000)
    _ = try await times(1000, lights)
    var below: [Duration] = []
    var above: [Duration] = []
    for _ in 0..<40 {
      below += floor.times(500)
      above += try await times(500, lights)
    }
    let single = try await singleTimes(2000, lights)
    print(
      "{\"floor\": \(Figures(below).line), \"trip\": \(Figures(above).line), "
        + "\"single\": \(Figures(single).line)}")
  }

  /// Commands with a pause before each, in which both processes fall asleep.
  private static func singleTimes(_ count: Int, _ lights: any Device) async throws -> [Duration] {
    var single: [Duration] = []
    for _ in 0..<count {
      var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
      nanosleep(&pause, nil)
      single += try await times(1, lights)
    }
    return single
  }

  private static func times(_ count: Int, _ lights: any Device) async throws -> [Duration] {
    var times: [Duration] = []
    times.reserveCapacity(count)
    for number in 0..<count {
      let command = try LightsCommand.dim(number % 100).checked()
      let began = ContinuousClock.now
      try await lights.perform(command, until: .accepted)
      times.append(ContinuousClock.now - began)
    }
    return times
  }
}
