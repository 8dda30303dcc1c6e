"""torch.backends."""

from types import SimpleNamespace

cuda = SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False), enable_flash_sdp=lambda enabled: None)
cudnn = SimpleNamespace(allow_tf32=True, benchmark=False, deterministic=False)
mps = SimpleNamespace(is_available=lambda: False)
