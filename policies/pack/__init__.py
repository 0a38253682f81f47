"""What the rules stand on: resources as they are read, configuration, charts, and the engine's protocol."""
