import HomeTheater
import Hummingbird
import Synchronization
import TheaterAPI

/// The room that each session has named last in a request that changes something. Requests for playback that name no
/// room mean it.
package final class NamedRooms: Sendable {
  /// The most sessions; the one that has named a room least recently is forgotten.
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

  /// Records that a session has named a room that exists.
  func record(_ room: RoomID, by credential: EventStreamLimiter.Credential) {
    state.withLock { state in
      state.rooms[credential] = room
      guard state.order.last != credential else { return }
      state.order.removeAll { $0 == credential }
      state.order.append(credential)
      if state.order.count > Self.capacity { state.rooms[state.order.removeFirst()] = nil }
    }
  }
}

extension NamedRooms {
  /// Records the room that a requester has named, if there is such a room that the requester may see.
  func record(_ room: RoomID, by caller: Caller, in theater: HomeTheaterFacade) {
    let plan = theater.plan
    guard plan.allRooms.contains(where: { $0.id == room }),
      plan.rooms(openTo: caller.theaterPrincipal)?.contains(room) ?? true
    else { return }
    record(room, by: caller.credential)
  }

  /// The room that a requester means who names none; `nil` for the first one of the file.
  func room(of caller: Caller, in theater: HomeTheaterFacade) -> RoomID? {
    guard let room = self[caller.credential],
      theater.plan.allRooms.contains(where: { $0.id == room })
    else { return nil }
    return room
  }
}

extension APIServices {
  /// An operation in the room that the path names.
  func respond(to endpoint: RoomEndpoint, _ request: RequestContext) async throws -> Response {
    let room = RoomID(try request.captured("room"))
    // A program says what it means each time, and looking changes nothing.
    if case .session = try request.caller(), request.route.method != .get {
      try namedRooms.record(room, by: request.caller(), in: theater)
    }
    switch endpoint.original {
    case .playback(let original): return try await respond(to: original, request, in: room)
    case .device(let original): return try await respond(to: original, request, in: room)
    }
  }

  /// The room of a request that names none; `nil` for the first one of the file.
  func namedRoom(_ request: RequestContext) throws -> RoomID? {
    try namedRooms.room(of: request.caller(), in: theater)
  }
}
