import Devices

/// The operations of one room, which have the same form as those of the default room.
public enum RoomEndpoint: String, Endpoint {
  case roomStatus, startRoomActivity, watchInRoom, listenInRoom, radioInRoom, endRoom, roomOff
  case pauseRoom, resumeRoom, nextInRoom, previousInRoom, seekInRoom, roomVolume
  case runRoomScene, planRoomScene

  public static let title = "Rooms"

  /// The operation of the default room.
  public enum Original: Sendable, Hashable {
    case playback(PlaybackEndpoint)
    case device(DeviceEndpoint)

    /// The declaration of the operation.
    public var route: Route {
      switch self {
      case .playback(let endpoint): endpoint.route
      case .device(let endpoint): endpoint.route
      }
    }
  }

  /// The operation of the default room from which this one is derived.
  public var original: Original {
    switch self {
    case .roomStatus: .playback(.status)
    case .startRoomActivity: .playback(.startActivity)
    case .watchInRoom: .playback(.watch)
    case .listenInRoom: .playback(.listen)
    case .radioInRoom: .playback(.radio)
    case .endRoom: .playback(.end)
    case .roomOff: .playback(.off)
    case .pauseRoom: .playback(.pause)
    case .resumeRoom: .playback(.resume)
    case .nextInRoom: .playback(.next)
    case .previousInRoom: .playback(.previous)
    case .seekInRoom: .playback(.seek)
    case .roomVolume: .playback(.volume)
    case .runRoomScene: .device(.runScene)
    case .planRoomScene: .device(.planScene)
    }
  }

  /// The operation of a room that corresponds to one of the default room; `nil` for operations of the house.
  public init?(_ original: Original) {
    guard let endpoint = Self.allCases.first(where: { $0.original == original }) else { return nil }
    self = endpoint
  }

  public var route: Route {
    let route = original.route.inRoom
    return switch self {
    case .roomOff:
      route.explained(
        "Turns off the devices of the room, but for those that the activity of another room uses.")
    case .roomStatus:
      route.explained("Shows what is on in the room, as the status of the theater does.")
    default: route
    }
  }
}

extension Route {
  /// The same route for a room that the path names.
  fileprivate var inRoom: Route {
    Route(
      method, "/rooms/{room}\(path)", access,
      "In a room: \(help.prefix(1).lowercased())\(help.dropFirst())",
      body: body, parameters: parameters, answers: answers, errors: Set(errors))
  }

  fileprivate func explained(_ help: String) -> Route {
    Route(
      method, path, access, help, body: body, parameters: parameters, answers: answers,
      errors: Set(errors))
  }
}
