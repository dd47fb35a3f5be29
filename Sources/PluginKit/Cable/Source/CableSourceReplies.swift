import Platform

// What the sink says. All of it is called inside the monitor.
extension CableSourceCore {
  /// Reads and handles what has come.
  func receive(_ link: CableSourceLink) {
    do throws(CableError) {
      if let count = try link.inbox.receive(from: link.descriptor), count == 0 {
        throw Self.gone
      }
      try parse(link)
    } catch {
      unplug(error)
    }
  }

  /// Handles the whole messages that have come.
  func parse(_ link: CableSourceLink) throws(CableError) {
    while self.link === link {
      guard
        try link.inbox.next({ (message, _) throws(CableError) in
          try handle(message, link)
        })
      else { return }
    }
  }

  private func handle(_ message: CableMessage, _ link: CableSourceLink) throws(CableError) {
    switch message {
    case .credit(let epoch, let limit, let heard):
      credit(link, epoch, limit, heard)
    case .heard(let epoch, let frames, let delay, let time):
      try heard(link, epoch, frames, delay, time)
    case .flushed(let epoch, let frames, let of):
      guard epoch == link.awaiting?.epoch else { return }
      finishFlush(link.byte(of, Int64(clamping: frames), flushed: true))
    case .drained(let epoch):
      guard epoch == link.epoch, link.endSent, playing, timeline.current.ended else { return }
      heardByte = queue.sent
      running = false
      finish()
    case .close(let reason):
      throw CableError(.closed, "The amplifier closed the cable: \(reason)")
    case .hello, .format, .data, .flush, .end:
      throw CableError(.violation, "A sink does not send such a message.")
    }
  }

  private func credit(_ link: CableSourceLink, _ epoch: UInt32, _ limit: UInt64, _ heard: Bool) {
    link.heard = heard
    guard heard else { return enterClock(at: clock.now) }
    let raised = epoch == link.epoch && limit > link.limit
    if raised {
      link.limit = limit
      link.lastProgress = clock.now
    }
    if !playing {
      enterPlaying()
    } else {
      pump()
      wakeWriters()
    }
  }

  private func heard(
    _ link: CableSourceLink, _ epoch: UInt32, _ frames: UInt64, _ delay: UInt32, _ time: UInt64
  ) throws(CableError) {
    let now = clock.now
    link.lastProgress = now
    guard playing, link.awaiting == nil, !paused else { return }
    let taken = Int64(clamping: frames)
    guard let device = link.byte(epoch, taken),
      let byte = link.byte(epoch, taken - Int64(delay))
    else { return }
    guard device <= queue.sent else {
      throw CableError(.violation, "The amplifier heard frames that were not sent.")
    }
    let said = Int64(clamping: time)
    var moment = said <= now && now - said < 1_000_000_000 ? said : now
    if byte <= heardByte, taken < Int64(delay), let format = link.format {
      // Still inside the device: the first frame is heard when the delay is over.
      moment += format.nanoseconds(ofFrames: Int(Int64(delay) - taken))
    }
    deviceByte = max(deviceByte, device)
    heardByte = max(heardByte, byte)
    heardTime = moment
    running = true
    timeline.forget(before: min(heardByte, queue.base))
  }

  /// A flush was answered with the byte up to which was heard, or not in time.
  func finishFlush(_ byte: UInt64?) {
    guard let link, link.awaiting != nil else { return }
    link.awaiting = nil
    flushAnswer = byte
    monitor.wakeAll()
  }
}
