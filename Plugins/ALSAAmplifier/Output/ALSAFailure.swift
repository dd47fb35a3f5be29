import CALSA

/// A call into libasound that did not work: which one, and the system's reason.
struct ALSAFailure: Error, Equatable {
  /// What was being tried, for the error's text.
  enum Step: Int32, Sendable {
    case none, open, access, format, channels, rate, buffer, parameters, prepare, write, resample
  }

  /// What was being tried.
  var step: Step
  /// The `errno`, positive.
  var code: Int32

  /// Throws unless `result` is non-negative.
  static func check(_ result: Int32, _ step: Step) throws(ALSAFailure) {
    if result < 0 { throw ALSAFailure(step: step, code: -result) }
  }

  /// The reason in libasound's words.
  var reason: String { String(cString: snd_strerror(-code)) }
}
