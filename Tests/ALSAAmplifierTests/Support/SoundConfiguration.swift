import Foundation
import Platform
import TestSupport

/// libasound's configuration for this test process: PCMs that need no hardware. Their parameters
/// give each test a card and files of its own.
enum SoundConfiguration {
  /// Used until the process ends.
  private static let folder = try? TemporaryFolder()

  /// Set once, before the first call into libasound; false when the virtual card cannot be built.
  static let isReady: Bool = {
    guard let folder else { return false }
    do {
      try buildCard(into: folder.path)
      let path = try folder.write(
        "asound.conf", Array(text(library: folder.path(of: "libvirtualcard.so")).utf8))
      return setenv("ALSA_CONFIG_PATH", path, 1) == 0
    } catch {
      return false
    }
  }()

  /// The name of a PCM that writes raw frames to `file`, as fast as they come.
  static func capture(to file: String) -> String { "capture:FILE=\(file)" }

  private static func buildCard(into folder: String) throws {
    let fixture = Program.project.appending(path: "Tests/Fixtures/VirtualCard")
    let make = try ChildProcess(
      ProgramStart(
        "/usr/bin/make", ["-s", "-C", fixture.path, "OUT=\(folder)"],
        environment: ["PATH": "/usr/bin:/bin", "TMPDIR": folder]))
    guard make.wait(killingAfter: 240) == .exited(0) else { throw CocoaError(.executableLoad) }
  }

  private static func text(library: String) -> String {
    """
    </usr/share/alsa/alsa.conf>
    pcm_type.virtualcard { lib "\(library)" }
    ctl_type.virtualcard { lib "\(library)" }
    pcm.capture {
      @args [ FILE ]
      @args.FILE { type string }
      type file
      slave.pcm "null"
      file $FILE
      format "raw"
    }
    pcm.card {
      @args [ DIR RATE CHANNELS FORMAT MAPS EXCLUSIVE ]
      @args.DIR { type string }
      @args.RATE { type integer default 0 }
      @args.CHANNELS { type integer default 0 }
      @args.FORMAT { type string default "" }
      @args.MAPS { type integer default 0 }
      @args.EXCLUSIVE { type integer default 0 }
      type virtualcard
      file { @func concat strings [ $DIR "/heard.raw" ] }
      log { @func concat strings [ $DIR "/card.log" ] }
      control { @func concat strings [ $DIR "/control" ] }
      rate $RATE
      channels $CHANNELS
      format $FORMAT
      maps $MAPS
      exclusive $EXCLUSIVE
    }
    pcm.server {
      @args [ DIR ]
      @args.DIR { type string }
      type pulse
      server { @func concat strings [ "unix:" $DIR "/native" ] }
      device "test"
    }
    ctl.server {
      @args [ DIR ]
      @args.DIR { type string }
      type pulse
      server { @func concat strings [ "unix:" $DIR "/native" ] }
      device "test"
    }
    ctl.card {
      @args [ DIR DECIBELS ]
      @args.DIR { type string }
      @args.DECIBELS { type integer default 1 }
      type virtualcard
      file { @func concat strings [ $DIR "/mixer" ] }
      decibels $DECIBELS
    }

    """
  }
}

extension SoundServer {
  /// The name of the server's PCM.
  var pcm: String { "server:DIR=\(folder.path)" }
}
