import Foundation
import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

@Suite("Threads, wake-ups and the clock")
struct SystemThreadTests {
  @Test("a thread has its name, cut to 15 bytes, and runs until it is joined")
  func name() throws {
    let names = Mutex<[String]>([])
    for name in ["audio", "a name that is too long", "grüße aus der küche"] {
      try SystemThread(name: name) {
        let comm = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        names.withLock { $0.append(comm?.trimmingCharacters(in: .newlines) ?? "") }
      }.join()
    }
    #expect(names.withLock { $0 } == ["audio", "a name that is ", "grüße aus der"])
  }

  @Test("a thread of lower priority leaves the priority of others alone")
  func priority() throws {
    let thread = __priority_which_t(PRIO_PROCESS.rawValue)
    let before = getpriority(thread, 0)
    let inside = Mutex<Int32>(0)
    try SystemThread(name: "low", priority: .nice(5)) {
      inside.withLock { $0 = getpriority(thread, 0) }
    }.join()
    #expect(inside.withLock { $0 } == min(before + 5, 19))
    #expect(getpriority(thread, 0) == before)
  }

  @Test("a thread runs with or without permission for real time, and knows which it has")
  func realtime() throws {
    let isRealtime = Mutex<Bool?>(nil)
    try SystemThread(name: "real time", priority: .realtime) {
      isRealtime.withLock { $0 = SystemThread.isRealtime }
    }.join()
    #expect(isRealtime.withLock { $0 } != nil)
    #expect(!SystemThread.isRealtime)
  }

  @Test("a thread blocks the signals of the process, but not those of its own faults")
  func signals() throws {
    let masked = Mutex<[Bool]>([])
    try SystemThread(name: "signals") {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      masked.withLock { $0 = [SIGTERM, SIGWINCH, SIGSEGV].map { sigismember(&mask, $0) == 1 } }
    }.join()
    #expect(masked.withLock { $0 } == [true, true, false])
  }

  @Test("a descriptor is readable from its signal to its clearing, however often it was signalled")
  func wakeup() throws {
    let wakeup = try WakeupDescriptor()
    defer { wakeup.close() }
    func isReadable() -> Bool {
      var entry = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&entry, 1, 0) == 1
    }
    #expect(!isReadable())
    for _ in 0..<3 { wakeup.signal() }
    #expect(isReadable())
    wakeup.clear()
    #expect(!isReadable())
    wakeup.clear()
    wakeup.signal()
    #expect(isReadable())
  }

  @Test("a signal from another thread ends a poll")
  func wakesPoll() throws {
    let wakeup = try WakeupDescriptor()
    defer { wakeup.close() }
    let thread = try SystemThread(name: "signaller") { wakeup.signal() }
    var entry = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&entry, 1, 10_000) == 1)
    thread.join()
  }

  @Test("a time-out is rounded up to whole milliseconds, and is 0 once the time has come")
  func timeout() {
    let clock = MonotonicClock()
    #expect(clock.timeout(until: clock.now) == 0)
    #expect(clock.timeout(until: .min) == 0)
    #expect(clock.timeout(until: .max) == .max)
    let hour = clock.timeout(until: clock.now + 3_600_000_000_000)
    #expect((1...3_600_000).contains(hour))
    #expect(clock.timeout(until: clock.now + 1_000_000) <= 1)
  }

  @Test("the time that includes the machine's sleep is not behind the one without it")
  func clocks() {
    let awake = MonotonicClock.now
    #expect(MonotonicClock.nowIncludingSleep >= awake)
    #expect(MonotonicClock.now >= awake)
  }

  @Test(
    "a duration in nanoseconds is exact, and limited to half the range of Int64",
    arguments: [
      (Duration.nanoseconds(7), Int64(7)), (.seconds(-2) - .nanoseconds(3), -2_000_000_003),
      (.seconds(Int64.max), Int64.max / 2), (.seconds(Int64.min), -(Int64.max / 2)),
    ])
  func wholeNanoseconds(time: Duration, nanoseconds: Int64) {
    #expect(time.nanoseconds == nanoseconds)
  }

  @Test("a waiting thread is woken by a change, and gives up at its deadline")
  func monitor() throws {
    let box = Box()
    let thread = try SystemThread(name: "changer") { box.set() }
    #expect(box.waitUntilSet(until: MonotonicClock.now + 10_000_000_000))
    thread.join()
    #expect(!Box().waitUntilSet(until: MonotonicClock.now + 1_000_000))
  }

  /// Safe: `isSet` is touched inside the monitor alone.
  private final class Box: @unchecked Sendable {
    private let monitor = Monitor()
    private var isSet = false

    func set() {
      monitor.withLock {
        isSet = true
        monitor.wakeAll()
      }
    }

    func waitUntilSet(until deadline: Int64) -> Bool {
      monitor.withLock {
        while !isSet { guard monitor.wait(until: deadline) else { return isSet } }
        return true
      }
    }
  }
}
