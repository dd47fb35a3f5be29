/// The isolation domain of the parts of a theater.
///
/// The parts call each other here without suspending, so no other operation runs between a check and
/// the change that it permits.
@globalActor
public actor TheaterActor {
  /// The one actor of the process; several theaters share it.
  public static let shared = TheaterActor()
}
