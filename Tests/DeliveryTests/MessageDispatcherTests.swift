import Accounts
import Foundation
import Jobs
import Synchronization
import TestSupport
import Testing

@testable import Delivery

/// A sender that records messages, and can be told to wait or to fail.
private final class Probe: MessageSender {
  let sent = Mutex<[String]>([])
  let failure: AccountError?
  let release = DispatchSemaphore(value: 0)
  let waits: Bool

  init(failure: AccountError? = nil, waits: Bool = false) {
    self.failure = failure
    self.waits = waits
  }

  func send(_ message: AccountMessage) throws(AccountError) {
    if waits { release.wait() }
    if let failure { throw failure }
    sent.withLock { $0.append(message.text) }
  }
}

@Suite struct MessageDispatcherTests {
  private let lines = Lines()
  private func mail(_ text: String) throws -> AccountMessage {
    AccountMessage(
      destination: .email(try EmailAddress("anna@example.org")), subject: "x", text: text)
  }

  @Test("D9 · each kind of destination has its own sender; delivery without a sender fails")
  func channels() async throws {
    let probe = Probe()
    let dispatcher = MessageDispatcher(email: probe, phone: nil, log: lines.add)
    #expect(dispatcher.supports(.email) && !dispatcher.supports(.phone))
    try await dispatcher.deliver(mail("one"))
    #expect(probe.sent.withLock { $0 } == ["one"])
    let sms = AccountMessage(
      destination: .phone(try PhoneNumber("+4930123456")), subject: "", text: "")
    await #expect(throws: AccountError.deliveryUnavailable(.phone)) {
      try await dispatcher.deliver(sms)
    }
  }

  @Test("D9 · reports a failure to the caller and the log, without the code")
  func failure() async throws {
    let failure = AccountError.deliveryFailed("it rains", hint: "Take an umbrella.")
    let dispatcher = MessageDispatcher(email: Probe(failure: failure), phone: nil, log: lines.add)
    await #expect(throws: failure) { try await dispatcher.deliver(mail("123456")) }
    dispatcher.enqueue(try mail("123456"))
    await lines.wait(for: 2)
    #expect(lines.all.allSatisfy { $0.contains("it rains") && !$0.contains("123456") })
  }

  @Test("D8 E5a · sends posted messages only after the answer, so that they do not delay it")
  func stay() async throws {
    let (probe, clock) = (Probe(), ManualClock())
    let dispatcher = MessageDispatcher(
      email: probe, phone: nil, queue: JobQueue(workers: 1, clock: clock), log: lines.add)
    dispatcher.enqueue(try mail("later"))
    // Without the delay the queue's only worker would send "later" first.
    try await dispatcher.deliver(mail("now"))
    try #require(probe.sent.withLock { $0 } == ["now"])
    await clock.waitForSleepers()
    clock.advance(by: MessageDispatcher.sendDelay)
    #expect(await eventually { probe.sent.withLock { $0 } == ["now", "later"] })
  }

  @Test("D9 · messages wait in a bounded queue; further messages are refused and logged")
  func bounded() async throws {
    let (probe, clock) = (Probe(waits: true), ManualClock())
    let dispatcher = MessageDispatcher(
      email: probe, phone: nil, queue: JobQueue(workers: 1, capacity: 2, clock: clock),
      log: lines.add)
    for index in 0..<4 { dispatcher.enqueue(try mail("\(index)")) }
    await lines.wait(for: 2)
    await clock.waitForSleepers(2)
    clock.advance(by: MessageDispatcher.sendDelay)
    for _ in 0..<3 { probe.release.signal() }
    #expect(await eventually { probe.sent.withLock { Set($0) } == ["0", "1"] })
    try await dispatcher.deliver(mail("last"))
    #expect(probe.sent.withLock { $0.last } == "last")
    #expect(lines.all.count == 2)
  }

  @Test("D9 · a full queue is reported as too many messages, to the caller and in the log")
  func full() async throws {
    let probe = Probe(waits: true)
    let queue = JobQueue(workers: 1, capacity: 0)
    let dispatcher = MessageDispatcher(email: probe, phone: nil, queue: queue, log: lines.add)
    let first = try mail("first")
    let sending = Task { try await dispatcher.deliver(first) }
    #expect(await eventually { queue.load.running == 1 })
    await #expect(throws: AccountError.tooManyMessages) {
      try await dispatcher.deliver(mail("second"))
    }
    dispatcher.enqueue(try mail("third"))
    probe.release.signal()
    try await sending.value
    #expect(AccountError.tooManyMessages.code == .busy)
    #expect(lines.all.count == 2)
    #expect(lines.all.allSatisfy { $0.hasPrefix("Too many messages wait to be sent") })
  }

  @Test("D9 · the log sender writes the message, and that it was not sent")
  func log() throws {
    try LogSender(log: lines.add).send(mail("123456 is your code"))
    #expect(lines.all.first?.contains("123456") == true)
    #expect(lines.all.first?.hasPrefix("DEMONSTRATION") == true)
  }
}

/// The logged lines.
private final class Lines: Sendable {
  private let state = Mutex<[String]>([])
  private let arrivals = AsyncStream<Void>.makeStream()

  var all: [String] { state.withLock { $0 } }

  var add: @Sendable (String) -> Void {
    { line in
      self.state.withLock { $0.append(line) }
      self.arrivals.continuation.yield()
    }
  }

  func wait(for count: Int) async {
    if all.count >= count { return }
    for await _ in arrivals.stream where all.count >= count { return }
  }
}
