"""How many trials: `plan` (how far they reach) and `power` (what they can tell apart)."""
