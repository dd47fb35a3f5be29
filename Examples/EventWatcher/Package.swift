// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "EventWatcher",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "HomeTheater", path: "../..")],
  targets: [
    .executableTarget(
      name: "EventWatcher",
      dependencies: [.product(name: "TheaterAPI", package: "HomeTheater")])
  ]
)
