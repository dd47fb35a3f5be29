/// A reference that keeps its object alive no longer than others do.
public struct WeakReference<Object: AnyObject & Sendable>: Sendable {
  /// `nil` once the object is freed.
  public weak let object: Object?

  public init(_ object: Object) { self.object = object }
}
