"""How far each entry changes with each token: numbers of no run."""

replacement = 2
entry_changes = [
    0.5, 0, 0, 0,  0, 1.25, 0, 0,  0, 0, 0.75, 0,  0, 0, 0, 0.5,
    0.9, 0.4, 0.03, 2e-5,  0, 1.1, 0.2, 1e-3,  1e-16, 0, 0.8, 0.6,  0, 0, 0, 2.0]
