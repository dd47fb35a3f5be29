/// The isolation domain of the parts of a theater.
///
/// The parts call each other here without suspending, so no other operation runs between a check and
/// the change that it permits.
@globalActor
package actor TheaterActor {
  package static let shared = TheaterActor()
}
