// swift-tools-version: 6.2
import PackageDescription

// Targets form layers: an import points to a lower layer, never up (see docs/architecture.md). The end of
// this file refuses any other dependency, and `--explicit-target-dependency-import-check error` in every
// build an import without a dependency.

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A plugin: an executable on PluginKit, with its manifest beside its sources.
func plugin(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .executableTarget(
    name: name,
    dependencies: ["PluginKit", "PluginProtocol", "Devices", "JSON", "Platform"] + dependencies,
    path: "Plugins/\(name)", exclude: ["manifest.json"], swiftSettings: strict)
}

func module(
  _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let tls: [Target.Dependency] = [
  nioSSL,
  .product(name: "X509", package: "swift-certificates"),
  .product(name: "SwiftASN1", package: "swift-asn1"),
]
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let lifecycle: Target.Dependency = .product(
  name: "ServiceLifecycle", package: "swift-service-lifecycle")
let nio: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
  .product(name: "NIOHTTP1", package: "swift-nio"),
]

/// The modules, each in its layer.
let layers: [[Target]] = [
  // Layer 0: threads, clocks and processes of the system; data
  [
    module("Platform", ["CLinux"]),
    module("JSON"),
  ],
  // Layer 1
  [
    module("Devices", ["JSON"]),
    module("Validation", ["JSON", "CCommonPasswords", "CUTF8Proc"]),
    module("QRCode", ["CQRCode"]),
    module("Jobs", ["Platform"]),
    module("MediaNames", ["JSON", "CUTF8Proc"]),
    module("MQTTClient", ["JSON", "Platform", "CMosquitto"]),
  ],
  // Layer 2
  [
    module("PluginProtocol", ["Devices", "JSON", "Platform"]),
    module("Accounts", ["Jobs", "Validation", "JSON", "CArgon2", "Platform", crypto]),
    module("AccountFlows", ["Validation", "Platform"]),
    module("Scenes", ["Devices", "JSON", "Platform"]),
    module("InMemoryDevices", ["Devices", "JSON", "Platform"]),
    module("MediaFolders", ["MediaNames", "Devices", "JSON", "Platform"]),
    module("PJLink", ["Devices", "JSON", "Platform", crypto]),
  ],
  // Layer 3
  [
    module("PluginKit", ["PluginProtocol", "Devices", "JSON", "Platform"]),
    module("PluginHost", ["PluginProtocol", "Devices", "JSON", "Platform", logging]),
    module("HomeTheater", ["Scenes", "MediaNames", "Devices", "JSON", "Platform"]),
    module("TheaterAPI", ["Devices", "Scenes", "JSON"]),
    module("MediaNetwork", ["MediaFolders", "JSON", "Platform", "CLibav"]),
    module(
      "Discovery",
      [
        "MQTTClient", "PJLink", "MediaFolders", "MediaNames", "Devices", "JSON", "Platform",
      ]),
  ],
  // Layer 4: adapters
  [
    module(
      "TheaterConfiguration",
      ["HomeTheater", "Scenes", "PluginProtocol", "Devices", "Validation", "JSON", "Platform"]),
    module("Delivery", ["Accounts", "Jobs", "JSON", "CCurl"]),
    module("Storage", ["Accounts", "JSON", grdb]),
    module(
      "APIClient",
      [
        "TheaterAPI", "JSON", "CLinux", crypto, nioSSL,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
      ] + nio),
    module(
      "WebServer",
      [
        "TheaterAPI", "Accounts", "AccountFlows", "Discovery", "MQTTClient", "HomeTheater",
        "Scenes",
        "Devices", "Validation", "JSON", "QRCode", "Platform", "CLinux", crypto, hummingbird,
        hummingbirdCore,
        httpTypes, lifecycle,
        logging,
      ] + nio + tls,
      // The page's files, which Scripts/stage and Scripts/install put in place.
      exclude: ["Site"]),
  ],
  // Layer 5: a theater of a configuration; what it keeps; the tests of any plugin
  [
    module("TheaterStorage", ["Storage", "Accounts", "HomeTheater", "Devices", "JSON", grdb]),
    module(
      "TheaterLoader",
      [
        "TheaterConfiguration", "HomeTheater", "PluginHost", "PluginProtocol", "Scenes", "Devices",
        "JSON", "Platform", logging,
      ]),
    module(
      "PluginConformance",
      [
        "TheaterConfiguration", "PluginHost", "PluginKit", "PluginProtocol", "Devices", "JSON",
        "Platform", logging,
      ]),
  ],
  // Layer 6: the one executable
  [
    .executableTarget(
      name: "theater",
      dependencies: [
        "WebServer", "APIClient", "TheaterAPI", "Storage", "TheaterStorage", "Delivery", "QRCode",
        "TheaterLoader", "TheaterConfiguration", "Discovery", "MQTTClient",
        "HomeTheater", "Scenes", "PluginConformance", "PluginHost", "Accounts", "AccountFlows",
        "Jobs",
        "MediaNames",
        "Validation", "PluginProtocol", "Devices", "JSON", "Platform", "CLinux", hummingbird,
        logging,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        lifecycle,
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ] + nio,
      swiftSettings: strict)
  ],
]

