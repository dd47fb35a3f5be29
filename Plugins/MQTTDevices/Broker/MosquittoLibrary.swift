import CMosquitto

/// The library libmosquitto, loaded at first use.
enum MosquittoLibrary {
  static let hint = "Install it: apt install libmosquitto1"

  /// Why the library cannot be used; nil if it can.
  static var problem: String? { cmosquitto_load().map { String(cString: $0) } }
}
