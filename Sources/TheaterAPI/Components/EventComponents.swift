import Devices

extension EventName {
  /// What the event's data is.
  var data: Component {
    switch self {
    case .snapshot: .status
    case .device: .device
    case .activity: .activity
    case .run: .runChange
    case .library: .libraryChange
    case .configuration: .configurationEvent
    case .levels: .soundLevels
    }
  }
}
