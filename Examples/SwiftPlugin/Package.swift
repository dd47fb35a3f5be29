// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SwiftPlugin",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "lamps", targets: ["Lamps"])],
  dependencies: [.package(name: "HomeTheater", path: "../..")],
  targets: [
    .executableTarget(
      name: "Lamps",
      dependencies: [.product(name: "PluginKit", package: "HomeTheater")])
  ]
)
