import Devices
import Glibc
import MediaNetwork
import Platform

/// The requirements of the plugin on this machine: the program mpv, and the ALSA module for the cable.
struct MpvSetup: Sendable {
  /// The program's path, or its name on `PATH`.
  var program = "mpv"
  /// The path of the ALSA module; nil if it is missing.
  var module = Self.findModule()
  /// The environment variables of mpv: ``variableNames`` of this process, and `LANG`.
  var variables = Self.ownVariables()
  /// The absolute path of the folder for pictures; nil if neither `XDG_CACHE_HOME` nor `HOME` is set.
  var pictureFolder = Self.findPictureFolder()

  /// Starts the proxy through which mpv reaches network streams.
  var makeProxy: @Sendable () throws(SystemError) -> MediaProxy = { () throws(SystemError) in
    try MediaProxy()
  }

  /// The interface to drives for discs.
  var drives = DriveKernel.system

  /// Starts mpv for a player.
  ///
  /// - Parameter configuration: The path of the ALSA configuration; nil for the machine's own.
  func start(
    _ options: MpvOptions, device: String, configuration: String?, clock: any TheaterClock
  ) throws(SystemError) -> MpvProcess {
    var environment = variables
    let displays = ["DISPLAY", "WAYLAND_DISPLAY"]
    let own = environment.filter { displays.contains($0.key) }
    let display = options.displayVariables(own)
    for name in displays { environment[name] = display[name] }
    if let configuration { environment["ALSA_CONFIG_PATH"] = configuration }
    return try MpvProcess(
      program, options.arguments(hasDisplay: !display.isEmpty, device: device),
      environment: environment, clock: clock)
  }

  /// The names of the environment variables that mpv, X11, Wayland and ALSA use. The manifest must list them too,
  /// because the controller passes no others to the plugin.
  static let variableNames = [
    "PATH", "HOME", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
    "ALSA_CONFIG_PATH", "DBUS_SESSION_BUS_ADDRESS",
  ]

  /// Returns the variables ``variableNames`` of this process, and `LANG` with a fixed value.
  private static func ownVariables() -> [String: String] {
    var variables: [String: String] = ["LANG": "C.UTF-8"]
    for name in variableNames {
      variables[name] = getenv(name).map { String(cString: $0) }
    }
    return variables
  }

  /// Returns the path of `theater/pictures` in the user's cache folder (XDG Base Directory Specification).
  private static func findPictureFolder() -> String? {
    func folder(_ variable: String) -> String? {
      getenv(variable).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let caches = folder("XDG_CACHE_HOME") ?? folder("HOME").map { "\($0)/.cache" }
    return caches.map { "\($0)/theater/pictures" }
  }

  /// Returns the path of the ALSA module: in a folder `alsa` beside this program, or beside one of the two folders
  /// above it. Nil if there is none.
  private static func findModule() -> String? {
    guard let path = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(path) }
    var folder = String(cString: path)
    for _ in 0..<3 {
      folder = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? ""
      let module = "\(folder)/alsa/libasound_module_pcm_theater.so"
      if access(module, R_OK) == 0 { return module }
    }
    return nil
  }
}

extension DeviceError {
  /// The error of a machine without the ALSA module.
  static let noModule = DeviceError(
    .unavailable, "the ALSA module libasound_module_pcm_theater.so is not beside the plugins",
    hint: "Run \"make\" in the project's folder, or \"make install\" again.")

  /// The error of a program that does not start.
  static func notStarted(_ program: String, _ error: SystemError) -> DeviceError {
    DeviceError(
      .unavailable, "\(program) cannot be started: \(error.description.lowercased())",
      hint: error.code == ENOENT ? "Install it: apt install mpv" : "See the limits with: ulimit -a")
  }
}
