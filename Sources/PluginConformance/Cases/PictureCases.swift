import Devices
import JSON
import PluginProtocol

extension ConformanceCase {
  /// The cases about the pictures of disc players.
  package static let pictures = [
    ConformanceCase(
      "a picture is a JPEG, PNG or WebP file of at most 512 KiB, or there is none", .pictureFile,
      .pictureOffered, scope: .roles([.cdPlayer, .dvdPlayer])
    ) { trial in
      try await trial.withDevice { client, _ in
        let offered = try await client.catalogue(of: "a", folder: nil).filter(\.hasPicture)
        if offered.isEmpty { throw NotApplicable.because("no item has a picture") }
        for item in offered.prefix(3) {
          let answer = try await client.ask(PictureRequest(device: "a", item: item.id))
          try expect(
            answer.fault == nil,
            "a JPEG, PNG or WebP file of at most \(ProtocolLimits.picture) bytes, or none",
            received: answer.fault ?? "a picture")
        }
      }
    },
    ConformanceCase(
      "an item that is not in the catalogue has no picture", .pictureOfUnknownItem,
      scope: .roles([.cdPlayer, .dvdPlayer])
    ) { trial in
      try await trial.withDevice { client, _ in
        for item in ["nothing", "/etc/hostname", "../../../../etc/hostname", ""] {
          let request = PictureRequest(device: "a", item: item)
          let (result, _) = try await client.call(PictureRequest.method, request.params)
          guard case .success(let json) = result else { continue }
          try expect(
            json["data"] == nil, "no picture of \"\(item)\", or a refusal", received: text(json))
        }
      }
    },
  ]
}
