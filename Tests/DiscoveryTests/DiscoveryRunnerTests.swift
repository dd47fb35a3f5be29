import Devices
import Foundation
import JSON
import MQTTClient
import PluginTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Discovery

@Suite("Several searches at the same time", .timeLimit(.minutes(2)))
struct DiscoveryRunnerTests {
  /// A search that ignores its cancellation until it is released, like one that hangs in a system call.
  private final class HungSearch: DeviceSearch {
    let kind = DiscoveryKind.drives
    private let isReleased = Atomic(false)
    private let starts = Atomic(0)
    var count: Int { starts.load(ordering: .relaxed) }
    func release() { isReleased.store(true, ordering: .relaxed) }

    func run() async -> DiscoveryResult {
      starts.add(1, ordering: .relaxed)
      while !isReleased.load(ordering: .relaxed) {
        await Task { try? await Task.sleep(for: .milliseconds(2)) }.value
      }
      return DiscoveryResult()
    }
  }

  /// Records whether its search has begun.
  private final class StartedSearch: DeviceSearch {
    let search: any DeviceSearch
    private let hasStarted = Atomic(false)
    init(_ search: any DeviceSearch) { self.search = search }
    var kind: DiscoveryKind { search.kind }
    var isStarted: Bool { hasStarted.load(ordering: .relaxed) }

    func run() async -> DiscoveryResult {
      hasStarted.store(true, ordering: .relaxed)
      return await search.run()
    }
  }

  @Test("A projector and a folder are found together, in the order of the searches")
  func together() async throws {
    let projector = try await ProjectorFixture(["search": true])
    try await withTemporaryFolder { folder in
      let music = folder.appendingPathComponent("Music")
      try FileManager.default.createDirectory(at: music, withIntermediateDirectories: true)
      try Data().write(to: music.appendingPathComponent("a.flac"))
      let result = try await DiscoveryRunner().run(
        [
          PJLinkSearch(
            addresses: ["127.0.0.1"], port: projector.port, localPort: 0, timeout: .seconds(5)),
          FolderSearch(home: folder.path, root: folder.path),
        ], within: .seconds(60))
      #expect(result.findings.map(\.id) == ["pjlink:127.0.0.1", "music:\(music.path)"])
      let entries = result.findings.first?.json["entries"]
      #expect(entries?["projector"]?["options"]?["host"] == "127.0.0.1")
      #expect(result.problems.isEmpty)
    }
  }

  @Test("A second request is refused while the first one searches")
  func busy() async throws {
    let runner = DiscoveryRunner()
    let hung = HungSearch()
    async let first = runner.run([hung], within: .seconds(3600))
    #expect(await eventually { hung.count == 1 })
    let error = await #expect(throws: TheaterError.self) {
      try await runner.run([DriveSearch(root: "/none")], within: .seconds(1))
    }
    #expect(error?.code == .notNow && error?.hint?.isEmpty == false)
    hung.release()
    #expect(try await first == DiscoveryResult())
    _ = try await runner.run([DriveSearch(root: "/none")], within: .seconds(60))
  }

  @Test("A search that never ends is given up with a problem, and not started again meanwhile")
  func hung() async throws {
    let runner = DiscoveryRunner()
    let hung = HungSearch()
    // On a busy machine a request may end before the search has begun. Then the next one starts it.
    var rounds = 0
    while rounds < 3 {
      let result = try await runner.run([hung], within: .milliseconds(100))
      #expect(result.findings.isEmpty)
      #expect(result.problems.count == 1)
      #expect(
        result.problems.first?.hasPrefix("drives: the search took too long and was given up")
          == true)
      if hung.count > 0 { rounds += 1 }
    }
    #expect(hung.count == 1)
    hung.release()
    #expect(
      await eventually {
        (try? await runner.run([hung], within: .seconds(60))) == DiscoveryResult()
      })
  }

  @Test("Searches in the network end soon after they are cancelled, and others can begin")
  func cancelled() async throws {
    let projector = try await ProjectorFixture(["odd": ["half-open"], "search": true])
    let broker = try BrokerFixture()
    let runner = DiscoveryRunner()
    let searches: [any DeviceSearch] = [
      PJLinkSearch(
        addresses: ["127.0.0.1"], port: projector.port, localPort: 0, timeout: .seconds(3600)),
      MQTTSearch(
        broker: BrokerAddress(host: "127.0.0.1", port: broker.port), timeout: .seconds(3600)),
    ]
    let started = searches.map(StartedSearch.init)
    let search = Task { try await runner.run(started, within: .seconds(7200)) }
    #expect(await eventually { started.allSatisfy(\.isStarted) })
    search.cancel()
    let error = await #expect(throws: TheaterError.self) { try await search.value }
    #expect(error?.code == .cancelled)
    // Each waits for the thread of the cancelled search of its kind.
    let next = try await runner.run(
      [
        PJLinkSearch(
          addresses: ["127.0.0.1"], port: projector.port, localPort: 0, timeout: .seconds(1)),
        MQTTSearch(
          broker: BrokerAddress(host: "127.0.0.1", port: broker.port), acceptance: .seconds(60),
          timeout: .seconds(1)),
      ], within: .seconds(60))
    #expect(next.problems.isEmpty)
  }
}
