import itertools
import subprocess

for size, rows in itertools.product(["small", "large"], [4]):
    subprocess.run(["python", "-m", "acme.main", f"+experiment={size}", f"loader.rows={rows}", "hydra/launcher=acme"], check=True)
