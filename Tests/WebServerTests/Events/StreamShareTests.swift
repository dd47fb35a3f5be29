import Accounts
import Testing

@testable import WebServer

/// The shares of guests, members and owners of all event streams.
@Suite struct StreamShareTests {
  /// Opens as many streams as a role may have, each of an account or pass of its own.
  private static func fill(
    _ limiter: EventStreamLimiter, _ role: AccountRole
  ) -> [EventStreamLimiter.Slot] {
    var slots: [EventStreamLimiter.Slot] = []
    while slots.count <= limiter.most,
      let slot = try? limiter.acquire(
        .session(SessionID("\(role)\(slots.count)")),
        of: AccountID("\(role)\(slots.count)"), as: role)
    {
      slots.append(slot)
    }
    return slots
  }

  @Test(
    "guests leave event streams to members, and both leave some to owners",
    arguments: [8, 64, 500])
  func shares(most: Int) throws {
    let limiter = EventStreamLimiter(most: most)
    var guests = Self.fill(limiter, .guest)
    #expect(guests.count < most)
    let members = Self.fill(limiter, .member)
    #expect(!members.isEmpty && guests.count + members.count < most)
    let owners = Self.fill(limiter, .owner)
    #expect(!owners.isEmpty && limiter.count == most)
    // A stream that ends is there for the next one.
    guests.removeLast()
    #expect(Self.fill(limiter, .owner).count == 1)
    withExtendedLifetime((guests, members, owners)) {}
  }

  @Test("eight guests with eight streams each leave streams to a member and an owner")
  func eightGuests() throws {
    let limiter = EventStreamLimiter()
    let guests = (0..<64).compactMap { number in
      try? limiter.acquire(
        .session(SessionID("g\(number)")), of: AccountID("guest\(number / 8)"), as: .guest)
    }
    #expect(guests.count >= 32)
    let others = try [AccountRole.member, .owner].flatMap { role in
      try (0..<8).map {
        try limiter.acquire(
          .session(SessionID("\(role)\($0 / 4)")), of: AccountID("\(role)"), as: role)
      }
    }
    withExtendedLifetime((guests, others)) {}
  }

  @Test("where no guests are, members use the streams that are kept for them")
  func withoutGuests() {
    let limiter = EventStreamLimiter()
    let members = Self.fill(limiter, .member)
    #expect(members.count == 56)
    withExtendedLifetime(members) {}
  }
}
