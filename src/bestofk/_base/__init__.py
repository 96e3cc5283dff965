"""What everything else stands on: types, arguments, results, caveats, randomness, charts."""
