import HTTPTypes
import Hummingbird
import NIOCore

/// One file of the page as an answer, as it is and, if that is shorter, compressed.
package struct SiteFile: Sendable {
  /// The bytes of the file in one content coding.
  private struct Representation: Sendable {
    let body: ByteBuffer
    /// Differs from the tag of the file's other representation (RFC 9110, section 8.8.3).
    let tag: String
  }

  private let headers: HTTPFields
  private let identity: Representation
  private let gzip: Representation?

  /// - Parameters:
  ///   - bytes: The file.
  ///   - compressed: The file compressed with gzip; nil if that is not shorter.
  ///   - type: The media type.
  ///   - lasts: Whether the address changes with the content, so that a cached copy never gets old.
  init(_ bytes: [UInt8], compressed: [UInt8]?, type: String, lasts: Bool) {
    let hash = ContentHash(bytes).text.prefix(20)
    identity = Representation(body: ByteBuffer(bytes: bytes), tag: "\"\(hash)\"")
    gzip = compressed.map { Representation(body: ByteBuffer(bytes: $0), tag: "\"\(hash)-gzip\"") }
    // The shell and the service worker do not last. A drawing is a document when its address is opened. Browsers ignore
    // the policy of all other files, and the headers that these lack.
    let isDocumentOrWorker = !lasts || type == "image/svg+xml"
    var headers: HTTPFields = [
      .contentType: type,
      .cacheControl: lasts ? "public, max-age=31536000, immutable" : "no-cache",
      .contentSecurityPolicy: isDocumentOrWorker ? Self.policy : Self.nothing,
    ]
    if isDocumentOrWorker {
      headers[.crossOriginEmbedderPolicy] = "require-corp"
      headers.addDocumentHeaders()
    }
    if gzip != nil { headers[.vary] = "Accept-Encoding" }
    self.headers = headers
  }

  /// The media type.
  var type: String? { headers[.contentType] }
  /// The bytes without a content coding.
  var body: ByteBuffer { identity.body }
  /// The entity tag of the file without a content coding.
  var tag: String { identity.tag }

  /// The policy of a file that loads nothing.
  private static let nothing = "default-src 'none'; frame-ancestors 'none'"

  /// Only the page's own files are used, and no text becomes markup or code. The one trusted-types policy, `worker`, is
  /// for the constant address of the service worker.
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
    "connect-src 'self'", "media-src 'self'", "manifest-src 'self'", "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types worker",
  ].joined(separator: "; ")

  /// Answers a GET or HEAD: 304 if the client has this content (RFC 9110, section 13.1.2).
  func response(to request: Request) -> Response {
    let gzip = AcceptedEncodings(request.headers[values: .acceptEncoding]).prefersGzip ? gzip : nil
    let chosen = gzip ?? identity
    var headers = headers
    headers[.eTag] = chosen.tag
    if gzip != nil { headers[.contentEncoding] = "gzip" }
    if request.matches(chosen.tag) {
      headers[.contentType] = nil
      // The length that a 200 would have (RFC 9110, section 8.6).
      headers[.contentLength] = "\(chosen.body.readableBytes)"
      return Response(status: .notModified, headers: headers)
    }
    return Response(
      status: .ok, headers: headers, body: ResponseBody(byteBuffer: chosen.body))
  }
}
