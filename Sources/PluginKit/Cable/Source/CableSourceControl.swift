import Glibc
import Platform

// What the player asks for, from any thread.
extension CableSourceCore {
  var section: UInt32 { monitor.locked { timeline.current.id } }

  var isHeard: Bool { monitor.locked { playing } }

  var position: CablePosition {
    monitor.locked {
      tick()
      return timeline.frame(at: byte(at: clock.now))
    }
  }

  func setFormat(
    _ format: CableFormat, after section: UInt32, startsRecording: Bool
  ) -> UInt32? {
    monitor.locked {
      guard !closed, section == timeline.current.id else { return nil }
      tick()
      queue.reserve(format.frames(inNanoseconds: Self.kept) * format.frameBytes)
      drained = false
      return timeline.begin(at: queue.written, format, startsRecording: startsRecording)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, section: UInt32) -> Int {
    monitor.locked {
      guard let format = timeline.current.format else { return 0 }
      let frame = format.frameBytes
      let whole = bytes.count / frame * frame
      var taken = 0
      while taken < whole, !closed, section == timeline.current.id, !timeline.current.ended {
        tick()
        let room = (lead - queue.pending) / frame * frame
        guard room > 0 else {
          writersWait = true
          if !playing { wake() }
          monitor.wait()
          continue
        }
        let count = min(room, whole - taken)
        queue.append(UnsafeRawBufferPointer(rebasing: bytes[taken..<(taken + count)]))
        taken += count
        pump()
      }
      return taken / frame
    }
  }

  func end(section: UInt32) {
    monitor.locked {
      guard section == timeline.current.id, !timeline.current.ended else { return }
      tick()
      timeline.end()
      pump()
      wake()
    }
  }

  func flush() -> (heard: CablePosition, section: UInt32) {
    alone {
      let point = queue.written
      let before = timeline
      var heard = before.frame(at: byte(at: clock.now))
      let section = timeline.begin(at: point, timeline.current.format)
      drained = false
      let sent = queue.sent
      queue.sent = point
      rest(at: point)
      monitor.wakeAll()
      if playing, !paused, let link, let format = link.format {
        if let byte = askForSilence(link, at: point, format) {
          heard = before.frame(at: min(byte, sent))
        }
      } else {
        link?.moveStart(to: point)
      }
      pump()
      return (heard, section)
    }
  }

  func pause() -> CablePosition {
    alone {
      guard !paused else { return timeline.frame(at: heardByte) }
      var byte = self.byte(at: clock.now)
      paused = true
      rest(at: byte)
      if playing, let link, let format = link.format {
        byte = min(askForSilence(link, at: byte, format) ?? byte, queue.sent)
      }
      rest(at: byte)
      rewind(to: byte)
      self.link?.moveStart(to: queue.sent)
      return timeline.frame(at: byte)
    }
  }

  func resume() {
    alone {
      guard paused else { return }
      paused = false
      heardTime = clock.now
      link?.lastProgress = clock.now
      pump()
      wake()
      monitor.wakeAll()
    }
  }

  func close() {
    monitor.locked {
      guard !closed else { return }
      if let link { _ = link.send(.close(reason: "The player closed the cable.")) }
      link = nil
      closed = true
      playing = false
      monitor.wakeAll()
      events.finish()
      wake()
    }
  }

  func disconnect() {
    monitor.locked { unplug(CableError(.closed, "The player pulled the cable out.")) }
    wake()
  }

  // MARK: Locked

  /// Runs a change of what plays, one after the other, after letting time pass.
  private func alone<Result>(_ body: () -> Result) -> Result {
    monitor.locked {
      while busy { monitor.wait() }
      busy = true
      defer {
        busy = false
        monitor.wakeAll()
      }
      tick()
      return body()
    }
  }

  /// The position stands at `byte` until something is heard or time passes.
  private func rest(at byte: UInt64) {
    heardByte = byte
    deviceByte = byte
    heardTime = clock.now
    running = false
  }

  /// Flushes the sink and waits until it says which byte was the last heard; `nil` when it does
  /// not say.
  private func askForSilence(
    _ link: CableSourceLink, at start: UInt64, _ format: CableFormat
  ) -> UInt64? {
    let now = clock.now
    guard link.begin(at: start, format, flush: true) else {
      unplug(Self.gone)
      return nil
    }
    link.lastProgress = now
    link.awaiting = (link.epoch, now + Self.flushTime)
    flushAnswer = nil
    wake()
    while link.awaiting != nil, self.link === link { monitor.wait() }
    return flushAnswer
  }

  /// Sends what credit allows.
  func pump() {
    guard playing, !paused, let link else { return }
    while link.outbox.isEmpty {
      let (section, end) = timeline.section(at: queue.sent, end: queue.written)
      guard queue.sent < queue.written else {
        finishSending(link)
        return
      }
      guard let format = section.format else { return }
      if link.format != format || link.endSent {
        link.lastProgress = clock.now
        if !link.begin(at: queue.sent, format, flush: false) { unplug(Self.gone) }
        return
      }
      guard let run = link.runs.last, let count = sendable(link, run, end), count > 0 else {
        return
      }
      let bytes = queue.frames(of: format.frameBytes, at: queue.sent, atMost: count)
      let header = CableMessage.data(
        epoch: link.epoch, bytes: bytes.count,
        startsRecording: section.startsRecording && queue.sent == section.start
      ).encoded
      guard !bytes.isEmpty, link.outbox.send(header, bytes, to: link.descriptor) else {
        return unplug(Self.gone)
      }
      queue.sent += UInt64(bytes.count)
      link.lastProgress = clock.now
    }
  }

  private func sendable(
    _ link: CableSourceLink, _ run: CableSourceLink.Run, _ end: UInt64
  ) -> Int? {
    let frame = run.format.frameBytes
    guard queue.sent >= run.start else { return nil }
    let sent = (queue.sent - run.start) / UInt64(frame)
    guard link.limit > sent else { return nil }
    let credit = Int(min(link.limit - sent, UInt64(CableLimit.payload / frame)))
    return min(credit * frame, Int(end - queue.sent))
  }

  private func finishSending(_ link: CableSourceLink) {
    guard timeline.current.ended, !link.endSent, !drained, link.format != nil else { return }
    link.endSent = true
    link.lastProgress = clock.now
    if !link.send(.end(epoch: link.epoch)) { unplug(Self.gone) }
  }
}
