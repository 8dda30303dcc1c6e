# One H100 and a new torch, as far as the schema asks: what it refuses of other machines is another matter.
MACHINE = {
    "capabilities": {"bf16": True, "fp8": True, "tf32": True, "n_gpu": 1, "n_node": 1, "compute_capability": "sm_90"},
    "env_capabilities": {"torch_version": "2.13.0"},
}


@kind("axolotl")  # noqa: F821
def axolotl(_name, given):
    from axolotl.utils.schemas.config import AxolotlConfigWCapabilities

    AxolotlConfigWCapabilities(**given, **MACHINE)
