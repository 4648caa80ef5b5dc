"""Pictures of trees: geometry and look, for every program that draws them."""
