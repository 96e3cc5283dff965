"""What bestofk 0.1.0 computed, recorded once, so that no later change moves a number unseen."""
