import Devices
import HTTPTypes
import HomeTheater
import Hummingbird
import JSON
import NIOCore

extension APIServices {
  /// The time for which a browser uses a picture without a request, in seconds.
  private static let pictureLifetime = 3600

  /// Answers with the picture of an item: 304 if the client has it, 404 if there is none.
  func picture(_ request: RequestContext, _ principal: Principal) async throws -> Response {
    let lengths = 1...CatalogueItem.longestID
    let item = try request.query(
      "item", "the id of an item, at most \(lengths.upperBound) characters"
    ) { text in
      lengths.contains(text.unicodeScalars.count) ? text : nil
    }
    guard let item else {
      throw APIError.invalid("the request names no item", hint: "Send the parameter \"item\".")
    }
    guard let picture = try await theater.picture(of: item, for: principal) else {
      throw APIError.notFound("there is no picture of \"\(item.quotation)\"")
    }
    return response(picture, to: request.request)
  }

  private func response(_ picture: ItemPicture, to request: Request) -> Response {
    let tag = ContentHash(picture.bytes).tag
    var headers: HTTPFields = [
      .eTag: tag, .cacheControl: "private, max-age=\(Self.pictureLifetime)",
      // Another user of the same browser may have an age limit.
      .vary: "Cookie, Authorization", .contentSecurityPolicy: HTTPFields.apiPolicy,
    ]
    headers.addDocumentHeaders()
    guard !request.matches(tag) else {
      // The length that a 200 would have (RFC 9110, section 8.6).
      headers[.contentLength] = "\(picture.bytes.count)"
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = picture.format.mediaType
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: picture.bytes)))
  }
}
