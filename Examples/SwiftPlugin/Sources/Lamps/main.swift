await lamps.run()
