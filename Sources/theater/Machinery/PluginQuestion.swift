import Foundation
import JSON
import PluginHost
import PluginProtocol

/// Asks a plugin's program something that it answers with one line of JSON and ends:
/// `--self-check`, `--list-devices`.
struct PluginQuestion: Sendable {
  /// Why there is no answer, for people.
  struct Failure: Error, Sendable, Hashable {
    let message: String
  }

  /// How long the program may take, in seconds.
  private static let longest = 5
  /// The largest answer, in bytes.
  private static let largest = 1024 * 1024

  private let plugin: CataloguedPlugin

  init(_ plugin: CataloguedPlugin) { self.plugin = plugin }

  /// The answer's JSON.
  func ask(_ question: String) async throws(Failure) -> JSON {
    let result = await withCheckedContinuation { continuation in
      // Waiting for another program would hold a thread of the pool that serves requests.
      DispatchQueue.global().async { continuation.resume(returning: answer(to: question)) }
    }
    let bytes = try result.get()
    do {
      return try JSON(parsing: bytes)
    } catch {
      throw Failure(message: "its answer is not JSON (\(error))")
    }
  }

  private func answer(to question: String) -> Result<[UInt8], Failure> {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [plugin.program] + plugin.manifest.command.dropFirst() + [question]
    process.currentDirectoryURL = URL(fileURLWithPath: plugin.folder)
    process.environment = environment
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      return .failure(Failure(message: "it cannot be started (\(error.localizedDescription))"))
    }
    let pid = process.processIdentifier
    let alarm = DispatchWorkItem { kill(pid, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.longest), execute: alarm)
    let bytes = Array(output.fileHandleForReading.readDataToEndOfFile().prefix(Self.largest))
    process.waitUntilExit()
    alarm.cancel()
    if process.terminationReason == .uncaughtSignal {
      return .failure(Failure(message: "it did not answer within \(Self.longest) s"))
    }
    guard !bytes.isEmpty else { return .failure(Failure(message: "it said nothing")) }
    return .success(bytes)
  }

  /// The variables that the manifest names, as for a plugin that runs.
  private var environment: [String: String] {
    let names = plugin.manifest.environment.filter(Manifest.allowedEnvironment.contains)
    return Environment.all.filter { variable, _ in
      variable == "PATH"
        || names.contains { $0.hasSuffix("*") ? variable.hasPrefix($0.dropLast()) : variable == $0 }
    }
  }
}

/// The variables of this program's environment.
enum Environment {
  static var all: [String: String] { ProcessInfo.processInfo.environment }
}
