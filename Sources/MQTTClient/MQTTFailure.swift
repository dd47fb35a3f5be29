/// The reason why there is no connection to a broker.
package enum MQTTFailure: Error, Sendable, Hashable {
  /// libmosquitto cannot be used, for this reason (see ``MosquittoLibrary/problem``).
  case noLibrary(String)
  /// The file with the certificate authorities cannot be used: it "is a pipe", or "cannot be read".
  case certificateFile(String, problem: String)
  /// The broker refuses the connection with a code of MQTT 3.1.1, section 3.2.2.3, and its meaning.
  /// 3: the broker is not ready; 4 and 5: it refuses the user and the password.
  case refused(code: Int32, String)
  /// The connection was not made, or it was lost.
  ///
  /// - Parameter isReported: Whether libmosquitto has reported an error, such as a certificate that
  ///   is not trusted.
  case disconnected(String, isReported: Bool)
}
