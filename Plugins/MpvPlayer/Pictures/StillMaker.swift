import Devices
import Glibc
import JSON
import Platform

/// A maker of pictures: stills of films and covers of songs. It uses a separate mpv process.
///
/// The process has a lower priority than others, one thread for decoding and no sound, so that it
/// does not disturb a film that plays. One process runs at a time.
struct StillMaker: Sendable {
  /// The longest time for one picture; afterwards mpv is killed.
  static let limit = Duration.seconds(15)
  /// The difference between the nice values of the process and of the plugin; 19 is the lowest
  /// priority.
  private static let niceness = 10
  /// The length of the longer side of a picture, in pixels.
  private static let side = 640
  /// The largest number of pixels of a frame that mpv decodes. Larger frames would take gigabytes
  /// of memory.
  private static let mostPixels = 1 << 26
  /// The name that mpv gives to the first picture.
  private static let fileName = "00000001.jpg"
  private static let lock = AsyncLock()

  let setup: MpvSetup
  let clock: any TheaterClock

  /// Returns the picture of a medium, or that it has none, or that mpv refused it, crashed or was
  /// not ready within ``limit``. Nil if the folder cannot be made, mpv cannot be started, or the
  /// task was cancelled.
  ///
  /// - Parameter seconds: The position of the still; nil for a tenth of the duration that mpv assumes.
  func still(of medium: Medium, at seconds: Double? = nil) async -> PictureCache.Entry? {
    await Self.lock.acquire()
    defer { Self.lock.release() }
    guard !Task.isCancelled, let folder = try? SoundCable.makeFolder(in: SoundCable.parents) else {
      return nil
    }
    let file = "\(folder)/\(Self.fileName)"
    defer {
      unlink(file)
      rmdir(folder)
    }
    guard let isComplete = await writeFrame(of: medium, at: seconds, into: folder) else {
      return nil
    }
    guard isComplete else { return .failed }
    guard let bytes = try? RegularFile.read(file, atMost: ItemPicture.mostBytes),
      let picture = ItemPicture(bytes)
    else { return .noPicture }
    return .picture(picture)
  }

  /// Makes mpv write one frame of the medium into `folder`, and waits for the end of mpv.
  ///
  /// - Returns: Whether mpv was ready with the medium before its own end. Nil if it cannot be
  ///   started, or the task was cancelled.
  private func writeFrame(
    of medium: Medium, at seconds: Double?, into folder: String
  ) async -> Bool? {
    guard
      let process = try? MpvProcess(
        setup.program, Self.arguments(folder: folder, seconds: seconds),
        environment: setup.variables,
        niceness: Self.niceness, clock: clock)
    else { return nil }
    let (clock, deadline) = (clock, clock.now() + Self.limit)
    let timer = Task {
      if (try? await clock.sleep(until: deadline)) != nil { process.kill() }
    }
    defer { timer.cancel() }
    let isComplete = await withTaskCancellationHandler {
      var isComplete = false
      if (try? await Self.load(medium, in: process)) != nil {
        for await event in process.link.events {
          guard case .endFile = event else { continue }
          isComplete = true
          break
        }
      }
      // The picture is complete only when mpv has ended.
      await process.quit(clock: clock)
      return isComplete
    } onCancel: {
      process.kill()
    }
    return Task.isCancelled ? nil : isComplete
  }

  private static func load(_ medium: Medium, in process: MpvProcess) async throws(MpvFailure) {
    if let device = medium.device {
      try await process.link.set(device.property, .string(device.path))
    }
    _ = try await process.link.load(medium, within: limit)
  }

  private static func arguments(folder: String, seconds: Double?) -> [String] {
    // The sides follow from `dar`, the aspect ratio on a display, because the pixels of a DVD are
    // not square.
    let sizes = ["\(side)*dar", "\(side)/dar"].map { "max(2,round(min(\(side),\($0))/2)*2)" }
    let scale = "scale='\(sizes.joined(separator: "':'"))'"
    return [
      "--vo=image", "--vo-image-format=jpg", "--vo-image-jpeg-quality=80",
      "--vo-image-outdir=\(folder)", "--frames=1", "--start=\(seconds.map { "\($0)" } ?? "10%")",
      "--hr-seek=no",
      "--vf=lavfi=[\(scale),setsar=1]", "--no-audio", "--no-sub", "--sub-auto=no",
      "--audio-display=embedded-first", "--cover-art-auto=no", "--hwdec=no",
      "--vd-lavc-threads=1", "--vd-lavc-o=max_pixels=\(mostPixels)",
    ]
  }
}
