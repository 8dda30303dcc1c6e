"""torchtune: YAML recipes of ``_component_`` blocks."""
