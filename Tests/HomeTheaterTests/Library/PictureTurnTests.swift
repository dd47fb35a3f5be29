import Devices
import JSON
import TestSupport
import Testing

@testable import HomeTheater

@Suite("E9 · the order of requests for pictures", .timeLimit(.minutes(2)))
struct PictureTurnTests {
  private static func request(_ id: Int, _ user: String?, _ item: String) -> PictureTurns.Request {
    PictureTurns.Request(id: id, user: user, item: UTF8Key(item))
  }

  /// The items in the order of their turns.
  private static func order(_ turns: PictureTurns) -> [String] {
    var turns = turns
    var order: [String] = []
    while let item = turns.next() {
      order.append(item.text)
      _ = turns.remove(item)
    }
    return order
  }

  @Test("users take turns, however many pictures one of them asks for")
  func turns() {
    var turns = PictureTurns()
    for number in 1...4 { turns.insert(Self.request(number, "guest", "g\(number)")) }
    for number in 1...2 { turns.insert(Self.request(10 + number, "owner", "o\(number)")) }
    turns.insert(Self.request(20, nil, "n"))
    #expect(Self.order(turns) == ["g1", "o1", "n", "g2", "o2", "g3", "g4"])
  }

  @Test("a user who asks again and again does not pass one who waits")
  func alternates() {
    var turns = PictureTurns()
    for number in 1...3 { turns.insert(Self.request(number, "guest", "g\(number)")) }
    var order: [String] = []
    for number in 1...3 {
      turns.insert(Self.request(10 + number, "owner", "o\(number)"))
      for _ in 1...2 {
        guard let item = turns.next() else { break }
        order.append(item.text)
        _ = turns.remove(item)
      }
    }
    #expect(order == ["g1", "o1", "g2", "o2", "g3", "o3"])
  }

  @Test("a picture for which several users wait comes at the earliest of their turns")
  func shared() {
    var turns = PictureTurns()
    for number in 1...5 { turns.insert(Self.request(number, "guest", "g\(number)")) }
    turns.insert(Self.request(6, "owner", "g5"))
    #expect(turns.next()?.text == "g1")
    #expect(turns.remove(UTF8Key("g1")).count == 1)
    #expect(turns.next()?.text == "g5")
    #expect(turns.remove(UTF8Key("g5")).map(\.user) == ["guest", "owner"])
  }

  @Test("a full queue drops the newest request of the user who has the most")
  func excess() {
    var turns = PictureTurns()
    for number in 1...4 { turns.insert(Self.request(number, "guest", "g\(number)")) }
    turns.insert(Self.request(5, "owner", "o"))
    #expect(turns.removeExcess(before: "owner")?.id == 4)
    #expect(turns.removeExcess(before: "guest") == nil)
    #expect(turns.removeExcess(before: "another")?.id == 3)
  }

  @Test("a guest's 60 pictures make an owner wait for one of them")
  func guestAndOwner() async throws {
    let journal = CommandJournal()
    let player = FakeDevice("dvd", .dvdPlayer, journal: journal)
    await player.hold("picture")
    let requests = PictureRequests()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<60 {
        group.addTask {
          _ = try await requests.picture(of: "g\(number)", from: player, for: "guest")
        }
      }
      #expect(await eventually { await requests.count == 60 })
      group.addTask { _ = try await requests.picture(of: "o", from: player, for: "owner") }
      #expect(await eventually { await requests.count == 61 })
      await player.release()
      try await group.waitForAll()
    }
    let order = journal.lines.filter { $0.contains("picture") }
    #expect(order.count == 61)
    #expect(order.firstIndex(of: "dvd picture o") == 1)
  }

  @Test("one user has at most 64 requests waiting, and leaves room for others")
  func bound() async throws {
    let player = FakeDevice("dvd", .dvdPlayer)
    await player.hold("picture")
    let requests = PictureRequests()
    await withTaskGroup(of: DeviceError?.self) { group in
      func ask(_ item: String, _ user: String) {
        group.addTask {
          do throws(DeviceError) {
            _ = try await requests.picture(of: item, from: player, for: user)
            return nil
          } catch { return error }
        }
      }
      for user in ["a", "b", "c", "d"] {
        for number in 0..<PictureRequests.mostOfOneUser { ask("\(user)\(number)", user) }
      }
      #expect(await eventually { await requests.count == PictureRequests.most })
      ask("a more", "a")
      #expect(await group.next()??.code == .notNow)
      ask("owner", "owner")
      #expect(await group.next()??.code == .notNow, "the newest of one of the four")
      #expect(await requests.count == PictureRequests.most)
      await player.release()
      while let failure = await group.next() { #expect(failure == nil) }
    }
  }
}
