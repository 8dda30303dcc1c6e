import os

from ray.job_submission import JobSubmissionClient

client = JobSubmissionClient(os.environ["RAY"])
client.submit_job(entrypoint=" ".join(["python", "-m", os.environ["ENTRY"], *os.environ["ARGUMENTS"].split()]))
