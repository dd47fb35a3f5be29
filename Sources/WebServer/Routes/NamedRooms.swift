import Devices
import HomeTheater
import Hummingbird
import Synchronization
import TheaterAPI

/// The room that each session or token has named last. Requests without a room mean it.
package final class NamedRooms: Sendable {
  /// The most sessions and tokens; the one that has named a room least recently is forgotten.
  static let capacity = 1024

  private struct State {
    var rooms: [EventStreamLimiter.Credential: RoomID] = [:]
    /// The least recent one first.
    var order: [EventStreamLimiter.Credential] = []
  }
  private let state = Mutex(State())

  package init() {}

  /// The room that was named last; `nil` for none.
  subscript(credential: EventStreamLimiter.Credential) -> RoomID? {
    state.withLock { $0.rooms[credential] }
  }

  /// Records that a session or token has named a room that exists.
  func record(_ room: RoomID, by credential: EventStreamLimiter.Credential) {
    state.withLock { state in
      guard state.rooms.updateValue(room, forKey: credential) != room else { return }
      state.order.removeAll { $0 == credential }
      state.order.append(credential)
      if state.order.count > Self.capacity { state.rooms[state.order.removeFirst()] = nil }
    }
  }
}

extension APIServices {
  /// An operation in the room that the path names.
  func respond(to endpoint: RoomEndpoint, _ request: RequestContext) async throws -> Response {
    let name = try request.captured("room")
    let rooms = theater.plan.allRooms.map(\.id)
    guard let room = rooms.first(where: { $0.name == name }) else {
      throw TheaterError.unknown("room", name, rooms.map(\.name))
    }
    namedRooms.record(room, by: try request.caller().credential)
    switch endpoint.original {
    case .playback(let original): return try await respond(to: original, request, in: room)
    case .device(let original): return try await respond(to: original, request, in: room)
    }
  }

  /// The room of a request that names none; `nil` for the first one of the file.
  func namedRoom(_ request: RequestContext) throws -> RoomID? {
    guard let room = namedRooms[try request.caller().credential],
      theater.plan.allRooms.contains(where: { $0.id == room })
    else { return nil }
    return room
  }
}
