import Devices
import JSON
import MediaFolders
import Platform
import PluginKit
import PluginProtocol

extension FilmPlayer {
  func startPolling() {
    guard polling == nil else { return }
    polling = Task {
      await self.poll()
      self.polling = nil
    }
  }

  /// Asks for the position while there is a medium; kills an mpv that does not answer.
  func poll() async {
    while medium != nil {
      let interval = record.status == .paused ? Self.pollingInPause : Self.pollingInterval
      guard (try? await clock.sleep(until: clock.now() + interval)) != nil else { return }
      guard medium != nil, let process else { continue }
      let (opening, isMoving) = (openings, isMoving)
      do throws(MpvFailure) {
        let limit = isMoving ? Self.patienceWhileOpening : Self.patience
        let answer = try await process.link.ask(["get_property", "time-pos"], within: limit)
        let isSettled = opening == openings && !isMoving && !self.isMoving
        if isSettled, record.status == .playing, let seconds = answer.number {
          record.align(to: seconds, now: clock.now())
        }
      } catch {
        if error == .timeout {
          context.log(.warning, "mpv does not answer; it is started again")
          if record.status == .playing { record.stand(now: clock.now()) }
          process.kill()
        }
      }
      if record.status == .playing, clock.now() - lastReport >= Self.reportInterval {
        report()
        reportProgress()
      }
    }
  }

  func position(of link: MpvLink) async -> Double? {
    let answer = try? await link.property("time-pos")
    return (answer ?? nil)?.number.flatMap(MediaFacts.seconds)
  }

  func stall(_ isStalled: Bool) {
    guard record.status == .playing, record.isStalled != isStalled else { return }
    let now = clock.now()
    record.align(to: record.position(at: now), now: now)
    record.isStalled = isStalled
    report()
  }

  func report() {
    lastReport = clock.now()
    context.report(record.playback(at: lastReport))
  }

  func reportProgress() {
    guard medium != nil, !isMoving, [.playing, .paused].contains(record.status) else { return }
    context.report(attributes: record.facts.progress(at: record.position(at: clock.now())))
  }

  func setTray(_ state: String) {
    guard tray != state else { return }
    tray = state
    context.report([.tray: .string(state)])
  }
}
