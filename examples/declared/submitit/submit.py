import submitit
from acme.speech import main

executor = submitit.AutoExecutor(folder="logs")
executor.update_parameters(nodes=1, gpus_per_node=4, tasks_per_node=4, slurm_partition="a100")
executor.submit(main, {"model": "openai/whisper-small", "rows": 8})