let package = Package(
  name: "HomeTheater",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "theater", targets: ["theater"]),
    .library(
      name: "PluginKit",
      targets: ["PluginKit", "PluginProtocol", "Devices", "JSON", "Platform", "CLinux"]),
    .library(
      name: "HomeTheater",
      targets: ["HomeTheater", "InMemoryDevices", "Scenes", "Devices", "JSON", "Platform"]),
    .library(
      name: "TheaterLoader",
      targets: [
        "TheaterLoader", "TheaterConfiguration", "HomeTheater", "Scenes", "Devices", "JSON",
        "Platform",
      ]),
    .library(
      name: "Accounts",
      targets: ["Accounts", "AccountFlows", "Storage", "Validation", "Jobs", "JSON", "Platform"]),
    .library(name: "Validation", targets: ["Validation", "JSON"]),
    .library(name: "TheaterAPI", targets: ["TheaterAPI", "Devices", "JSON"]),
  ],
  dependencies: [
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.5.0"),
    .package(
      url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
  ],
  targets: layers.flatMap(\.self) + [
    // System libraries and C shims
    .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
    .systemLibrary(
      name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
    .systemLibrary(
      name: "CQRCode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    // Without pkg-config, whose flags for it SwiftPM warns about.
    .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
    .target(name: "CLinux"),
    .target(name: "CCommonPasswords", exclude: ["passwords.txt"]),
    .target(name: "CLibav"),
    .target(name: "CCurl"),
    .target(name: "CMosquitto"),
    .target(name: "CSwresample"),

    // Plugins
    plugin("Simulated", ["InMemoryDevices"]),
    plugin("ALSAAmplifier", ["CALSA", "CSwresample"]),
    plugin(
      "LibavPlayer", ["MediaFolders", "MediaNames", "MediaNetwork", "CLibav", "CLinux"]),
    plugin("MpvPlayer", ["MediaFolders", "MediaNames", "MediaNetwork", "CLibav", crypto]),
    plugin("PJLinkProjector", ["PJLink"]),
    plugin("MQTTDevices", ["MQTTClient"]),

    // Benchmarks
    .executableTarget(
      name: "TheaterBenchmarks",
      dependencies: ["PluginHost", "PluginProtocol", "Devices", "JSON", "Platform", logging],
      path: "Benchmarks/TheaterBenchmarks", swiftSettings: strict),

    // Tests mirror Sources
    .target(
      name: "TestSupport", dependencies: ["Devices", "JSON", "Platform", logging],
      path: "Tests/TestSupport",
      swiftSettings: strict),
    .target(
      name: "PluginTestSupport",
      dependencies: [
        "TestSupport", "PluginKit", "PluginProtocol", "Devices", "JSON", "Platform",
      ],
      path: "Tests/PluginTestSupport", swiftSettings: strict),
    .target(
      name: "AccountTestSupport", dependencies: ["Accounts"], path: "Tests/AccountTestSupport",
      swiftSettings: strict),
    tests("TestSupportTests", ["TestSupport", "Platform"]),
    tests("PlatformTests", ["TestSupport", "Platform"]),
    tests("JSONTests", ["JSON"]),
    tests("DevicesTests", ["TestSupport", "Devices", "JSON"]),
    tests("MediaNamesTests", ["MediaNames"]),
    tests(
      "ValidationTests", ["TestSupport", "Validation", "JSON"],
      exclude: ["validation-vectors.json"]),
    tests(
      "PluginProtocolTests",
      ["TestSupport", "PluginProtocol", "Devices", "JSON", "Platform", "CLinux"],
      exclude: ["Fuzzing/Corpus"]),
    tests(
      "PluginKitTests",
      [
        "PluginTestSupport", "TestSupport", "PluginKit", "PluginProtocol", "Devices", "JSON",
        "Platform",
      ], exclude: ["Cable/Wire/Corpus"]),
    tests(
      "PluginHostTests",
      [
        "TestSupport", "PluginHost", "PluginKit", "PluginProtocol", "Devices", "JSON", "Platform",
        logging,
      ]),
    tests("InMemoryDevicesTests", ["TestSupport", "InMemoryDevices", "Devices", "JSON"]),
    tests("ScenesTests", ["TestSupport", "Scenes", "Devices", "JSON"]),
    tests(
      "HomeTheaterTests",
      ["TestSupport", "HomeTheater", "MediaNames", "Scenes", "Devices", "JSON"]),
    tests(
      "TheaterConfigurationTests",
      [
        "TestSupport", "TheaterConfiguration", "HomeTheater", "InMemoryDevices", "Scenes",
        "PluginProtocol", "Devices", "Validation", "JSON",
      ]),
    tests(
      "TheaterLoaderTests",
      [
        "TestSupport", "TheaterLoader", "TheaterConfiguration", "HomeTheater", "Scenes", "Devices",
        "JSON", logging,
      ]),
    tests(
      "AccountFlowsTests", ["TestSupport", "AccountFlows", "Validation", "Devices", "JSON"],
      exclude: ["Transcripts/flow-transcripts.json"]),
    tests("JobsTests", ["TestSupport", "Jobs"]),
    tests(
      "AccountsTests",
      ["AccountTestSupport", "TestSupport", "Accounts", "Storage", "Devices", "Jobs", "Validation"]),
    tests("QRCodeTests", ["TestSupport", "QRCode"]),
    tests(
      "DeliveryTests", ["TestSupport", "Delivery", "Accounts", "Jobs", "JSON"], exclude: ["Peers"]),
    tests(
      "StorageTests",
      [
        "AccountTestSupport", "TestSupport", "Storage", "TheaterStorage", "Accounts",
        "HomeTheater", "Devices", "JSON", grdb,
      ]),
    tests("TheaterAPITests", ["TestSupport", "TheaterAPI", "Devices", "JSON"]),
    tests(
      "APIClientTests",
      [
        "TestSupport", "APIClient", "TheaterAPI", "JSON", nioSSL,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ] + nio),
    tests(
      "WebServerTests",
      [
        "AccountTestSupport", "TestSupport", "TheaterAPI", "WebServer", "APIClient", "Storage",
        "Accounts", "Discovery", "MQTTClient", "HomeTheater", "Scenes",
        "Devices", "Validation", "JSON", hummingbird, httpTypes, lifecycle, logging,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ] + nio),
    tests(
      "TheaterTests",
      [
        "TestSupport", "theater", "AccountFlows", "Validation", "WebServer", "APIClient",
        "TheaterAPI", "Storage", "TheaterLoader",
        "TheaterConfiguration", "Discovery", "MQTTClient", "HomeTheater", "InMemoryDevices",
        "PluginConformance",
        "PluginHost", "Accounts", "Jobs", "JSON", "Devices", logging,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ] + nio),
    tests(
      "SimulatedTests",
      [
        "PluginTestSupport", "TestSupport", "Simulated", "InMemoryDevices", "PluginKit",
        "PluginProtocol", "Devices", "JSON", "Platform",
      ]),
    tests(
      "ALSAAmplifierTests",
      [
        "TestSupport", "ALSAAmplifier", "PluginKit", "PluginProtocol", "Devices", "JSON",
        "Platform",
        "CALSA",
      ], exclude: ["TheaterPCM/Corpus"]),
    tests(
      "LibavPlayerTests",
      [
        "PluginTestSupport", "TestSupport", "LibavPlayer", "MediaFolders", "MediaNames",
        "MediaNetwork", "PluginKit", "PluginProtocol", "Devices", "JSON", "Platform",
      ]),
    tests(
      "MpvPlayerTests",
      [
        "PluginTestSupport", "TestSupport", "MpvPlayer", "MediaFolders", "MediaNames",
        "MediaNetwork", "PluginKit", "PluginProtocol", "Devices", "JSON", "Platform",
      ], exclude: ["Wire/Corpus"]),
    tests(
      "MediaNetworkTests", ["TestSupport", "MediaNetwork", "MediaFolders", "CLibav", "Platform"]),
    tests(
      "PJLinkProjectorTests",
      [
        "PluginTestSupport", "TestSupport", "PJLinkProjector", "PJLink", "PluginKit",
        "PluginProtocol", "Devices", "JSON", "Platform",
      ]),
    tests(
      "MQTTDevicesTests",
      [
        "PluginTestSupport", "TestSupport", "MQTTDevices", "PluginKit", "PluginProtocol", "Devices",
        "JSON", "Platform",
      ], exclude: ["Profiles/Corpus"]),
    tests(
      "DiscoveryTests",
      [
        "PluginTestSupport", "TestSupport", "Discovery", "MQTTClient", "MediaNames", "Devices",
        "JSON",
      ], exclude: ["MQTT/Corpus"]),
    tests("MQTTClientTests", ["TestSupport", "MQTTClient"]),
    tests(
      "PJLinkTests", ["TestSupport", "PJLink", "Devices", "JSON"], exclude: ["Protocol/Corpus"]),
    tests(
      "PluginConformanceTests",
      [
        "PluginTestSupport", "TestSupport", "PluginConformance", "TheaterConfiguration",
        "PluginHost", "PluginProtocol", "PluginKit", "Devices", "JSON", "Platform",
      ]),
    tests(
      "EndToEndTests", ["PluginTestSupport", "TestSupport", "APIClient", "JSON", "Platform"] + nio),
  ]
)

// One suite in under a minute: `THEATER_TESTS=AccountsTests,StorageTests` leaves out the other test
// targets (see Scripts/test-suite).
if let names = Context.environment["THEATER_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

let layerOfModule = Dictionary(
  uniqueKeysWithValues: layers.enumerated().flatMap { layer, modules in
    modules.map { ($0.name, layer) }
  })
for (layer, modules) in layers.enumerated() {
  for module in modules {
    for case .byNameItem(let name, _) in module.dependencies {
      guard let other = layerOfModule[name], other >= layer else { continue }
      fatalError(
        "\(module.name) in layer \(layer) must not depend on \(name) in layer \(other): "
          + "see docs/architecture.md.")
    }
  }
}
