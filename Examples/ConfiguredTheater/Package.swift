// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ConfiguredTheater",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "HomeTheater", path: "../..")],
  targets: [
    .executableTarget(
      name: "SceneRunner",
      dependencies: [.product(name: "TheaterLoader", package: "HomeTheater")])
  ]
)
